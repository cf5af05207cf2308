#include "gmg/from_program.hpp"

#include <algorithm>
#include <unordered_map>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/expr/view.hpp"

namespace lift::gmg {
namespace {

constexpr const char* kUnknown = "u";
constexpr std::size_t kMostCalls = 20000;  ///< of an element: stages that read windows of one another

/// e without the pads around it.
Expr unpadded(const Expr& e) { return e.is(Op::Pad) ? unpadded(e.child(0)) : e; }
bool is_unknown(const Expr& e) { return e.is(Op::Param) && param_name(e) == kUnknown; }

/// What pads do on one side of u.
struct Side {
  std::int64_t width = 0;
  std::optional<Condition> condition;
};
using Sides = std::vector<std::array<Side, 2>>;  ///< by dimension: low, high

Condition condition_of(const Expr& pad, std::int64_t width) {
  const Boundary b = pad_boundary(pad);
  if (b == Boundary::wrap) return {Condition::Kind::periodic, 0, 0};
  if (b == Boundary::mirror || (b == Boundary::clamp && width == 1)) return neumann();
  if (b == Boundary::odd && pad.children().size() == 1) return dirichlet();
  if (b == Boundary::odd && pad.child(1).is(Op::Literal)) return dirichlet(literal_number(pad.child(1)));
  throw UserError(
      std::string("beyond the faces of u there is ") + text(b) +
      (b == Boundary::clamp ? " by more than a cell"
       : b == Boundary::odd ? " of a value that is no number"
                            : "") +
      ", which is no condition of a solver; wrap is periodic, odd is Dirichlet, mirror is Neumann");
}

/// Of the pads around u, outermost first.
Sides sides_of(const Expr& padded, std::size_t rank) {
  Sides sides(rank);
  for (Expr e = padded; e.is(Op::Pad); e = e.child(0))
    for (std::size_t d = 0; d < static_cast<std::size_t>(op_rank(e)); ++d)
      for (const bool high : {false, true}) {
        const auto width = (high ? high_widths(e) : low_widths(e))[d].constant().value();
        if (width == 0) continue;
        Side& side = sides[d][high];
        if (side.condition)
          throw UserError("u is padded twice on one side; pad it at once by as many cells as A reads");
        side = {width, condition_of(e, width)};
      }
  return sides;
}

/// What all uses of u together say.
Sides all_sides(const Program& program) {
  Sides all;
  visit(program.body, [&](const Expr& e) {
    if (!e.is(Op::Pad) || !is_unknown(unpadded(e))) return;
    const auto rank = static_cast<std::size_t>(rank_of(unpadded(e).type()));
    all.resize(rank);
    const Sides sides = sides_of(e, rank);
    for (std::size_t d = 0; d < rank; ++d)
      for (const bool high : {false, true}) {
        const Side& side = sides[d][high];
        Side& known = all[d][high];
        if (!side.condition) continue;
        if (known.condition &&
            (known.condition->kind != side.condition->kind || known.condition->g != side.condition->g))
          throw UserError("u is padded in two ways on one side; a face has one condition");
        known = {std::max(known.width, side.width), side.condition};
      }
  });
  return all;
}

/// The program over u with `width` cells more on each side, instead of pads.
Expr over_surrounded(const Expr& body, const Expr& around, std::int64_t width) {
  std::unordered_map<std::uint32_t, Expr> known;  // by node
  const std::function<Expr(const Expr&)> replaced = [&](const Expr& e) -> Expr {
    const Expr base = unpadded(e);
    if (is_unknown(base)) {
      const auto rank = static_cast<std::size_t>(rank_of(base.type()));
      const Sides sides = sides_of(e, rank);
      std::vector<Nat> low, high;
      for (const auto& side : sides)
        low.emplace_back(width - side[0].width), high.emplace_back(width - side[1].width);
      return drop(low, high, around);
    }
    if (const auto it = known.find(e.id()); it != known.end()) return it->second;
    const Expr made = map_children(e, replaced);
    known.emplace(e.id(), made);
    return made;
  };
  return replaced(body);
}

std::vector<std::int64_t> lengths_of(const Type& t) {
  std::vector<std::int64_t> all;
  for (const Nat& n : shape_of(t)) all.push_back(n.constant().value());
  return all;
}

/// A program's A: what its arguments are, and the value of its result in one cell.
class CellFormula {
 public:
  CellFormula(const Program& program, const Domain& domain, const std::map<std::string, double>& given)
      : domain_(domain) {
    const std::vector<ProgramResult> results = results_of(program);
    if (results.size() != 1 || !(element_of(results[0].type) == Type(f64)) ||
        lengths_of(results[0].type) != domain.cells())
      throw UserError("A u is one array of f64, a number for each cell; the result here is " +
                      program.body.type().str());
    for (const Expr& a : program.arguments) add_argument(a, given);
    if (radius_ < 0) throw UserError("A is of the unknown u; declare param u : " + results[0].type.str());
    find_value(program);
  }

  const std::vector<Coefficient>& coefficients() const { return coefficients_; }
  const std::map<std::string, double>& numbers() const { return numbers_; }

  Expr at(const Point& point) const {
    std::unordered_map<const TermNode*, Expr> known;
    return expression(value_, point, known);
  }

 private:
  void add_argument(const Expr& a, const std::map<std::string, double>& given) {
    const std::string& name = param_name(a);
    const auto refuse = [&](const std::string& what) {
      throw UserError(name + " : " + a.type().str() + " " + what);
    };
    if (!a.type().is_array()) {
      if (!(a.type() == Type(f64))) refuse("is no argument that A can have; numbers are f64");
      if (name.starts_with("per_h_")) return;
      const auto value = given.find(name);
      if (value == given.end()) refuse("has no value; declare one, param " + name + " : f64 = 1");
      numbers_[name] = value->second;
      return;
    }
    if (!(element_of(a.type()) == Type(f64))) refuse("is not of f64, which solvers compute in");
    const std::vector<std::int64_t> shape = lengths_of(a.type()), cells = domain_.cells();
    std::vector<std::int64_t> more;
    for (std::size_t d = 0; d < shape.size() && shape.size() == cells.size(); ++d)
      more.push_back(shape[d] - cells[d]);
    if (name == kUnknown) {
      if (more.empty() || more[0] < 0 || more[0] % 2 != 0 ||
          std::any_of(more.begin(), more.end(), [&](std::int64_t x) { return x != more[0]; }))
        refuse("is neither of the result's shape nor larger by the same number of cells on each side");
      radius_ = more[0] / 2;
      return;
    }
    const auto faces = std::count(more.begin(), more.end(), 1),
               rest = std::count(more.begin(), more.end(), 0);
    if (more.empty() || faces > 1 || faces + rest != static_cast<std::ptrdiff_t>(more.size()))
      refuse("is of another shape than cells have, and than faces along one axis have, one more there");
    if (faces == 0) return coefficients_.push_back(gmg::cells(name));
    const auto d = static_cast<std::size_t>(std::find(more.begin(), more.end(), 1) - more.begin());
    coefficients_.push_back(gmg::faces(name, static_cast<Axis>(more.size() - 1 - d)));
  }

  void find_value(const Program& program) {
    Expr body = program.body;
    if (radius_ == 0) {
      for (const auto& sides : all_sides(program))
        for (const Side& side : sides) radius_ = std::max(radius_, side.width);
      std::vector<std::int64_t> shape = domain_.cells();
      for (std::int64_t& n : shape) n += 2 * radius_;
      body = over_surrounded(body, param(kUnknown, array({shape.begin(), shape.end()}, f64)), radius_);
    } else if (!all_sides(program).empty()) {
      throw UserError("u has cells beyond the faces already, and is padded, too; leave one of them out");
    }
    Views views;
    views.most_calls = kMostCalls;
    View v = views.eval(body, nullptr);
    for (const auto n : domain_.cells()) {
      index_.push_back(Nat::fresh("x", 0, n - 1));
      v = v[index_.back()];
    }
    value_ = simplify(v.term(), Facts());
  }

  /// A load's position relative to the cell.
  Offset offset_of(const Term& load) const {
    Offset o;
    for (std::size_t d = 0; d < load->nats.size(); ++d) {
      const auto x = lift::simplify(load->nats[d] - index_[d]).constant();
      if (!x)
        throw UserError("A reads " + load->name +
                        " in other places for other cells; it has to be one formula for all of them, as "
                        "of windows that slide by 1" +
                        (load->name == kUnknown ? ""
                                                : "; a coefficient is read without pads, and what lies "
                                                  "between two cells is one on faces, with one "
                                                  "element more along their axis"));
      o.push_back(static_cast<int>(*x));
    }
    return o;
  }

  Expr loaded(const Term& load, const Point& point) const {
    Offset o = offset_of(load);
    if (load->name == kUnknown) {
      for (int& x : o) x -= static_cast<int>(radius_);
      return point.u(o);
    }
    const auto c = std::find_if(coefficients_.begin(), coefficients_.end(),
                                [&](const Coefficient& k) { return k.name == load->name; });
    int upper = 0;
    if (c->faces) std::swap(upper, o[domain_.dimension_of(*c->faces)]);
    if ((upper != 0 && upper != 1) || std::any_of(o.begin(), o.end(), [](int x) { return x != 0; }))
      throw UserError("A reads " + load->name + " away from its cell; a coefficient is read at the cell" +
                      (c->faces ? "'s two faces" : ", and what lies between two cells is one on faces"));
    return c->faces ? point.face(load->name, upper) : point.cell(load->name);
  }

  Expr expression(const Term& t, const Point& point, std::unordered_map<const TermNode*, Expr>& known) const {
    if (const auto it = known.find(t.operator->()); it != known.end()) return it->second;
    const Expr made = made_of(t, point, known);
    known.emplace(t.operator->(), made);
    return made;
  }

  Expr made_of(const Term& t, const Point& point, std::unordered_map<const TermNode*, Expr>& known) const {
    const auto part = [&](std::size_t i) { return expression(t->args[i], point, known); };
    switch (t->kind) {
      case TermKind::Constant:
        if (is_float(t->type)) return literal(t->number, point.u().type().scalar());
        break;
      case TermKind::Load:
        return loaded(t, point);
      case TermKind::Argument:
        if (t->name.starts_with("per_h_")) return spacing(t->name, point);
        return point.number(t->name);
      case TermKind::Apply:
        if (t->type != f64) break;
        if (t->op == Op::Cast && t->args[0]->type == f64) return part(0);
        if (t->op == Op::Cast || t->op == Op::Select) break;
        if (t->args.size() == 1) return unary(t->op, part(0));
        if (t->args.size() == 2) return binary(t->op, part(0), part(1));
        break;
      case TermKind::Call:
        throw UserError("A calls the C function " + user_name(t->user) +
                        ", whose derivative nobody knows; write it in the language");
      default:
        break;
    }
    throw UserError(
        "A depends on where its cell is, or chooses among formulas; it has to be one formula for all cells: "
        "what "
        "differs from cell to cell is a coefficient, an array");
  }

  Expr spacing(const std::string& name, const Point& point) const {
    for (std::size_t d = 0; d < domain_.dimensions(); ++d)
      if (name == "per_h_" + domain_.name_of(d))
        return point.per_spacing(static_cast<Axis>(domain_.dimensions() - 1 - d));
    throw UserError(name + ": 1 / h has the names per_h_i, per_h_j and per_h_k, of axes that there are");
  }

  Domain domain_;
  std::int64_t radius_ = -1;  ///< of cells around u
  std::vector<Coefficient> coefficients_;
  std::map<std::string, double> numbers_;
  std::vector<Nat> index_;
  Term value_;
};

}  // namespace

bool pads_unknown(const Program& program) { return !all_sides(program).empty(); }

Domain with_conditions_of(const Program& program, Domain domain) {
  const Sides sides = all_sides(program);
  for (std::size_t d = 0; d < std::min(sides.size(), domain.dimensions()); ++d)
    for (const bool high : {false, true})
      if (sides[d][high].condition)
        domain.face({static_cast<Axis>(domain.dimensions() - 1 - d), high}) = *sides[d][high].condition;
  return domain;
}

Equation equation_of(const Program& program, const Domain& domain,
                     const std::map<std::string, double>& numbers, const std::string& where) {
  try {
    const CellFormula formula(program, domain, numbers);
    return {domain, formula.coefficients(), formula.numbers(),
            [formula](const Point& point) { return formula.at(point); }};
  } catch (const UserError& error) {
    throw UserError(where + ": " + error.what());
  }
}

}  // namespace lift::gmg
