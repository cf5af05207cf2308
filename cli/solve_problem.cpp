#include "cli/solve_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/solve_domain.hpp"
#include "gmg/from_program.hpp"
#include "gmg/manufactured.hpp"
#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "ir/text/parse.hpp"
#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tuning/data_files.hpp"
#include "tuning/lift_problem.hpp"

namespace lift::cli {
namespace {

bool is_lift(const std::string& problem) { return problem.ends_with(".lift"); }

Type array_type(const std::vector<std::int64_t>& shape) { return array({shape.begin(), shape.end()}, f64); }

std::string place(std::size_t flat, const std::vector<std::int64_t>& shape) {
  std::string s;
  for (std::size_t d = shape.size(); d-- > 0; flat /= static_cast<std::size_t>(shape[d]))
    s = std::to_string(flat % static_cast<std::size_t>(shape[d])) + (s.empty() ? "" : ", ") + s;
  return "[" + s + "]";
}

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (const auto length : shape) n *= static_cast<std::size_t>(length);
  return n;
}

void check_finite(const std::string& what, const std::vector<double>& x,
                  const std::vector<std::int64_t>& shape) {
  const auto bad = std::find_if(x.begin(), x.end(), [](double v) { return !std::isfinite(v); });
  if (bad != x.end())
    throw UserError(what + ": element " + place(static_cast<std::size_t>(bad - x.begin()), shape) + " is " +
                    fmt::format("{}", *bad) + "; all of them have to be finite numbers");
}

/// An array of f64 of that shape, all of it finite.
std::vector<double> array_of(const std::string& option, const std::string& path, const std::string& name,
                             const std::vector<std::int64_t>& shape) {
  const Expr wanted = param(name, array_type(shape));
  check_data_file({path, is_npy(path), option + path}, wanted);
  std::vector<double> all(count_of(shape));
  read_data_file(path, is_npy(path), {name, wanted.type(), all.data()}, true);
  check_finite(option + path, all, shape);
  return all;
}

/// What the file declares that a coefficient is filled with.
std::vector<double> declared_array(const SolveOptions& o, const SolveProblem& problem,
                                   const std::string& name, const std::vector<std::int64_t>& shape) {
  const Expr wanted = param(name, array_type(shape));
  const auto data = problem.declared.find(name);
  if (data == problem.declared.end())
    throw UserError(o.problem + ": nothing says what " + name + " : " + wanted.type().str() +
                    " is; declare data, or give it: --set " + name + "=" + name + ".npy");
  const ArgumentData& d = data->second;
  if (d.kind == ArgumentData::Kind::file || d.kind == ArgumentData::Kind::npy)
    check_data_file({d.path, d.kind == ArgumentData::Kind::npy, o.problem}, wanted);
  std::vector<double> all(count_of(shape));
  fill_argument({name, wanted.type(), all.data()}, wanted, data->second, true);
  check_finite(o.problem + ": the data of " + name, all, shape);
  return all;
}

/// By --size, else by the shape of --rhs.
std::vector<std::int64_t> asked_cells(const SolveOptions& o) {
  if (!o.size.empty()) return cells_of(o.size);
  if (o.rhs.empty()) return {};
  if (!is_npy(o.rhs)) throw UserError("--rhs " + o.rhs + ": bare elements have no shape; add --size");
  try {
    const NpyHeader header = read_npy_header(o.rhs);
    if (header.shape.empty() || header.shape.size() > 3)
      throw UserError(o.rhs + " holds " + str(header) + ", but a domain has one to three dimensions");
    return header.shape;
  } catch (const UserError& error) {
    throw UserError(std::string("--rhs: ") + error.what());
  }
}

/// The program of the file at these cells, of which one number is all axes'; none: at the sizes that it
/// declares.
Program program_of(const LiftFile& file, const SolveOptions& o, std::vector<std::int64_t>& cells) {
  if (cells.empty()) {
    const Program p = file.program(file.values());
    for (const Nat& n : shape_of(results_of(p).at(0).type)) cells.push_back(n.constant().value());
    return p;
  }
  const Program p = file.program();
  const std::vector<Nat> shape = shape_of(results_of(p).at(0).type);
  if (!o.size.empty() && o.size.find(',') == std::string::npos) cells.assign(shape.size(), cells[0]);
  if (shape.size() != cells.size())
    throw UserError(file.file() + ": its result has " + std::to_string(shape.size()) +
                    " dimensions, but there are cells along " + std::to_string(cells.size()) +
                    "; change --size or --rhs");
  std::vector<LengthEquation> equations;
  for (std::size_t d = 0; d < cells.size(); ++d)
    equations.push_back({shape[d], cells[d], "dimension " + std::to_string(d) + " of the cells"});
  return with_sizes(p, file.values(solve_sizes(equations)));
}

std::map<std::string, double> numbers_of(const LiftFile& file, const SolveOptions& o) {
  std::map<std::string, double> all;
  for (const auto& [name, data] : file.data())
    if (data.kind == LiftData::Kind::number) all[name] = data.low;
  for (const auto& [name, value] : o.values())
    if (!is_npy(value)) all[name] = *read_number<double>(value);
  return all;
}

gmg::Equation equation_of_file(const SolveOptions& o, std::map<std::string, ArgumentData>& declared) {
  const LiftFile file(read_file(o.problem), o.problem);
  std::vector<std::int64_t> cells = asked_cells(o);
  const Program program = program_of(file, o, cells);
  declared = data_in(file, program, std::filesystem::path(o.problem).parent_path());
  gmg::Domain domain = domain_of(cells, o);
  bool pads = false;
  try {
    pads = gmg::pads_unknown(program);
    if (pads) domain = gmg::with_conditions_of(program, domain);
  } catch (const UserError& error) {
    throw UserError(o.problem + ": " + error.what());
  }
  if (pads && !o.faces.empty())
    throw UserError("--bc " + o.faces + ": " + o.problem +
                    " pads u, which says what lies beyond the faces; leave one of them out");
  return gmg::equation_of(program, domain, numbers_of(file, o), o.problem);
}

gmg::Equation equation_of_library(const SolveOptions& o, gmg::Manufactured* known) {
  if (o.problem != "poisson" && o.problem != "helmholtz")
    throw UserError("solve " + o.problem +
                    ": no such problem; there are poisson and helmholtz, and files FILE.lift");
  const double a = o.problem == "helmholtz" ? o.a : 0;
  const std::vector<std::int64_t> asked = asked_cells(o);
  gmg::Domain domain = domain_of(asked.empty() ? cells_of("64") : asked, o);
  bool variable = o.variable;
  for (const auto& [name, value] : o.values())
    variable = variable || name.starts_with("beta_") || name == "alpha";
  if (known != nullptr) *known = gmg::manufactured(domain, a, o.variable);
  return gmg::helmholtz(domain, {.a = a, .variable = variable});
}

}  // namespace

SolveProblem problem_of(const SolveOptions& o) {
  const bool of_file = is_lift(o.problem), is_known = !of_file && o.rhs.empty();
  gmg::Manufactured known;
  std::map<std::string, ArgumentData> declared;
  gmg::Equation equation =
      of_file ? equation_of_file(o, declared) : equation_of_library(o, is_known ? &known : nullptr);
  if (of_file && o.rhs.empty() && o.emit.empty())
    throw UserError("solve " + o.problem + ": give the right-hand side, --rhs f.npy, an array of " +
                    array_type(equation.domain().cells()).str());
  if (is_known && (!o.sets.empty() || o.faces.find('=') != std::string::npos))
    throw UserError((o.sets.empty() ? "--bc " + o.faces : "--set " + o.sets.front()) +
                    ": the solution would not be the known one; give a right-hand side, too: --rhs f.npy");
  const std::vector<std::int64_t> cells = equation.domain().cells();
  SolveProblem problem{std::move(equation), is_known ? std::move(known.f) : std::vector<double>{}, {}};
  problem.known = std::move(known.u), problem.declared = std::move(declared);
  if (of_file && o.rhs.empty()) return problem;  // to be written as C: no f is needed
  if (!is_known) problem.f = array_of("--rhs ", o.rhs, "f", cells);
  problem.guess =
      o.guess.empty() ? std::vector<double>(problem.f.size(), 0) : array_of("--guess ", o.guess, "u", cells);
  return problem;
}

void set_coefficients(const SolveOptions& o, const SolveProblem& problem, gmg::Solver& solver) {
  const gmg::Equation& equation = problem.equation;
  const std::map<std::string, std::string> values = o.values();
  if (is_lift(o.problem))
    for (const gmg::Coefficient& c : equation.coefficients())
      if (!values.contains(c.name))
        solver.set(c.name, declared_array(o, problem, c.name, solver.shape(c.name)));
  if (!problem.known.empty())
    for (const gmg::Coefficient& c : equation.coefficients())
      if (c.faces)
        solver.set(c.name, gmg::Solver::Sampler([&](std::span<const double> x) {
                     return gmg::manufactured_beta(equation.domain(), true, x.back());
                   }));
  for (const auto& [name, value] : values) {
    const std::string option = "--set " + name + "=";
    try {
      if (is_npy(value))
        solver.set(name, array_of(option, value, name, solver.shape(name)));
      else
        solver.set(name, *read_number<double>(value));
    } catch (const UserError& error) {
      const std::string what = error.what();
      throw UserError(what.starts_with("--set") ? what : option + value + ": " + what);
    }
  }
}

void write_array(const std::string& path, const gmg::Domain& domain, std::span<const double> u) {
  write_data_file(path, {"u", array_type(domain.cells()), const_cast<double*>(u.data())});  // NOLINT: read
}

}  // namespace lift::cli
