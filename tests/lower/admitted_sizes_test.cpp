// Loops over sizes of which the kernel asks something: their accesses are looked at with sizes that it
// admits, or, where none is found, not at all.
#include <doctest/doctest.h>

#include "ir/error.hpp"
#include "lower/loops/verify.hpp"

namespace lift::admitted_sizes_test {
namespace {

const Nat n = Nat::size("admitted_sizes_n");

/// What is said of the first n elements of an array of a hundred that are stored.
std::string complaint(const std::vector<NatCond>& needs) {
  const Type t = array({100}, f64);
  Kernel k;
  k.name = "k", k.results = {"out"}, k.sizes = {"admitted_sizes_n"}, k.needs = needs;
  k.arguments = {{"out", t, Layout({}, t), true, false, {}}};
  For f;
  f.var = Nat::fresh("i", 0, n - 1), f.upper = n;
  f.body = {{Store{"out", {f.var}, constant_term(1, f64)}}};
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

}  // namespace lift::admitted_sizes_test
