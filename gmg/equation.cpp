#include "gmg/equation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "ir/expr/interpret.hpp"

namespace lift::gmg {
namespace {

/// What kernels call their own arguments.
const std::set<std::string>& taken_names() {
  static const auto& names =
      *new std::set<std::string>{"u",      "f",      "lambda", "coarse", "fine",  "previous",
                                 "around", "result", "color",  "weight", "first", "second"};
  return names;
}

std::string text(const Offset& o) {
  std::string s;
  for (const int x : o) s += (s.empty() ? "" : ", ") + std::to_string(x);
  return "{" + s + "}";
}

std::string u_name(const Offset& o) { return "u" + text(o); }

/// The number that a scalar expression over parameters is.
double evaluated(const Expr& e, const std::map<std::string, double>& values) {
  std::map<std::string, Value> params;
  for (const auto& [name, x] : values) params[name] = Value{x};
  return interpret(e, params).number();
}

}  // namespace

Coefficient cells(const std::string& name) { return {name, {}}; }
Coefficient faces(const std::string& name, Axis axis) { return {name, axis}; }

// ---- Point

Expr Point::u(const Offset& offset) const {
  const std::size_t rank = equation_.domain().dimensions();
  if (offset.size() != rank)
    throw UserError("gmg::Point::u: the cell at " + text(offset) + " of a domain of " + std::to_string(rank) +
                    " dimensions; give one number for each, outermost first");
  return reads_.u(offset);
}

Expr Point::u() const { return reads_.u(Offset(equation_.domain().dimensions(), 0)); }

Expr Point::u(Axis axis, int steps) const {
  Offset offset(equation_.domain().dimensions(), 0);
  offset[equation_.domain().dimension_of(axis)] = steps;
  return reads_.u(offset);
}

Expr Point::cell(const std::string& name) const {
  const Coefficient& c = equation_.coefficient(name);
  if (c.faces)
    throw UserError("gmg::Point::cell: '" + name + "' is on faces; write face(\"" + name + "\", 0 or 1)");
  return reads_.coefficient(c, 0);
}

Expr Point::face(const std::string& name, int upper) const {
  const Coefficient& c = equation_.coefficient(name);
  if (!c.faces) throw UserError("gmg::Point::face: '" + name + "' is at cells; write cell(\"" + name + "\")");
  if (upper != 0 && upper != 1)
    throw UserError("gmg::Point::face: face " + std::to_string(upper) + " of '" + name +
                    "'; 0 is the lower and 1 the upper face of a cell");
  return reads_.coefficient(c, upper);
}

Expr Point::number(const std::string& name) const {
  if (!equation_.numbers().contains(name))
    throw UserError("gmg::Point::number: no number '" + name + "'; give it to the equation");
  return reads_.number(name);
}

Expr Point::per_spacing(Axis axis) const { return reads_.per_spacing(equation_.domain().dimension_of(axis)); }

// ---- Equation

Equation::Equation(Domain domain, std::vector<Coefficient> coefficients,
                   std::map<std::string, double> numbers, Operator a)
    : domain_(std::move(domain)),
      coefficients_(std::move(coefficients)),
      numbers_(std::move(numbers)),
      a_(std::move(a)) {
  domain_.check();
  check_names();
  std::map<std::string, Offset> offsets;
  const Expr e = symbolic(&offsets);
  const Offset own(domain_.dimensions(), 0);
  footprint_.push_back(own);
  for (const Expr& p : params_of(e)) {  // of what was asked for, that which the expression still has
    const auto at = offsets.find(param_name(p));
    if (at == offsets.end() || at->second == own) continue;
    for (const int x : at->second) radius_ = std::max(radius_, std::abs(x));
    footprint_.push_back(at->second);
  }
  check_linear();
  check_reach();
}

Expr Equation::symbolic(std::map<std::string, Offset>* offsets) const {
  const Reads reads{[&](const Offset& o) {
                      if (offsets != nullptr) (*offsets)[u_name(o)] = o;
                      return param(u_name(o), f64);
                    },
                    [](const Coefficient& c, int upper) {
                      return param(c.name + (c.faces ? "[" + std::to_string(upper) + "]" : ""), f64);
                    },
                    [](const std::string& name) { return param(name, f64); },
                    [this](std::size_t d) { return param("per_h_" + domain_.name_of(d), f64); }};
  const Expr e = at(reads);
  if (!(e.type() == Type(f64)))
    throw UserError("gmg::equation: A has the type " + e.type().str() + "; it is one number for each cell");
  return e;
}

void Equation::check_names() const {
  std::set<std::string> seen;
  const auto check = [&](const std::string& name) {
    const bool word = !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), in_word);
    if (!word || taken_names().contains(name) || name.starts_with("per_h_") || name.starts_with("robin_"))
      throw UserError("gmg::equation: '" + name + "' cannot be a coefficient's name: " +
                      (word ? "kernels use it themselves" : "it is no word") + "; choose another");
    if (!seen.insert(name).second)
      throw UserError("gmg::equation: two coefficients are called '" + name + "'");
  };
  for (const Coefficient& c : coefficients_) {
    check(c.name);
    if (c.faces) (void)domain_.dimension_of(*c.faces);
  }
  for (const auto& [name, value] : numbers_) check(name);
}

const Coefficient& Equation::coefficient(const std::string& name) const {
  std::string all;
  for (const Coefficient& c : coefficients_) {
    if (c.name == name) return c;
    all += (all.empty() ? "" : ", ") + c.name;
  }
  throw UserError("gmg: the equation has no coefficient '" + name + "'; " +
                  (all.empty() ? "it has none" : "it has " + all));
}

std::vector<double> Equation::weights(const std::map<std::string, double>& coefficients,
                                      const std::vector<double>& spacings) const {
  const Expr e = symbolic();
  std::map<std::string, double> values = numbers_;
  for (std::size_t d = 0; d < spacings.size(); ++d) values["per_h_" + domain_.name_of(d)] = 1 / spacings[d];
  for (const Coefficient& c : coefficients_) {
    const auto given = coefficients.find(c.name);
    const double x = given == coefficients.end() ? 1 : given->second;
    if (c.faces)
      values[c.name + "[0]"] = values[c.name + "[1]"] = x;
    else
      values[c.name] = x;
  }
  for (const Offset& o : footprint_) values[u_name(o)] = 0;
  std::vector<double> weights;
  for (const Offset& o : footprint_) {
    values[u_name(o)] = 1;
    weights.push_back(evaluated(e, values));
    values[u_name(o)] = 0;
  }
  return weights;
}

/// A(x + s y) = A(x) + s A(y), at numbers without a pattern.
void Equation::check_linear() const {
  const Expr e = symbolic();
  const std::vector<Expr> parameters = params_of(e);
  const auto is_unknown = [](const Expr& p) { return param_name(p).starts_with("u{"); };
  if (std::none_of(parameters.begin(), parameters.end(), is_unknown))
    throw UserError("gmg::equation: A does not read u; write at.u() for the unknown of the cell");
  std::map<std::string, double> x, y, sum;
  double seed = 0.37;
  const auto next = [&] { return seed = std::fmod(seed * 1.618033988 + 0.271, 1.0) + 0.5; };
  for (const Expr& p : parameters) {
    const std::string& name = param_name(p);
    x[name] = y[name] = sum[name] = next();
    if (!is_unknown(p)) continue;
    y[name] = next();
    sum[name] = x[name] + 0.75 * y[name];
  }
  const double expected = evaluated(e, x) + 0.75 * evaluated(e, y), got = evaluated(e, sum);
  if (!(std::abs(expected - got) <= 1e-9 * (1 + std::abs(expected))))
    throw UserError(
        "gmg::equation: A is not linear in u: A(x + y) differs from A(x) + A(y); what does not depend on u "
        "belongs to the right-hand side");
}

void Equation::check_reach() const {
  for (std::size_t d = 0; d < domain_.dimensions(); ++d) {
    if (domain_.cells()[d] < radius_)
      throw UserError("gmg::equation: A reads " + std::to_string(radius_) + " cells away, but axis " +
                      domain_.name_of(d) + " has " + std::to_string(domain_.cells()[d]) + "; use more cells");
    for (const bool high : {false, true})
      if (domain_.condition(d, high).kind == Condition::Kind::robin && radius_ > 1)
        throw UserError(
            "gmg::equation: A reads " + std::to_string(radius_) + " cells away, but face " +
            domain_.name_of(d) + (high ? "_high" : "_low") +
            " has a Robin condition, which says what one cell beyond it holds; use another condition "
            "there, or an A that reads neighbours only");
  }
}

Equation equation(const Domain& domain, std::vector<Coefficient> coefficients, Equation::Operator a) {
  return {domain, std::move(coefficients), {}, std::move(a)};
}
Equation equation(const Domain& domain, Equation::Operator a) { return {domain, {}, {}, std::move(a)}; }

Equation helmholtz(const Domain& domain, HelmholtzOptions options) {
  std::vector<Axis> axes;
  for (std::size_t d = domain.dimensions(); d-- > 0;) axes.push_back(static_cast<Axis>(d));
  const bool alpha = options.variable && options.a != 0;
  std::vector<Coefficient> coefficients;
  if (alpha) coefficients.push_back(cells("alpha"));
  const auto beta = [](Axis axis) { return std::string("beta_") + "ijk"[static_cast<std::size_t>(axis)]; };
  if (options.variable)
    for (const Axis axis : axes) coefficients.push_back(faces(beta(axis), axis));
  std::map<std::string, double> numbers{{"b", options.b}};
  if (options.a != 0) numbers["a"] = options.a;
  return {domain, coefficients, numbers, [=](const Point& at) {
            Expr fluxes;
            for (const Axis axis : axes) {
              Expr up = at.u(axis, 1) - at.u(), down = at.u() - at.u(axis, -1);
              if (options.variable) up = at.face(beta(axis), 1) * up, down = at.face(beta(axis), 0) * down;
              const Expr flux = at.per_spacing(axis) * at.per_spacing(axis) * (up - down);
              fluxes = fluxes ? fluxes + flux : flux;
            }
            const Expr diffusion = -(at.number("b") * fluxes);
            if (options.a == 0) return diffusion;
            const Expr u = at.number("a") * at.u();
            return (alpha ? at.cell("alpha") * u : u) + diffusion;
          }};
}

}  // namespace lift::gmg
