// Any text is parsed or refused with a UserError; what was parsed and printed is parsed to the same program.
//
// Linked with libFuzzer this is a fuzzer (tests/fuzz/run.sh); tests/fuzz/replay_test.cpp calls it on files
// and mutations of them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "tests/fuzz/parse_fuzz.hpp"

using namespace lift;

namespace {

/// Ends the fuzzer, which then keeps the text.
void demand(bool holds, const std::string& text, const std::string& printed = "") {
  if (holds) return;
  std::fprintf(stderr, "a text that breaks the parser:\n%s\nprinted:\n%s\n", text.c_str(), printed.c_str());
  std::abort();
}

bool round_trip_of_program(const std::string& text) {
  Program p;
  try {
    p = parse_program(text);
  } catch (const UserError& error) {
    demand(error.what()[0] != '\0', text);
    return false;
  }
  const std::string printed = print_program(p);
  Program q;
  try {
    q = parse_program(printed);
  } catch (const UserError& error) {
    demand(false, text, printed + "\n" + error.what());
  }
  demand(q.body == p.body && q.arguments == p.arguments && q.overwritable == p.overwritable &&
             q.results == p.results && q.name == p.name,
         text, printed);
  demand(print_program(q) == printed, text, printed);
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
  Expr e;
  try {
    e = parse_expression(text, names);
  } catch (const UserError& error) {
    demand(error.what()[0] != '\0', text);
    return false;
  }
  for (const std::string& printed : {str(e), pretty(e)}) {
    try {
      demand(parse_expression(printed, names_of(e)) == e, text, printed);
    } catch (const UserError& error) {
      demand(false, text, printed + "\n" + error.what());
    }
  }
  return true;
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
