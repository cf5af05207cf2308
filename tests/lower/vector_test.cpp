// Vector loops with strided loads, interleaved stores and several stores, run in the loop language.
#include <doctest/doctest.h>

#include <bit>

#include "ir/error.hpp"
#include "lower/passes/pipeline.hpp"
#include "run_loops.hpp"
#include "vector_sample.hpp"

using namespace lift;
using namespace lift::test;

namespace vector_test {
namespace {

struct Counts {
  int vector_loads = 0, scalar_loads = 0, shuffles = 0, stores = 0, streams = 0, gathers = 0;
};
/// What the vector loops of a kernel hold, each term of a block counted once.
Counts in_vectors(const Kernel& k) {
  Counts c;
  visit(k.body, [&](const Stmt& s) {
    const auto* f = std::get_if<For>(&s.v);
    if (!f || f->kind != LoopKind::Vec) return;
    std::set<std::uint32_t> seen;
    map_terms(f->body, [&](const Term& t) {
      visit(t, [&](const Term& x) {
        if (!seen.insert(x->id).second) return;
        if (x->kind == TermKind::Load) ++(x->width > 1 ? c.vector_loads : c.scalar_loads);
        if (x->kind == TermKind::Shuffle) ++(x->args[0]->width > 1 ? c.shuffles : c.gathers);
      });
      return t;
    });
    visit(f->body, [&](const Stmt& x) {
      if (const auto* store = std::get_if<Store>(&x.v)) ++c.stores, c.streams += store->stream;
    });
  });
  return c;
}

std::vector<double> run(const Kernel& k, const Program& p, const std::vector<std::vector<double>>& data) {
  LoopRunner runner;
  for (const KernelArgument& a : k.arguments) runner.arrays[a.name].assign(elements(a.type), -999);
  for (std::size_t i = 0; i < data.size(); ++i) runner.arrays[param_name(p.arguments[i])] = data[i];
  runner.run(k);
  CHECK(runner.races.empty());
  return runner.arrays.at(k.results.at(0));
}

void check(const Program& p, const VectorDecisions& d, int bytes = 32) {
  const auto data = sample_data(p);
  LowerOptions options;
  options.vector_bytes = bytes;
  const Kernel k = lower(with_vectors(in_place(p), d), options);
  INFO(p.name << ", " << d.text() << "\n" << lift::str(k));
  CHECK(run(k, p, data) == interpreted(p, data));
}

VectorDecisions decisions(int width, bool late = false, bool stream = false, bool parallel = false,
                          int prefetch = 0) {
  return {width, late, stream, parallel, prefetch};
}

Program find(const std::string& name, int dim, std::int64_t m, Scalar t = f64) {
  for (const Program& p : transfer_programs(dim, m, t))
    if (p.name == name) return p;
  throw std::runtime_error("no program " + name);
}
Counts counts(const std::string& name, int dim, std::int64_t m, const VectorDecisions& d, Scalar t = f64) {
  return in_vectors(lower(with_vectors(in_place(find(name, dim, m, t)), d)));
}

/// A kernel of one vector loop over [0, n) with arrays x of nx and y of ny elements.
Kernel one_loop(const Nat& n, std::int64_t nx, std::int64_t ny, int width,
                const std::function<Block(const Nat&)>& body, const LowerOptions& options = {},
                int prefetch = 0, bool late = false) {
  Kernel k;
  k.name = "loop", k.results = {"y"};
  for (const auto& [name, length] : {std::pair<std::string, std::int64_t>{"x", nx}, {"y", ny}}) {
    const Type t = array(f64, length);
    k.arguments.push_back({name, t, Layout({}, t), true, true, {}});
  }
  for (const auto& [name, most] : {std::pair<std::string, std::int64_t>{"n", 16}, {"shift", 1000}})
    k.arguments.push_back({name, i32, {}, false, true, {1, most}});
  For f;
  f.lower = 0, f.upper = n, f.kind = LoopKind::Vec, f.width = width, f.prefetch = prefetch,
  f.late_store = late;
  f.var = Nat::fresh("i", 0, n - 1);
  f.body = body(f.var);
  k.body = {{Declare{local_term("sum", f64), constant_term(0, f64)}}, {std::move(f)}};
  return finish(std::move(k), options);
}
Stmt store(const Nat& at, const Term& value) { return {Store{"y", {at}, value, false}}; }
Term x_at(const Nat& at) { return load_term("x", {at}, f64); }
Term y_at(const Nat& at) { return load_term("y", {at}, f64); }
Term plus(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }

std::vector<double> run_xy(const Kernel& k, std::size_t nx, std::size_t ny) {
  LoopRunner r;
  for (std::size_t i = 0; i < nx; ++i) r.arrays["x"].push_back(static_cast<double>(i));
  for (std::size_t i = 0; i < ny; ++i) r.arrays["y"].push_back(1000.0 + static_cast<double>(i));
  r.run(k);
  return r.arrays["y"];
}

}  // namespace

TEST_CASE("grid transfer in vectors gives the interpreter's result and stays within its arrays") {
  for (const Scalar t : {f64, f32})
    for (const int dim : {1, 2, 3})
      for (const std::int64_t m : {4, 7, 13}) {
        if (dim == 3 && m == 13) continue;
        for (const Program& p : transfer_programs(dim, m, t)) {
          check(p, decisions(4));
          check(p, decisions(2, true, false, true));
          check(p, decisions(4, false, true, true, 8));
          check(p, decisions(8, true));
          check(p, decisions(8, false, true), 64);
        }
      }
}

TEST_CASE("prefetches in vector loops are of elements that exist") {
  const Nat shift = Nat::size("shift"), unknown = Nat::size("n");
  const auto asked = [](std::int64_t nx, int distance, const std::function<Block(const Nat&)>& body,
                        const Nat& n = 16, bool late = false) {
    LoopRunner r;
    r.index["shift"] = 1000, r.index["n"] = 16;
    r.arrays["x"].resize(static_cast<std::size_t>(nx)), r.arrays["y"].resize(16);
    r.run(one_loop(n, nx, 16, 4, body, {}, distance, late));
    return r.prefetched;
  };
  const auto neighbours = [](const Nat& i) -> Block { return {store(i, plus(x_at(i), x_at(i + 1)))}; };
  using Elements = std::map<std::string, std::vector<std::int64_t>>;
  CHECK(asked(40, 8, neighbours) == Elements{{"x", {9, 13, 17, 21}}});  // from the furthest load
  CHECK(asked(17, 8, neighbours) == Elements{{"x", {9, 13, 16, 16}}});
  CHECK(asked(17, 64, neighbours) == Elements{{"x", {16, 16, 16, 16}}});
  CHECK(asked(17, 8, neighbours, 16, true) ==
        Elements{{"x", {13, 16, 16}}});  // the first iteration lies before the loop
  CHECK(asked(17, 8, neighbours, unknown, true) == Elements{{"x", {13, 16, 16}}});
  const auto guarded =
      [&](const Nat& i) -> Block {  // what is loaded under a condition may not exist otherwise
    return {store(i, x_at(i)), {If{{compare_term(less_equal(shift, 4))}, {store(i, y_at(i + shift))}}}};
  };
  CHECK(asked(16, 8, guarded) == Elements{{"x", {8, 12, 15, 15}}});
}

TEST_CASE("neighbouring loads of stride 2 share their vectors") {
  const Counts average = counts("average", 3, 8, decisions(4));
  CHECK(average.vector_loads == 8);
  CHECK(average.shuffles == 9);  // each load's even or odd elements, and their order, once
  CHECK(average.scalar_loads == 0);
  const Counts single = counts("pick", 1, 16, decisions(4));  // nothing beyond the last element is read
  CHECK(single.vector_loads == 2);
  CHECK(single.shuffles == 1);
  CHECK(counts("average", 3, 8, decisions(4), f32).shuffles ==
        8);  // four floats are 16 bytes: one instruction orders them
}

TEST_CASE("interleaved stores are whole vectors") {
  const Counts constant = counts("constant", 3, 8, decisions(4));
  CHECK(constant.stores == 8);
  CHECK(constant.vector_loads == 1);
  CHECK(constant.shuffles == 2);
  const Counts linear = counts("linear", 1, 16, decisions(4));
  CHECK(linear.stores == 2);
  CHECK(linear.shuffles == 2);
  const Counts add =
      counts("add_constant", 1, 16, decisions(4));  // fine elements are added as they lie in memory
  CHECK(add.vector_loads == 3);
  CHECK(add.shuffles == 2);
}

TEST_CASE("vectors whose lanes change places are no wider than the machine's") {
  const Counts wide = counts("average", 1, 32, decisions(8));
  CHECK(wide.vector_loads == 4);
  CHECK(wide.stores == 2);
}

TEST_CASE("streaming stores: those that are aligned with the first") {
  CHECK(counts("constant", 2, 8, decisions(4, false, true)).streams == 4);
  CHECK(counts("constant", 2, 11, decisions(4, false, true)).streams ==
        2);  // rows of 22: every other one is aligned
  CHECK(counts("average", 2, 8, decisions(4, false, true)).streams == 1);
  // From an address that 32 divides, also where vectors of 16 bytes were asked for: compilers may join two.
  LowerOptions half;
  half.vector_bytes = 16;
  const Kernel k = one_loop(
      16, 16, 18, 2,
      [](const Nat& i) {
        return Block{{Store{"y", {i + 2}, x_at(i), true}}};
      },
      half);
  const auto* head = std::get_if<For>(&k.body.at(0).v);
  REQUIRE(head);
  CHECK(head->kind != LoopKind::Vec);
  CHECK(head->upper - head->lower == Nat(2));
}

TEST_CASE("other strides are gathered or reversed") {
  const auto at = [](std::int64_t s, const Nat& i) { return s < 0 ? Nat(-s * 18) + s * i : s * i; };
  for (const std::int64_t s : {-1, -2, 3, 4}) {
    const std::int64_t length = (s < 0 ? -s : s) * 18 + 1;
    const Kernel k =
        one_loop(19, length, 19, 4, [&](const Nat& i) { return Block{store(i, x_at(at(s, i)))}; });
    INFO(lift::str(k));
    const auto y = run_xy(k, static_cast<std::size_t>(length), 19);
    for (std::int64_t i = 0; i < 19; ++i)
      CHECK(y[static_cast<std::size_t>(i)] == static_cast<double>(s < 0 ? -s * (18 - i) : s * i));
    CHECK(in_vectors(k).gathers == (s == -1 ? 0 : 1));
  }
}

TEST_CASE("records are loaded as they lie in memory, and transposed") {
  // Elements of records of so many, from `first` on: each with a weight of its own.
  const auto summed = [](std::int64_t stride, std::int64_t first, std::int64_t all, int width) {
    return one_loop(37, 37 * stride + first, 37, width,
                    [=](const Nat& i) {
                      Term sum = constant_term(0, f64);
                      for (std::int64_t e = 0; e < all; ++e)
                        sum = plus(sum, apply_term(Op::Mul, f64,
                                                   {constant_term(static_cast<double>(1 + e * e), f64),
                                                    x_at(stride * i + first + e)}));
                      return Block{store(i, sum)};
                    },
                    {.vector_bytes = 8 * width});
  };
  for (const std::int64_t stride : {8, 16})
    for (const std::int64_t first : {0, 3})
      for (const int width : {2, 4, 8, 16}) {
        CAPTURE(stride);
        CAPTURE(first);
        CAPTURE(width);
        const Kernel k = summed(stride, first, stride, width);
        const auto y = run_xy(k, static_cast<std::size_t>(37 * stride + first), 37);
        for (std::int64_t i = 0; i < 37; ++i) {
          double sum = 0;
          for (std::int64_t e = 0; e < stride; ++e)
            sum += static_cast<double>(1 + e * e) * static_cast<double>(stride * i + first + e);
          CHECK(y[static_cast<std::size_t>(i)] == sum);
        }
        const Counts c = in_vectors(k);
        const int stages = std::countr_zero(static_cast<unsigned>(std::min<std::int64_t>(stride, width)));
        CHECK(c.vector_loads == static_cast<int>(stride));
        CHECK(c.shuffles == static_cast<int>(stride) * stages);
        CHECK(c.scalar_loads == 0);
        CHECK(c.gathers == 0);
      }
  // What an iteration leaves out may not exist; more vectors than sixteen would leave the registers.
  CHECK_THROWS_AS((void)summed(8, 0, 7, 4), UserError);
  CHECK_THROWS_AS((void)summed(32, 0, 32, 4), UserError);
}

TEST_CASE("both halves of interleaved stores may read what either changes") {
  const Kernel k = one_loop(13, 1, 26, 4, [&](const Nat& i) {
    return Block{store(2 * i, plus(y_at(2 * i), y_at(2 * i + 1))),
                 store(2 * i + 1, plus(y_at(2 * i + 1), constant_term(0.5, f64)))};
  });
  INFO(lift::str(k));
  const auto y = run_xy(k, 1, 26);
  for (std::size_t i = 0; i < 13; ++i) {
    CHECK(y[2 * i] == 2001.0 + 4.0 * static_cast<double>(i));
    CHECK(y[2 * i + 1] == 1001.5 + 2.0 * static_cast<double>(i));
  }
}

TEST_CASE("masked interleaved stores keep the old elements") {
  const Kernel k = one_loop(13, 13, 26, 4, [&](const Nat& i) {
    const Term even = compare_term(equal(mod(i, 2), 0));
    return Block{{If{{even}, {store(2 * i, x_at(i))}}}, store(2 * i + 1, x_at(i))};
  });
  const auto y = run_xy(k, 13, 26);
  for (std::size_t i = 0; i < 13; ++i) {
    CHECK(y[2 * i] == (i % 2 == 0 ? static_cast<double>(i) : 1000.0 + 2.0 * static_cast<double>(i)));
    CHECK(y[2 * i + 1] == static_cast<double>(i));
  }
}

TEST_CASE("variables of a vector loop's body are vectors") {
  const Kernel k = one_loop(11, 44, 11, 4, [&](const Nat& i) {
    const Term sum = local_term("sum", f64);
    For f;
    f.lower = 0, f.upper = 4, f.var = Nat::fresh("r", 0, 3);
    f.body = {{Assign{sum, plus(sum, x_at(4 * i + f.var))}}};
    return Block{{Declare{sum, constant_term(0, f64)}}, {std::move(f)}, store(i, sum)};
  });
  const auto y = run_xy(k, 44, 11);
  for (std::size_t i = 0; i < 11; ++i) CHECK(y[i] == 16.0 * static_cast<double>(i) + 6);
}

TEST_CASE("copies of an unrolled body have values of their own, and decide what their index decides") {
  const Kernel k = one_loop(9, 9, 18, 2, [&](const Nat& i) {
    For f;
    f.kind = LoopKind::Unroll, f.width = 2, f.lower = 0, f.upper = 2, f.var = Nat::fresh("p", 0, 1);
    const Term v = local_term("v1", f64), first = compare_term(equal(f.var, 0));
    const Term weight = apply_term(Op::Select, f64, {first, constant_term(2, f64), constant_term(3, f64)});
    f.body = {{Let{v, apply_term(Op::Mul, f64, {weight, x_at(i)})}}, store(2 * i + f.var, plus(v, v))};
    return Block{{std::move(f)}};
  });
  INFO(lift::str(k));
  CHECK(lift::str(k).find("select") == std::string::npos);
  const auto y = run_xy(k, 9, 18);
  for (std::size_t i = 0; i < 9; ++i)
    CHECK((y[2 * i] == 4.0 * static_cast<double>(i) && y[2 * i + 1] == 6.0 * static_cast<double>(i)));
}

TEST_CASE("a masked vector ends with an element that there is") {
  const auto refused = [](std::int64_t elements) {
    try {
      one_loop(16, 200, elements, 4, [](const Nat& i) {
        return Block{{If{{compare_term(equal(mod(i, 2), 0))}, {store(i, x_at(i))}}}};
      });
    } catch (const UserError& e) {
      return std::string(e.what()).find("only a guard keeps") != std::string::npos;
    }
    return false;
  };
  CHECK(refused(15));  // one past the end
  CHECK_FALSE(refused(16));
}

TEST_CASE("what cannot be vectors is refused, and says why") {
  const auto refused = [](const std::function<Block(const Nat&)>& body) -> std::string {
    try {
      one_loop(16, 200, 200, 4, body);
    } catch (const UserError& e) {
      return e.what();
    }
    return "accepted";
  };
  CHECK(refused([](const Nat& i) {
          return Block{store(2 * i, x_at(i))};
        }).find("only every second element of y is stored") != std::string::npos);
  CHECK(refused([](const Nat& i) {
          return Block{store(3 * i, x_at(i))};
        }).find("y is stored with stride 3") != std::string::npos);
  CHECK(refused([](const Nat& i) {
          return Block{store(i, x_at(9 * i))};
        }).find("x is accessed with stride 9") != std::string::npos);
  CHECK(refused([](const Nat& i) { return Block{store(i, x_at(mod(i, 5)))}; }).find("not linear in i") !=
        std::string::npos);
  CHECK(refused([](const Nat&) { return Block{store(3, x_at(3))}; }).find("one element") !=
        std::string::npos);
  const Term sum = local_term("sum", f64);
  CHECK(refused([&](const Nat& i) {
          return Block{{Assign{sum, plus(sum, x_at(i))}}};
        }).find("accumulate into sum") != std::string::npos);
}

}  // namespace vector_test
