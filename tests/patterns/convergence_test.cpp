// apply-L on manufactured solutions: second order in h for every boundary condition, variable and constant
// coefficients; by the interpreter in 1D and 2D, by the emitted kernel in 3D.
//
// With u = g + the product of a factor f(x) along each axis over [0, 1]^dim, f is chosen so that u's
// continuation across the boundary is what the boundary condition makes of it, up to h^4:
//   periodic, ghost        any periodic f (ghost zones are filled with u)
//   dirichlet (-value)     sin(pi x), odd about the faces, g the value there (0)
//   neumann, mirror, clamp cos(pi x), even about the faces
//   constant               sin^4(pi x), g outside
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "runtime/native.hpp"
#include "tests/patterns/box_data.hpp"
#include "tests/patterns/operator_cases.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::testing;

namespace convergence_test {
namespace {

constexpr double pi = std::numbers::pi;

/// A function of one coordinate with its first and second derivative.
struct Factor {
  std::function<double(double)> f, d1, d2;
};
Factor wave(double frequency, double phase) {
  return {[=](double x) { return std::sin(frequency * x + phase); },
          [=](double x) { return frequency * std::cos(frequency * x + phase); },
          [=](double x) { return -frequency * frequency * std::sin(frequency * x + phase); }};
}
Factor fourth_power_of_sine() {
  const auto s = [](double x) { return std::sin(pi * x); };
  const auto c = [](double x) { return std::cos(pi * x); };
  return {[=](double x) { return std::pow(s(x), 4); },
          [=](double x) { return 4 * pi * std::pow(s(x), 3) * c(x); },
          [=](double x) { return 4 * pi * pi * (3 * s(x) * s(x) * c(x) * c(x) - std::pow(s(x), 4)); }};
}

/// mean + amplitude * product of factors.
struct Field {
  double mean, amplitude;
  Factor factor;
  double at(const std::vector<double>& x) const { return mean + amplitude * product(x, x.size()); }
  double derivative(const std::vector<double>& x, std::size_t d) const {
    return amplitude * factor.d1(x[d]) * product(x, d);
  }
  double second(const std::vector<double>& x, std::size_t d) const {
    return amplitude * factor.d2(x[d]) * product(x, d);
  }

 private:
  double product(const std::vector<double>& x, std::size_t but) const {
    double p = 1;
    for (std::size_t d = 0; d < x.size(); ++d)
      if (d != but) p *= factor.f(x[d]);
    return p;
  }
};

constexpr double a = 1.3, b = 0.7, g = 0.4;
const Field alpha{1, 0.25, wave(2 * pi, 0.4)}, beta{1, 0.25, wave(2 * pi, 1.1)};

Field solution(const std::string& boundary) {
  if (boundary == "ghost" || boundary == "periodic") return {0, 1, wave(2 * pi, 0.3)};
  if (boundary == "dirichlet") return {0, 1, wave(pi, 0)};
  if (boundary == "dirichlet-value") return {g, 1, wave(pi, 0)};
  if (boundary == "constant") return {g, 1, fourth_power_of_sine()};
  return {0, 1, wave(pi, pi / 2)};
}

double exact(const Field& u, bool variable, const std::vector<double>& x) {
  double flux = 0;
  for (std::size_t d = 0; d < x.size(); ++d)
    flux +=
        variable ? beta.at(x) * u.second(x, d) + beta.derivative(x, d) * u.derivative(x, d) : u.second(x, d);
  return a * (variable ? alpha.at(x) : 1) * u.at(x) - b * flux;
}

/// Calls f(index into the array, coordinates of the cell's centre, or the lower face's along `face_axis`).
void for_points(const BoxProblem& p, const HostArray& array, int face_axis,
                const std::function<void(std::size_t, const std::vector<double>&)>& f) {
  const auto n = host::lengths(array.type);
  std::vector<double> x(n.size() - 1);
  for (std::int64_t at = 0; at < host::count(array.type); ++at) {
    std::int64_t rest = at;
    for (std::size_t d = x.size(); d-- > 0; rest /= n[d + 1])
      x[d] = (static_cast<double>(rest % n[d + 1] - ghost_depth(p)) +
              (static_cast<int>(d) == face_axis ? 0 : 0.5)) /
             static_cast<double>(p.box);
    f(static_cast<std::size_t>(at), x);
  }
}

void sample(const BoxProblem& p, const BoxData& data, const std::string& name, const Field& field,
            int face_axis = -1) {
  if (!data.has(name)) return;
  std::vector<double> values(data.values(name).size());
  for_points(p, data.argument(name), face_axis,
             [&](std::size_t at, const std::vector<double>& x) { values[at] = field.at(x); });
  assign(data.argument(name), values);
}

/// The largest error of `result` in the interior.
double error_of(const BoxProblem& p, const OwnedArray& result, bool variable) {
  const std::vector<double> got = numbers(result.view());
  const Field u = solution(p.boundary);
  double worst = 0;
  for_points(p, result.view(), -1, [&](std::size_t at, const std::vector<double>& x) {
    if (std::all_of(x.begin(), x.end(), [](double c) { return c > 0 && c < 1; }))
      worst = std::max(worst, std::abs(got[at] - exact(u, variable, x)));
  });
  return worst;
}

struct Setting {
  BoxProblem p;
  bool variable;
  Pattern pattern;
  std::unique_ptr<BoxData> data;

  Setting(const std::string& boundary, bool is_variable, int dim, std::int64_t n)
      : p(Problem{}, dim), variable(is_variable), pattern(apply_operator(dim)) {
    p.box = n, p.boxes = 1, p.boundary = boundary;
    if (!variable) p.choices["coefficients"] = "constant";
    data = std::make_unique<BoxData>(pattern, p);
    sample(p, *data, "phi", solution(boundary));
    sample(p, *data, "alpha", alpha);
    for (int axis = 0; axis < dim; ++axis) sample(p, *data, "beta_" + axis_name(p, axis), beta, axis);
    const double inverse_h = static_cast<double>(n);
    for (const auto& [name, value] : std::map<std::string, double>{
             {"a", a}, {"b_h2inv", b * inverse_h * inverse_h}, {"boundary_value", g}})
      if (data->has(name)) assign(data->argument(name), {value});
  }
  std::string describe() const {
    return pattern.name + " " + p.boundary + (variable ? ", variable" : ", constant") + " coefficients";
  }
};

void check_second_order(double coarse, double fine) {
  CHECK(coarse > 1e-3);
  CHECK(coarse / fine > 3.4);
  CHECK(coarse / fine < 4.7);
}

}  // namespace

TEST_CASE("L converges with second order: the expression in 1D and 2D") {
  for (const int dim : {1, 2})
    for (const std::string& boundary : boundary_names())
      for (const bool variable : {true, false}) {
        const Setting coarse(boundary, variable, dim, 20), fine(boundary, variable, dim, 40);
        CAPTURE(coarse.describe());
        check_second_order(error_of(coarse.p, coarse.data->by_interpreter(), variable),
                           error_of(fine.p, fine.data->by_interpreter(), variable));
      }
}

TEST_CASE("L converges with second order: the emitted kernel in 3D") {
  std::vector<Setting> settings;
  std::vector<Kernel> kernels;
  std::vector<NativeSource> sources;
  for (const std::string& boundary : boundary_names())
    for (const bool variable : {true, false})
      for (const std::int64_t n : {20, 40}) {
        settings.emplace_back(boundary, variable, 3, n);
        kernels.push_back(lower(settings.back().data->program));
        sources.push_back(
            {test::openmp_of(kernels.back()) + emit_trampoline(kernels.back(), kernels.back().name),
             {"-std=gnu11", "-O1"},
             "",
             "c"});
      }
  NativeCompiler compiler;
  const auto compiled = compiler.compile_all(sources);
  std::vector<double> errors;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    REQUIRE_MESSAGE(compiled[i].library, compiled[i].error);
    OwnedArray result = settings[i].data->result();
    std::vector<void*> pointers;
    for (const KernelArgument& argument : kernels[i].arguments)
      pointers.push_back(argument.name == kernels[i].results.front() && !settings[i].data->has(argument.name)
                             ? result.view().data
                             : settings[i].data->argument(argument.name).data);
    compiled[i].library->function<void(void**)>("liftgen_call")(pointers.data());
    errors.push_back(error_of(settings[i].p, result, settings[i].variable));
  }
  for (std::size_t i = 0; i < settings.size(); i += 2) {
    CAPTURE(settings[i].describe());
    check_second_order(errors[i], errors[i + 1]);
  }
}

}  // namespace convergence_test
