// Derived programs as kernels: each computes what the interpreter says, for A on faces of all kinds; those in
// place are so.
#include <doctest/doctest.h>

#include "embed/default_variant.hpp"
#include "gmg/kernel.hpp"
#include "gmg/transfer.hpp"
#include "rewrite/analysis/footprint.hpp"
#include "tests/gmg/random_equation.hpp"

using namespace lift;
using namespace lift::testing;

namespace gmg_kernels_test {
namespace {

Field by_kernel(const Program& p, const gmg::Grid& g, Fields arrays, std::map<std::string, double> numbers,
                const std::map<std::string, std::int32_t>& indices = {}) {
  const gmg::Kernel kernel(p);
  for (const auto& [name, x] : g.numbers()) numbers.emplace(name, x);
  gmg::Arguments arguments;
  for (auto& [name, a] : arrays) arguments.arrays[name] = a.data();
  for (const auto& [name, x] : numbers) arguments.numbers[name] = &x;
  for (const auto& [name, x] : indices) arguments.indices[name] = &x;
  Field result(static_cast<std::size_t>(count([&] {
    Position shape;
    for (const Nat& n : shape_of(results_of(p)[0].type)) shape.push_back(n.constant().value());
    return shape;
  }())));
  kernel.bind(arguments, result.data())();
  return p.overwritable.empty() ? result : arrays.at(p.overwritable[0]);
}

void check_all(unsigned seed, const std::vector<std::int64_t>& cells, const gmg::Ratios& ratios,
               bool corners) {
  std::mt19937 random(seed);
  const gmg::Domain domain = random_domain(random, cells);
  const RandomEquation e = random_equation(random, domain, 1, corners);
  const gmg::Grid g(e.equation, domain);
  const gmg::Transfer t(g, ratios);
  Fields fields = e.coefficients;
  for (const char* name : {"u", "f", "lambda", "previous", "fine"})
    fields[name] = random_field(random, domain.count());
  fields["coarse"] = random_field(random, t.coarse().domain().count());
  const auto agree = [&](const Program& p, const gmg::Grid& on,
                         const std::map<std::string, double>& numbers = {},
                         const std::map<std::string, std::int32_t>& indices = {}) {
    CAPTURE(p.name);
    std::map<std::string, double> all = numbers;
    for (const auto& [name, x] : indices) all[name] = x;
    if (!p.overwritable.empty()) {
      CAPTURE(why_not_in_place(p));
      const std::vector<KernelArgument> all = default_variant(p).kernel.arguments;
      CHECK(std::any_of(all.begin(), all.end(),
                        [&](const KernelArgument& x) { return x.name == p.overwritable[0] && x.written; }));
    }
    CHECK(largest_difference(by_kernel(p, on, fields, numbers, indices), interpreted(p, on, fields, all)) <
          1e-12);
  };
  agree(gmg::apply_program(g), g);
  agree(gmg::residual_program(g), g);
  agree(gmg::lambda_program(g), g, {{"weight", 1.2}});
  agree(gmg::polynomial_program(g), g, {{"first", 0.3}, {"second", 0.7}});
  agree(gmg::residual_norm_program(g, gmg::Norm::rms), g);
  agree(gmg::residual_norm_program(g, gmg::Norm::max), g);
  agree(gmg::residual_restriction_program(t), g);
  agree(gmg::restriction_program(t), g);
  for (const gmg::Coefficient& c : e.equation.coefficients()) agree(gmg::restriction_program(t, c), g);
  agree(gmg::correction_program(t), t.coarse());
  if (const auto colours = gmg::colours_of(e.equation, domain))
    for (std::size_t c = 0; c < colours->count(); ++c) {
      std::map<std::string, std::int32_t> indices;
      const auto numbers = colours->numbers(c);
      for (std::size_t r = 0; r < numbers.size(); ++r)
        indices["color" + std::to_string(r)] = static_cast<std::int32_t>(numbers[r]);
      agree(gmg::relaxation_program(g, *colours), g, {}, indices);
    }
}

}  // namespace

TEST_CASE("kernels in 3D, odd and even axes") { check_all(1, {5, 6, 7}, {2, 2, 2}, false); }
TEST_CASE("kernels in 3D with corners, semicoarsening and thirds") {
  check_all(5, {4, 6, 8}, {1, 3, 2}, true);
}
TEST_CASE("kernels in 2D and 1D") {
  check_all(2, {6, 20}, {2, 2}, true);
  check_all(3, {24}, {2}, false);
}

}  // namespace gmg_kernels_test
