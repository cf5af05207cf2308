// Programs as text, lowered: their loops against the interpreter, whatever the layouts, or why they are
// refused.
#pragma once

#include "ir/error.hpp"
#include "ir/text/parse.hpp"
#include "tests/lower/run_kernel.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::test {

/// What an array holds, in row-major order.
inline std::vector<double> elements_of(const KernelArgument& a, const std::vector<double>& memory) {
  std::vector<double> r;
  for (const auto& p : positions_of(a.type))
    r.push_back(memory.at(static_cast<std::size_t>(*a.layout.index(p).constant())));
  return r;
}

/// All results are those of the interpreter, without races, and arguments that no result is written into stay
/// as they are. Returns the kernel.
inline Kernel run_text(const std::string& text, const std::map<std::string, std::int64_t>& index = {}) {
  const Program p = parse_program(text);
  const Kernel k = lower(p, {.vector_bytes = 32});
  INFO(text << "\n" << lift::str(k));
  Interpreter in;
  LoopRunner loops;
  loops.index = index;
  for (const auto& [name, value] : index) in.params[name] = Value{value};
  for (const KernelArgument& a : k.arguments)
    if (a.type.is_array())
      loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), std::nan(""));
  std::map<std::string, std::vector<double>> given;
  for (const Expr& e : p.arguments) {
    if (is_index_param(e)) continue;
    const std::string& name = param_name(e);
    given[name] = numbers(e.type(), given.size() + 1);
    in.params[name] = make_array(given[name], e.type());
    for (const KernelArgument& a : k.arguments)
      if (a.name == name)
        for (std::size_t i = 0; const auto& at : positions_of(a.type))
          loops.arrays[name].at(static_cast<std::size_t>(*a.layout.index(at).constant())) = given[name][i++];
  }
  const auto expected = flatten_components(in.eval(p.body), p.body.type());
  loops.run(k);
  CHECK(loops.races == std::vector<std::string>{});
  REQUIRE(k.results.size() == expected.size());
  for (const KernelArgument& a : k.arguments) {
    if (!a.type.is_array()) continue;
    const auto result = std::find(k.results.begin(), k.results.end(), a.name);
    CAPTURE(a.name);
    if (result != k.results.end())
      CHECK(elements_of(a, loops.arrays[a.name]) ==
            expected[static_cast<std::size_t>(result - k.results.begin())]);
    else if (std::find(p.overwritable.begin(), p.overwritable.end(), a.name) == p.overwritable.end() &&
             given.count(a.name) > 0)
      CHECK(elements_of(a, loops.arrays[a.name]) == given[a.name]);
  }
  return k;
}

/// Why a program is refused; empty: it is not.
inline std::string refusal_of(const std::string& text) {
  const Program p = parse_program(text);
  try {
    lower(p);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

inline int arrays_made(const Kernel& k) {
  int n = count<Allocate>(k.body);
  for (const KernelArgument& a : k.arguments) n += a.work;
  return n;
}

}  // namespace lift::test
