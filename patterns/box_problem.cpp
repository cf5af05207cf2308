#include "patterns/box_problem.hpp"

#include <algorithm>

#include "ir/error.hpp"

namespace lift {
namespace {

struct BoundaryName {
  std::string name;
  Boundary pad;
  bool valued = false;
};
const std::vector<BoundaryName>& boundaries() {
  static const auto& all =
      *new std::vector<BoundaryName>{{"ghost", Boundary::undefined}, {"periodic", Boundary::wrap},
                                     {"dirichlet", Boundary::odd},   {"dirichlet-value", Boundary::odd, true},
                                     {"neumann", Boundary::mirror},  {"clamp", Boundary::clamp},
                                     {"mirror", Boundary::mirror},   {"constant", Boundary::constant, true}};
  return all;
}

const BoundaryName& find_boundary(const Problem& p) {
  std::string names;
  for (const BoundaryName& b : boundaries()) {
    if (b.name == p.boundary) return b;
    names += (names.empty() ? "" : &b == &boundaries().back() ? " or " : ", ") + b.name;
  }
  throw UserError("--bc " + p.boundary + ": unknown boundary condition; use " + names);
}

}  // namespace

void check_box_problem(const Problem& p, int radius) {
  const auto positive = [](const char* name, const std::string& text, std::int64_t value, const char* what) {
    if (value < 1)
      throw UserError(std::string("--") + name + " " + text + ": there must be at least one " + what +
                      "; use --" + name + " 1 or more");
  };
  positive("box", box_text(p), p.box, "cell a dimension");
  positive("boxes", std::to_string(p.boxes), p.boxes, "box");
  if (!is_float(p.type))
    throw UserError(std::string("--type ") + text(p.type) +
                    ": operators need floating point; use f32 or f64");
  const std::string needed = std::to_string(radius);
  if (p.sweeps < 1)
    throw UserError("--sweeps " + std::to_string(p.sweeps) + ": there must be at least one sweep");
  if (has_ghost_zone(p)) {
    if (p.ghost >= radius && p.ghost < std::int64_t{p.sweeps} * radius) {
      const std::string depth = std::to_string(std::int64_t{p.sweeps} * radius);
      throw UserError("--sweeps " + std::to_string(p.sweeps) + " --ghost " + std::to_string(p.ghost) +
                      ": ghost too thin: every sweep uses up " + needed + (radius == 1 ? " cell" : " cells") +
                      " of it; use --ghost " + depth + " or more");
    }
    if (p.ghost < radius)
      throw UserError("--ghost " + std::to_string(p.ghost) + ": ghost too thin for the stencil: radius " +
                      needed + " needs --ghost " + needed + " or more");
    return;
  }
  const Boundary pad = pad_of(p);
  if ((pad == Boundary::odd || pad == Boundary::mirror) && p.box < radius)
    throw UserError("--box " + box_text(p) + ": a stencil of radius " + needed +
                    " reflects past the box; use --box " + needed + " or more");
}

bool has_odd_side(const Problem& p) {
  if (p.sides.empty()) return p.box % 2 != 0;
  return std::any_of(p.sides.begin(), p.sides.end(), [](std::int64_t side) { return side % 2 != 0; });
}

std::string box_text(const Problem& p) {
  if (p.sides.empty()) return std::to_string(p.box);
  std::string s;
  for (const std::int64_t side : p.sides) s += (s.empty() ? "" : ",") + std::to_string(side);
  return s;
}

std::string box_size(const Problem& p, int dimensions) {
  if (p.sides.empty()) return std::to_string(p.box) + "^" + std::to_string(dimensions);
  std::string s;
  for (const std::int64_t side : p.sides) s += (s.empty() ? "" : " x ") + std::to_string(side);
  return s;
}

bool has_ghost_zone(const Problem& p) { return p.boundary == "ghost"; }
std::int64_t ghost_depth(const Problem& p) { return has_ghost_zone(p) ? p.ghost : 0; }
Boundary pad_of(const Problem& p) { return find_boundary(p).pad; }

const std::vector<std::string>& boundary_names() {
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> all;
    for (const BoundaryName& b : boundaries()) all.push_back(b.name);
    return all;
  }());
  return names;
}

std::optional<Expr> boundary_value(const Problem& p) {
  if (!find_boundary(p).valued) return std::nullopt;
  return param("boundary_value", p.type);
}

BoxProblem::BoxProblem(const Problem& p, int dimensions, std::int64_t multiple)
    : Problem(p),
      dim(dimensions),
      cells(static_cast<std::size_t>(dimensions),
            p.symbolic ? Nat::size("n", std::max<std::int64_t>(multiple, has_ghost_zone(p) ? 1 : 2), multiple)
                       : Nat(p.box)) {
  if (!p.sides.empty() && p.sides.size() != cells.size())
    throw UserError("--box " + box_text(p) + ": these boxes have " + std::to_string(dim) +
                    " dimension(s); give one number for all, or one for each, the outermost first");
  if (p.symbolic && !p.sides.empty())
    throw UserError(
        "--box " + box_text(p) +
        " --symbolic: kernels whose sizes are arguments are for cubes; leave out --symbolic, or give "
        "one number");
  if (!p.sides.empty()) cells.assign(p.sides.begin(), p.sides.end());
  double all = static_cast<double>(p.boxes);
  for (int d = 0; d < dim; ++d)
    all *= static_cast<double>(cells_along(p, d)) + 2 * static_cast<double>(ghost_depth(p));
  if (all > 1e12)
    throw UserError("--box " + box_text(p) + " --boxes " + std::to_string(p.boxes) +
                    ": more than 10^12 cells in " + std::to_string(dim) + "D fit into no memory; use fewer");
}
BoxProblem grown(const BoxProblem& p, std::int64_t margin) {
  if (!has_ghost_zone(p)) return p;
  BoxProblem q = p;
  q.box += 2 * margin, q.ghost -= margin, q.sweeps = 1;
  for (std::int64_t& side : q.sides) side += 2 * margin;
  for (Nat& side : q.cells) side = side + 2 * margin;
  return q;
}

Nat box_count(const Problem& p) { return p.symbolic ? Nat::size("boxes") : Nat(p.boxes); }
std::vector<Nat> cells_shape(const BoxProblem& p) { return p.cells; }
std::vector<Nat> interior_offset(const BoxProblem& p) {
  return std::vector<Nat>(static_cast<std::size_t>(p.dim), ghost_depth(p));
}

Type cell_array(const BoxProblem& p) {
  std::vector<Nat> shape{box_count(p)};
  for (const Nat& side : p.cells) shape.push_back(side + 2 * ghost_depth(p));
  return array(shape, p.type);
}

Type face_array(const BoxProblem& p, int axis) {
  if (has_ghost_zone(p)) return cell_array(p);
  std::vector<Nat> shape = p.cells;
  shape[static_cast<std::size_t>(axis)] = side(p, axis) + 1;
  shape.insert(shape.begin(), box_count(p));
  return array(shape, p.type);
}

std::string axis_name(const BoxProblem& p, int axis) { return std::string(1, "ijk"[p.dim - 1 - axis]); }

std::string choice(const Problem& p, const std::string& name, const Choices& allowed) {
  const auto list = [](const auto& items, const auto& text_of) {
    std::string s;
    for (const auto& item : items) s += (s.empty() ? "" : ", ") + text_of(item);
    return s;
  };
  for (const auto& [key, value] : p.choices) {
    const auto it = allowed.find(key);
    if (it == allowed.end())
      throw UserError("--" + key + ": no such choice here; there are: " + list(allowed, [](const auto& c) {
                        return "--" + c.first;
                      }));
    if (std::find(it->second.begin(), it->second.end(), value) == it->second.end())
      throw UserError("--" + key + " " + value +
                      ": unknown value; use one of: " + list(it->second, [](const auto& v) { return v; }));
  }
  const auto it = p.choices.find(name);
  return it == p.choices.end() ? allowed.at(name).front() : it->second;
}

}  // namespace lift
