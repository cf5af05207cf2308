// Loops over sizes of which the kernel asks something: their accesses are looked at with sizes that it
// admits, or, where none is found, not at all.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/verify.hpp"

namespace lift::admitted_sizes_test {
namespace {

const Nat n = Nat::size("admitted_sizes_n");

/// What is said where the first elements of an array are stored, as many as a size says, or of each few of
/// them the last; or so many before.
std::string complaint(const std::vector<NatCond>& needs, const Nat& size = n, const Nat& elements = 100,
                      int few = 1, int before = 0) {
  const Type t = array({elements}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"}, k.sizes = {variables(size).at(0)->name}, k.needs = needs;
  k.arguments = {{"out", t, Layout({}, t), true, false, {}}};
  For f;
  f.var = Nat::fresh("i", 0, size - 1), f.upper = size, f.step = few;
  f.body = {{Store{"out", {f.var + few - 1 - before}, constant_term(1, f64)}}};
  k.body = {{f}};
  try {
    verify(k, Form::Positions, "a pass");
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("admitted sizes: accesses are looked at where sizes are found that a kernel admits") {
  struct Case {
    std::string name;
    std::vector<NatCond> needs;
    std::string complaint;  ///< a part of it
  };
  const std::vector<Case> cases{
      {"any", {}, "out[... i ...] is 1023, beyond 0 to 99"},
      {"many", {less_equal(200, n)}, "out[... i ...] is 1023, beyond 0 to 99"},
      {"few", {less_equal(n, 100)}, ""},
      {"one number", {equal(n, 64)}, ""},
      {"a hundred", {equal(n, 100)}, ""},  // all right, though it is not tried
      {"none", {equal(n, 3), equal(n, 4)}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string found = complaint(c.needs);
    CHECK(found.empty() == c.complaint.empty());
    CHECK_MESSAGE(found.find(c.complaint) != std::string::npos, found);
  }
}

TEST_CASE("admitted sizes: elements before the first one are none of the array") {
  const std::string found = complaint({less_equal(n, 100)}, n, 100, 1, 1);
  CHECK_MESSAGE(found.find("is -1, beyond 0 to 99") != std::string::npos, found);
}

TEST_CASE("admitted sizes: those of a remainder are from their least on") {
  for (const std::int64_t least : {9, 10, 12}) {  // of 12 elements
    const Nat m = Nat::size("admitted_sizes_m", least, 4);
    CHECK(complaint({less_equal(m, 14)}, m, m, 4) == "");
  }
}

}  // namespace lift::admitted_sizes_test
