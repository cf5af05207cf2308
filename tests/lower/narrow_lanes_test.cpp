// Vectors of bytes are computed in lanes of one byte or two where these hold every value that is asked for,
// and what they give is what the interpreter gives, for all pairs of bytes.
#include <doctest/doctest.h>

#include "ir/expr/interpret.hpp"
#include "ir/text/parse.hpp"
#include "lower/analyses/value_ranges.hpp"
#include "lower/loops/visit.hpp"
#include "lower/lower.hpp"
#include "tests/lower/run_loops.hpp"

using namespace lift;

namespace narrow_lanes_test {
namespace {

struct Lanes {
  std::size_t bytes = 0;  ///< of the widest number that a vector has
  int most = 0;           ///< lanes of a vector
};
Lanes lanes_of(const Kernel& k) {
  Lanes r;
  visit_terms(k.body, [&](const Term& t) {
    if (t->width == 1 || t->type == boolean) return;
    r.bytes = std::max(r.bytes, size_of(t->type)), r.most = std::max(r.most, t->width);
  });
  return r;
}

/// Runs the program on these arrays, against the interpreter.
Kernel checked(const std::string& text, const std::map<std::string, std::vector<double>>& data,
               int bytes = 64) {
  const Program p = parse_program(text);
  const Kernel k = lower(p, {.vector_bytes = bytes, .target = Target::openmp});
  INFO(text << "\n" << lift::str(k));
  Interpreter in;
  lift::test::LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), 77);
  for (const Expr& a : p.arguments) {
    loops.arrays[param_name(a)] = data.at(param_name(a));
    in.params[param_name(a)] = make_array(data.at(param_name(a)), a.type());
  }
  const auto expected = flatten_components(in.eval(p.body), p.body.type());
  loops.run(k);
  CHECK(loops.races.empty());
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const std::vector<double>& found = loops.arrays.at(k.results[n]);
    for (std::size_t i = 0; i < expected[n].size(); ++i)
      if (found[i] != expected[n][i]) {
        FAIL_CHECK("element " << i << ": " << found[i] << ", not " << expected[n][i]);
        break;
      }
  }
  return k;
}

/// A function of two bytes, for all pairs of them.
Lanes of_pairs(const std::string& f) {
  std::map<std::string, std::vector<double>> data;
  for (int i = 0; i < 65536; ++i) data["a"].push_back(i / 256), data["b"].push_back(i % 256);
  return lanes_of(
      checked("param a, b : 65536.u8\nresult = zip(a, b) |> map_vec<16>(\\(x, y). " + f + ")", data));
}

}  // namespace

TEST_CASE("narrow lanes: bytes where each value that is compared is one, or low bits are asked for") {
  for (const char* f :
       {"u8(min(i32(x), y))", "u8(max(min(i32(x), y), 7))", "u8(i32(x) + y)", "u8(i32(x) - y)",
        "u8(i32(x) - 2 * y + 1000)", "u8(select(i32(x) < y, i32(x) + 1, -i32(y)))",
        "u8(select(i32(x) == 3 || i32(x) == 2 && i32(y) == 1, 1, 0))", "i32(x) <= y", "i32(x) == 255",
        "u8(min(i32(x), 200) / 4)", "u8(i32(x) % 16)", "u8(abs(i32(x)))", "u8(i32(i32(x) < y) + 254)",
        "let s = min(i32(x), y) in u8(s - select(s == 5, 6, 0))"}) {
    CAPTURE(f);
    const Lanes found = of_pairs(f);
    if (std::string(f).find('*') != std::string::npos) {
      CHECK(found.bytes == 2);  // machines multiply 16 bits
      continue;
    }
    CHECK(found.bytes == 1);
    CHECK(found.most == 64);
  }
}

TEST_CASE("narrow lanes: 16 bits, with a sign or without, up to the last value that they hold") {
  for (const char* f :
       {"u8((i32(x) + y + 1) / 2)", "u8((i32(x) + y) / 3)", "u8(i32(x) * y / 256)", "u8(i32(x) * y)",
        "u8(abs(i32(x) - y))", "u8(min(i32(x) + y, 255))", "u8(max(i32(x) - y, 0))", "i32(x) + y > 255",
        "i32(x) - y < 0", "u8((256 * i32(x) + y) / 256)", "256 * i32(x) + y == 65535",
        "u8((128 * i32(x) - 128 * i32(y)) / 64)", "128 * i32(x) - 128 * i32(y) < -32639",
        "u8((i32(x) - y) % 8)", "u8((i32(x) - y) / 2)", "u8((i32(x) + y) % 7)",
        "let s = i32(x) + y in u8(select(s == 3 || s == 300 && i32(y) == 55, 1, s))",
        "let d = i32(x) - y in u8(select(d < 0, -d, d))"}) {
    CAPTURE(f);
    const Lanes found = of_pairs(f);
    CHECK(found.bytes == 2);
    CHECK(found.most == 32);
  }
}

TEST_CASE("narrow lanes: what 16 bits do not hold is computed in 32") {
  for (const char* f :
       {"u8((256 * i32(x) + y + 1) / 256)", "256 * i32(x) + y == -1 || 257 * i32(x) + y == 65536",
        "u8((128 * i32(x) - 129 * i32(y)) / 64)", "u8((i32(x) - y) % 7)", "u8(i32(x) * y * i32(x) / 65536)",
        "u8((i32(x) - y) / (i32(y) + 1))"}) {
    CAPTURE(f);
    CHECK(of_pairs(f).bytes == 4);
  }
}

TEST_CASE("narrow lanes: what the kernel itself has stored is known") {
  std::map<std::string, std::vector<double>> data;
  for (int i = 0; i < 600; ++i) data["a"].push_back(i * 37 % 256);
  const auto sums = [&](const std::string& cell) {
    return lanes_of(checked("param a : 600.u8\nresult = let c = a |> map_vec<16>(\\x. " + cell +
                                ") |> to_global in c |> slide(3, 1) |> map_vec<16>(\\w. "
                                "u8(select(i32(w[0]) + w[1] + w[2] == 3, 1, 0)))",
                            data));
  };
  CHECK(sums("u8(select(i32(x) < 150, 1, 0))").bytes == 1);
  CHECK(sums("u8(min(i32(x), 85))").bytes == 1);
  CHECK(sums("u8(min(i32(x), 86))").bytes == 2);
}

TEST_CASE("narrow lanes: what a loop reads and stores is done once, sums of bytes wrap around") {
  std::map<std::string, std::vector<double>> data;
  for (int i = 0; i < 9 * 43; ++i) data["a"].push_back(i * 57 % 256);
  const Kernel k = checked(
      "param a : 9.43.u8\nresult = a |> reduce_seq(\\acc x. zip(acc, x) |> map_vec<16>(\\(p, q). "
      "u8(i32(p) + q)), generate(43, \\i. 0u8))",
      data);
  CHECK(lanes_of(k).bytes == 1);
  // accumulators of an i32 hold bytes where all that is stored there is one
  const Kernel most = checked(
      "param a : 9.43.u8\nresult = a |> reduce_seq(\\acc x. zip(acc, x) |> map_vec<16>(\\(p, q). "
      "max(p, i32(q))), generate(43, \\i. 0)) |> reduce_seq(\\p q. max(p, q), 0)",
      data);
  CHECK(lanes_of(most).bytes == 1);
}

TEST_CASE("narrow lanes: every length of a row, from one element to several vectors") {
  for (const int bytes : {16, 32, 64})
    for (int n = 1; n < 200; n += n < 70 ? 1 : 13) {
      CAPTURE(n);
      std::map<std::string, std::vector<double>> data;
      for (int i = 0; i < 2 * n; ++i) data["a"].push_back(i * 91 % 256);
      const std::string size = std::to_string(n);
      for (const char* b : {"clamp", "wrap", "constant 9u8"})
        checked(
            "param a : 2." + size + ".u8\nresult = a |> map_seq(\\r. r |> pad(2, 1, " + std::string(b) +
                ") |> slide(4, 1) |> map_vec<16>(\\w. u8(max(min(i32(w[0]), w[1]), min(i32(w[2]), w[3])))))",
            data, bytes);
    }
}

TEST_CASE("narrow lanes: low bits of low bits, constants that are the same in them, any truth value") {
  struct Case {
    const char* f;
    std::size_t bytes;
  };
  for (const auto& [f, bytes] :
       {Case{"u8((i32(u8(i32(x) * y)) + y + 1) / 2)", 2},
        {"u8((i32(u8(select(i32(x) < y, 256, 0))) + x + y) / 2)", 2},
        {"!(i32(x) < y || i32(x) == 200)", 1},
        {"!(i32(x) - y < 3 && i32(x) == 200)", 2},
        {"bool(i32(x))", 1},
        {"bool(i32(x) - y)", 2},
        {"select(bool(i32(x) * 300 - y), x, y)", 4},
        {"bool(x) && !(bool(y) && i32(x) < 7)", 1},
        {"u8(i32(x) < y)", 1},
        {"let s = 200 * i32(x) + y in u8(select(s == 3 || s == 51000, 1, s / 256))", 2},
        {"let s = 200 * i32(x) + y in u8(select(s == 3 || s == 51000, 1, s))", 2}}) {
    CAPTURE(std::string(f));
    CHECK(of_pairs(f).bytes == bytes);
  }
}

TEST_CASE("narrow lanes: what is the same in all lanes may be any i32, other numbers are wide") {
  std::map<std::string, std::vector<double>> data;
  for (int i = 0; i < 40 * 64; ++i) {
    data["a"].push_back(i * 57 % 256), data["b"].push_back(i * 91 % 256);
    data["z"].push_back(i * 7919 % 4001 - 2000), data["l"].push_back(i * 7919 % 4001 - 2000);
  }
  for (int i = 0; i < 40; ++i) {
    data["r"].push_back(i * 100003.0 - 2000000), data["s"].push_back(i * 83 % 256);
    data["w"].push_back(i * 997 % 301);
  }
  const auto bytes_of = [&](const std::string& f) {
    CAPTURE(f);
    return lanes_of(checked("param a, b : 40.64.u8\nparam z : 40.64.f64\nparam l : 40.64.i64\nparam r, w : "
                            "40.i32\nparam s : 40.u8\nresult = "
                            "zip(a, b, z, l, r, w, s, generate(40, \\i. i)) |> map_seq(\\(a, b, z, l, r, w, "
                            "s, i). zip(a, b, z, l) |> "
                            "map_vec<16>(\\(x, y, z, l). " +
                                f + "))",
                            data))
        .bytes;
  };
  for (const char* f :
       {"u8(i32(x) + r)", "u8(i32(x) + i)", "u8(i32(x) + (r * 2 + 1))", "u8(i32(x) + s)",
        "u8(min(i32(x), s))", "i32(x) < i", "u8(min(i32(x), i + 2))", "let q = r + w in u8(i32(x) + q + q)",
        "let q = select(w > 7, r, i) in u8(i32(x) + q + q)", "u8(min(i32(x), max(min(w, 255), 0)))"})
    CHECK(bytes_of(f) == 1);
  CHECK(bytes_of("u8(min(i32(x), max(min(w, 256), 0)))") == 2);
  CHECK(bytes_of("u8(min(i32(x), r))") == 4);
  for (const char* f : {"u8(i32(z) + x)",
                        "u8(i32(x) + i32(z))",
                        "u8(select(i32(x) < y, i32(z), 1))",
                        "u8(select(i32(x) < y, 1, i32(z)))",
                        "u8(select(z < 3, i32(x), 1))",
                        "u8(min(i32(z) % 8, y))",
                        "u8(min(i32(y), i32(z) % 8))",
                        "u8(abs(i32(z) % 8 - 4))",
                        "u8(-i32(z))",
                        "u8(i32(z) * y)",
                        "u8(i32(z))",
                        "i32(z) < 3 && i32(x) < y",
                        "!(i32(z) < 3 || i32(x) < y)",
                        "u8(i32(l))",
                        "l < 3i64",
                        "select(bool(l % 8i64), x, y)",
                        "select(z < 3, x, y)",
                        "select(i32(x) < y, u8(i32(z)), y)",
                        "select(i32(x) < y, y, u8(i32(z)))",
                        "u8(i32(i32(z) < 3) + x)",
                        "u8(i32(u8(i32(z))) / 2)"})
    CHECK(bytes_of(f) >= 4);
}

}  // namespace narrow_lanes_test
