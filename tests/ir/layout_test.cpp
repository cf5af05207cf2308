// Layouts are invertible: different elements lie at different places, all within the size.
#include <doctest/doctest.h>

#include <set>

#include "ir/error.hpp"
#include "ir/expr/layout.hpp"

using namespace lift;

namespace layout_test {
namespace {

void check(const std::string& request, const std::vector<Nat>& shape) {
  const Layout layout(parse_layout(request), array(shape, f64));
  const std::int64_t size = *layout.size().constant();
  std::set<std::int64_t> seen;
  std::size_t elements = 1;
  for (const Nat& n : shape) elements *= static_cast<std::size_t>(*n.constant());
  for (std::size_t e = 0; e < elements; ++e) {
    std::vector<Nat> p(shape.size());
    std::size_t rest = e;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto n = static_cast<std::size_t>(*shape[d].constant());
      p[d] = static_cast<std::int64_t>(rest % n), rest /= n;
    }
    const std::int64_t at = *layout.index(p).constant();
    INFO(request << ", element " << e << " at " << at << " of " << size);
    CHECK(at >= 0);
    CHECK(at < size);
    CHECK(seen.insert(at).second);
  }
}

}  // namespace

TEST_CASE("every layout is injective into its size") {
  for (const char* request : {"caller", "rows 4 1", "rows 8 2", "rows 1 0", "split 1 1", "split 1 4"})
    for (const std::vector<Nat>& shape : {std::vector<Nat>{7}, {6}, {3, 5}, {2, 6}, {2, 3, 4, 5}})
      check(request, shape);
  for (const char* request : {"split 3 1", "split 3 4", "split 2 8"})
    for (const std::vector<Nat>& shape :
         {std::vector<Nat>{2, 5, 5, 5}, {2, 6, 6, 6}, {3, 4, 5}, {1, 3, 2, 7}})
      check(request, shape);
}

TEST_CASE("cells of one colour are neighbours in a split row") {
  const Layout layout(parse_layout("split 3 4"), array({4, 6, 8}, f64));
  for (std::int64_t i = 0; i + 2 < 8; ++i)
    CHECK(*layout.index({1, 2, i + 2}).constant() == *layout.index({1, 2, i}).constant() + 1);
}

TEST_CASE("rows: the leading element of each row is aligned") {
  const Layout layout(parse_layout("rows 4 1"), array({3, 7}, f64));
  for (std::int64_t j = 0; j < 3; ++j) CHECK(*layout.index({j, 1}).constant() % 4 == 0);
}

TEST_CASE("text round trip and errors") {
  for (const char* text : {"caller", "rows 8 1", "split 3 4"}) CHECK(str(parse_layout(text)) == text);
  CHECK_THROWS_WITH_AS(parse_layout("columns"),
                       "layout 'columns' is not known; use 'caller', 'rows ALIGN LEAD' or 'split AXES ALIGN'",
                       UserError);
  CHECK_THROWS_AS(Layout(parse_layout("split 3 1"), array({4}, f64)), UserError);
}

}  // namespace layout_test
