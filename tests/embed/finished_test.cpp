// Kernels that are kept between processes: what is found is what was kept, and what is no entry is none.
#include <doctest/doctest.h>

#include "embed/compiler.hpp"
#include "embed/finished.hpp"
#include "embed/known_variant.hpp"
#include "ir/expr/build.hpp"
#include "runtime/file.hpp"
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
