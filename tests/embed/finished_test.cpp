// Kernels that are kept between processes: what is found is what was kept, and what is no entry is none.
#include <doctest/doctest.h>

#include "embed/compiler.hpp"
#include "embed/finished.hpp"
#include "embed/known_variant.hpp"
#include "emit/emit.hpp"
#include "ir/expr/build.hpp"
#include "runtime/file.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;

namespace embed_finished_test {
namespace {

constexpr int kCells = 24;

/// u's mean with its neighbours in cells of one colour, in place, then a sum: an array in between, an index.
Program program(double weight = 0.5) {
  const Expr u = param("u", array({kCells, kCells}, f64)), color = index_param("color", 0, 1);
  const Expr block = zip_n(2, {positions({kCells, kCells}), u | pad_n(2, 1, 1, wrap) | slide2(3, 1)}) |
                     map2([=](Expr at, Expr w) {
                       const Expr mean = literal(weight, f64) * (w[1][1] + w[0][1]);
                       return select(eq((get(0, at) + color) % 2, 0), mean, w[1][1]);
                     });
  return {
      .name = "finished", .arguments = {u, color}, .body = update(u, {0, 0}, block), .overwritable = {"u"}};
}

Callable callable(const Program& p, CompileOptions options = {.keep_finished = true}) {
  const Signature s{{{f64, 2, true, "array"}, {i32, 0, false, "int"}}, {}};
  return {p, s, std::move(options), std::source_location::current()};
}

std::vector<double> computed(const Callable& c) {
  std::vector<double> u(std::size_t{kCells} * kCells);
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = static_cast<double>(i % 7);
  std::int32_t color = 1;
  ArgumentValue a, b;
  a.data = u.data(), a.rank = 2, a.shape = {kCells, kCells}, a.strides = {kCells, 1};
  b.data = &color;
  c.run(c.variant(Sizes{}, std::source_location::current()), std::vector{a, b}, {},
        std::source_location::current());
  return u;
}

const Callable::Variant& variant(const Callable& c) {
  return c.variant(Sizes{}, std::source_location::current());
}

}  // namespace

TEST_CASE("a finished kernel is found as it was kept: text, derivation, results") {
  const Program p = program();
  const std::string key = finished_key(p, {});
  shared_vault().remove(key, ".finished");
  Callable::Variant found;
  CHECK_FALSE(find_finished(key, found));
  const Callable first = callable(p);
  REQUIRE(find_finished(key, found));
  CHECK(found.kernel.body.empty());
  CHECK(found.source == Callable::source(variant(first)));
  CHECK(found.derivation == Callable::derivation(variant(first)));
  const auto &a = found.kernel.arguments, &b = variant(first).kernel.arguments;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    CHECK(a[i].type == b[i].type);
    CHECK(a[i].range == b[i].range);
    CHECK(std::tuple(a[i].written, a[i].read, a[i].work) == std::tuple(b[i].written, b[i].read, b[i].work));
  }
  CHECK(callable_source(found.kernel, found.source) ==
        callable_source(variant(first).kernel, Callable::source(variant(first))));
  const Callable second = callable(p);
  CHECK(variant(second).finished);  // neither derived nor lowered
  CHECK_FALSE(variant(first).finished);
  CHECK(computed(second) == computed(first));
  CHECK(computed(second) == computed(callable(p, {})));
  std::int32_t color = 2;  // its range is known, too
  ArgumentValue u, c;
  std::vector<double> cells(std::size_t{kCells} * kCells);
  u.data = cells.data(), u.rank = 2, u.shape = {kCells, kCells}, u.strides = {kCells, 1};
  c.data = &color;
  CHECK_THROWS_AS(second.run(variant(second), std::vector{u, c}, {}, std::source_location::current()),
                  UserError);
}

TEST_CASE("what is no entry, or one of another version, is made again, and replaced") {
  const Program p = program(0.25);
  const std::string key = finished_key(p, {});
  const std::vector<double> expected = computed(callable(p));
  const std::string entry = shared_vault().find(key, ".finished").value();
  std::vector<std::string> bad{"", "finished kernel 0\n" + entry.substr(entry.find('\n') + 1), "\n\n\n"};
  for (std::size_t n = 0; n < entry.size(); n += 1 + entry.size() / 60) bad.push_back(entry.substr(0, n));
  std::size_t made = 0;
  for (const std::string& text : bad) {
    shared_vault().keep(key, ".finished", text);
    Callable::Variant v;
    CHECK_FALSE(find_finished(key, v));
    if (++made % 20 != 1) continue;
    CHECK(computed(callable(p)) == expected);
    CHECK(shared_vault().find(key, ".finished") == entry);
  }
  // Damaged on the disk.
  write_file_atomically(shared_vault().path_of(key, ".finished"), entry);
  Callable::Variant v;
  CHECK_FALSE(find_finished(key, v));
  CHECK(computed(callable(p)) == expected);
}

TEST_CASE("a line of an entry that says nothing makes it none") {
  const Program p = program(0.125);
  const std::string key = finished_key(p, {});
  (void)callable(p);
  const std::string entry = shared_vault().find(key, ".finished").value();
  // The head, the name, whether it allocates, how many arguments, and these.
  const auto with = [&](std::size_t line, const std::string& text) {
    std::size_t at = 0;
    for (; line > 0; --line) at = entry.find('\n', at) + 1;
    return entry.substr(0, at) + text + entry.substr(entry.find('\n', at));
  };
  const auto found = [&](const std::string& text) {
    shared_vault().keep(key, ".finished", text);
    Callable::Variant v;
    return find_finished(key, v);
  };
  CHECK(found(with(4, "u f64 1 1 0 24x24 -")));
  CHECK(found(with(4, "u f32 1 1 0 12x12x4 0:3")));
  for (const char* argument : {"", "u f64 1 1 0 24x24", "u f64 1 1 0 24x24 - more", "u f65 1 1 0 24x24 -",
                               "u f64 1 1 0 24xmany -", "u f64 1 1 0 24x24 0:z"})
    CHECK_FALSE(found(with(4, argument)));
  for (const char* number : {"", "two", "-1", "7"}) CHECK_FALSE(found(with(3, number)));
  CHECK(found(entry));
}

TEST_CASE("what cannot be written as lines is not kept") {
  const std::string key = finished_key(program(0.375), {});
  const auto kept = [&](const std::function<void(Callable::Variant&)>& change) {
    shared_vault().remove(key, ".finished");
    Callable::Variant v, found;
    v.kernel.name = "mine", v.origin = "found somewhere", v.source = "text\nof it\n";
    change(v);
    keep_finished(key, v);
    return find_finished(key, found) && found.source == v.source && found.origin == v.origin;
  };
  CHECK(kept([](Callable::Variant&) {}));
  CHECK_FALSE(kept([](Callable::Variant& v) { v.origin = "two\nlines"; }));
  CHECK_FALSE(kept([](Callable::Variant& v) { v.kernel.sizes = {"n"}; }));
  shared_vault().remove(key, ".finished");
}

TEST_CASE("kernels that allocate, of several results, are found as they were kept") {
  // The second stage of a row reads neighbours in the first one's: each thread has a row of them.
  const auto rows = [](const Expr& cells) {
    return cells | map([](const Expr& row) {
             return let(row | map([](Expr v) { return v * 2.0; }), [](const Expr& twice) {
               return twice | slide(3, 1) | map([](Expr w) { return w[0] + w[2]; }) | sum();
             });
           });
  };
  const Expr x = param("x", array({5, 500}, f64));
  const Program p{"rows", {x}, tuple({rows(x), x | map([](const Expr& row) { return row | sum(); })}), {}};
  CompileOptions options{.keep_finished = true};
  options.derivation = parse_derivation("map-par at 0");
  const Signature s{{{f64, 2, false, "array"}}, {{f64, 1, false, "array"}, {f64, 1, false, "array"}}};
  const auto made = [&] { return Callable(p, s, options, std::source_location::current()); };
  shared_vault().remove(finished_key(p, options), ".finished");
  std::vector<double> cells(2500, 1), neighbours(5), sums(5);
  ArgumentValue a;
  a.data = cells.data(), a.rank = 2, a.shape = {5, 500}, a.strides = {500, 1};
  void* const to[] = {neighbours.data(), sums.data()};
  for (const bool finished : {false, true}) {
    const Callable c = made();
    CHECK(variant(c).finished == finished);
    CHECK(needs_scratch(Callable::kernel(variant(c))));
    c.run(variant(c), std::vector{a}, to, std::source_location::current());
    CHECK(neighbours == std::vector<double>(5, 4 * 498));
    CHECK(sums == std::vector<double>(5, 500));
    std::fill(neighbours.begin(), neighbours.end(), 0);
  }
}

TEST_CASE("a kernel for a device is not the one that was kept for processors") {
  const Program p = program(0.0625);
  const Callable here = callable(p);
  REQUIRE(shared_vault().find(finished_key(p, {}), ".finished"));
  const Callable there = callable(p, {.device = Device::emulated_cuda(), .keep_finished = true});
  CHECK_FALSE(variant(there).finished);
  CHECK(Callable::source(variant(there)).find("__global__") != std::string::npos);
  CHECK(computed(there) == computed(here));
  Callable::Variant kept;
  REQUIRE(find_finished(finished_key(p, {}), kept));
  CHECK(kept.source == Callable::source(variant(here)));
}

TEST_CASE("a kernel whose threads cannot have the memory that they need says so, and touches nothing") {
  const Expr x = param("x", array({2}, f64));
  const auto sum_of = [](const Expr& v) {  // of more bytes than addresses have
    const Expr cells = positions({std::int64_t{1} << 24, std::int64_t{1} << 30}) |
                       map2([=](Expr at) { return cast(f64, get(0, at)) * v; });
    return let(cells, [](const Expr& a) {
      return a | slide2(2, 1) | map2([](Expr w) { return w[0][0] + w[1][1]; }) |
             map([](const Expr& row) { return row | sum(); }) | sum();
    });
  };
  CompileOptions options;
  options.derivation = parse_derivation("map-par at body");
  const Callable c({"huge", {x}, x | map(sum_of), {}},
                   {{{f64, 1, false, "array"}, {f64, 1, true, "array"}}, {}}, options,
                   std::source_location::current());
  std::vector<double> in{1, 2}, out{-1, -2};
  ArgumentValue a, b;
  a.data = in.data(), a.rank = 1, a.shape = {2}, a.strides = {1};
  b = a, b.data = out.data();
  CHECK(test::message([&] {
          c.run(variant(c), std::vector{a, b}, {}, std::source_location::current());
        }).find("huge: there is not enough memory for what it keeps in between") == 0);
  CHECK(out == std::vector<double>{-1, -2});
}

TEST_CASE("a finished kernel is found by all that it is made by") {
  const test::Scratch scratch;
  const Program p = program();
  const std::string key = finished_key(p, {});
  CHECK(finished_key(program(), {}) == key);
  CHECK(finished_key(program(0.75), {}) != key);
  Program other = p;
  other.name = "otherwise";
  CHECK(finished_key(other, {}) != key);
  other = p, other.overwritable.clear();
  CHECK(finished_key(other, {}) != key);
  const Derivation in_place{Step{"update-in-place", {}, {}}};
  CHECK(finished_key(p, {.derivation = in_place}) != key);
  // With tuned, the database: another answer may be known when it has changed.
  const std::string database = (scratch.path() / "found.db").string();
  CompileOptions tuned;
  tuned.tuned = true, tuned.database = database;
  const std::string without = finished_key(p, tuned);
  write_file_atomically(database, "one");
  const std::string one = finished_key(p, tuned);
  write_file_atomically(database, "three");
  CHECK(std::set{key, without, one, finished_key(p, tuned)}.size() == 4);
}

}  // namespace embed_finished_test
