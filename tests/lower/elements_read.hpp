// Which elements are read: those for which some number computed is none as soon as they are none.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "lower/lower.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::test::elements_read {

using ElementsRead = std::map<std::string, std::set<std::size_t>>;
using Arrays = std::map<std::string, std::vector<double>>;

/// By what computes numbers from a program's arguments.
inline ElementsRead read(const Program& p,
                         const std::function<std::vector<double>(const Arrays&)>& computed) {
  Arrays given;
  for (const Expr& a : p.arguments) given[param_name(a)].assign(numbers(a.type(), 1).size(), 1);
  ElementsRead r;
  for (const auto& [name, values] : given)
    for (std::size_t e = 0; e < values.size(); ++e) {
      Arrays changed = given;
      changed[name][e] = std::nan("");
      const std::vector<double> all = computed(changed);
      if (std::any_of(all.begin(), all.end(), [](double v) { return std::isnan(v); })) r[name].insert(e);
    }
  return r;
}
inline ElementsRead read_by_program(const Program& p) {
  return read(p, [&](const Arrays& given) {
    Interpreter in;
    for (const Expr& a : p.arguments)
      in.params[param_name(a)] = make_array(given.at(param_name(a)), a.type());
    std::vector<double> all;
    for (const auto& one : flatten_components(in.eval(p.body), p.body.type()))
      all.insert(all.end(), one.begin(), one.end());
    return all;
  });
}

/// The loops of a kernel have run; arrays that are not given held `before` everywhere.
inline LoopRunner ran(const Kernel& k, double before, const Arrays& given = {}) {
  LoopRunner loops;
  for (const KernelArgument& a : k.arguments)
    loops.arrays[a.name].assign(static_cast<std::size_t>(*a.layout.size().constant()), before);
  for (const auto& [name, values] : given) loops.arrays[name] = values;
  loops.run(k);
  return loops;
}
/// Of a kernel's results, all of which it writes.
inline ElementsRead read_by_results(const Program& p, const Kernel& k) {
  const double before = 77;
  return read(p, [&](const Arrays& given) {
    LoopRunner loops = ran(k, before, given);
    std::vector<double> all;
    for (const std::string& result : k.results)
      all.insert(all.end(), loops.arrays[result].begin(), loops.arrays[result].end());
    CHECK(std::count(all.begin(), all.end(), before) == 0);
    return all;
  });
}
/// How often the first traffic twin loads from each array.
inline std::map<std::string, std::size_t> loads_of_twin(const Program& p) {
  return ran(lower_traffic_twins(p).front(), 1).loads;
}

}  // namespace lift::test::elements_read
