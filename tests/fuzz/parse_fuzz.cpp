// Any text is parsed or refused with a UserError; what was parsed and printed is parsed to the same program.
//
// Linked with libFuzzer this is a fuzzer (tests/fuzz/run.sh); tests/fuzz/replay_test.cpp calls it on files and mutations of them.
#include <cstdint>
#include <cstdlib>

#include "ir/error.hpp"
#include "ir/parse.hpp"
#include "tests/fuzz/parse_fuzz.hpp"

using namespace lift;

namespace {

/// Ends the fuzzer, which then keeps the text.
void demand(bool holds) {
  if (!holds) std::abort();
}

bool round_trip_of_program(const std::string& text) {
  Program p;
  try {
    p = parse_program(text);
  } catch (const UserError& error) {
    demand(error.what()[0] != '\0');
    return false;
  }
  const std::string printed = print_program(p);
  const Program q = parse_program(printed);
  demand(q.body == p.body && q.arguments == p.arguments && q.overwritable == p.overwritable && q.results == p.results && q.name == p.name);
  demand(print_program(q) == printed);
  return true;
}

bool round_trip_of_expression(const std::string& text) {
  static const Names names = [] {
    Names n;
    const Nat size = Nat::size("n");
    n.sizes.emplace("n", size);
    n.params.emplace("xs", param("xs", array({size}, f64)));
    n.params.emplace("m", param("m", array({size, Nat(6)}, f32)));
    n.params.emplace("a", param("a", f64));
    return n;
  }();
  try {
    const Expr e = parse_expression(text, names);
    demand(parse_expression(str(e), names_of(e)) == e);
    demand(parse_expression(pretty(e), names_of(e)) == e);
    return true;
  } catch (const UserError& error) {
    demand(error.what()[0] != '\0');
    return false;
  }
}

}  // namespace

bool lift::test::parse_and_print(const std::string& text) {
  const bool program = round_trip_of_program(text);
  return round_trip_of_expression(text) || program;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lift::test::parse_and_print(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
