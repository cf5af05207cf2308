#include "patterns/plain_loops.hpp"

#include <algorithm>

namespace lift {
namespace {

/// "i - 1", "i", "i + 2".
std::string shifted(const std::string& index, int steps) {
  return steps == 0 ? index : index + (steps < 0 ? " - " : " + ") + std::to_string(std::abs(steps));
}
/// "im1", "ip2": the same as a name.
std::string named(const std::string& index, int steps) {
  return index + (steps < 0 ? "m" : "p") + std::to_string(std::abs(steps));
}

}  // namespace

std::string plain_macros(const BoxProblem& p, const std::string& cells) {
  return "#define BOXES " + std::to_string(p.boxes) + "\n" + cells + "#define G " +
         std::to_string(ghost_depth(p)) + "    /* ghost cells a side */\n" +
         "#ifndef SIMD\n#define SIMD\n#endif\n" + "typedef " + (p.type == f32 ? "float" : "double") +
         " real;\n";
}

std::string axis_macro(const BoxProblem& p, const std::string& name, int axis) {
  return p.sides.empty() ? name : name + "KJI"[3 - p.dim + axis];
}
std::string axis_macros(const BoxProblem& p, const std::string& name, const std::string& what,
                        const std::function<std::string(int axis)>& of) {
  const std::string said = what.empty() ? "" : "    /* " + what + " */";
  if (p.sides.empty()) return "#define " + name + " " + of(0) + (said.empty() ? "" : said) + "\n";
  std::string s;
  for (int d = 0; d < p.dim; ++d)
    s += "#define " + axis_macro(p, name, d) + " " + of(d) + (d == 0 ? said : "") + "\n";
  return s;
}

std::string outside_arguments(const BoxProblem& p, const std::string& x, int axis) {
  return p.sides.empty() ? x : x + ", " + axis_macro(p, "N", axis);
}

std::string plain_outside(const BoxProblem& p, int radius) {
  const std::string parameters = p.sides.empty() ? "int x" : "int x, int N";
  std::string s =
      "/* the cell inside the box that a cell outside takes its value from */\nstatic inline int inside(" +
      parameters + ") { return ";
  switch (pad_of(p)) {
    case Boundary::wrap:
      s +=
          radius == 1 ? "x < 0 ? x + N : x >= N ? x - N : x" : "(x + " + std::to_string(radius) + " * N) % N";
      break;
    case Boundary::mirror:
    case Boundary::odd:
      s += "x < 0 ? -1 - x : x >= N ? 2 * N - 1 - x : x";
      break;
    default:
      s += "x < 0 ? 0 : x >= N ? N - 1 : x";
      break;
  }
  s += "; }\n";
  const std::string outside = "x < 0 || x >= N ? ";
  if (is_odd(p) || is_valued(p))
    s += "static inline real factor(" + parameters + ") { return " + outside + (is_odd(p) ? "-1" : "0") +
         " : 1; }\n";
  if (is_valued(p))
    s += "static inline real addend(" + parameters + ", real value) { return " + outside +
         (is_odd(p) ? "2 * value" : "value") + " : 0; }\n";
  return s;
}

std::string plain_parameters(const Program& program, const std::function<std::string(const Nat&)>& length) {
  std::string s;
  for (const Expr& a : program.arguments) {
    const std::string name = param_name(a);
    s += s.empty() ? "" : ", ";
    if (!a.type().is_array()) {
      s += (a.type().scalar() == i32 ? "int " : "real ") + name;
      continue;
    }
    const bool written = std::find(program.overwritable.begin(), program.overwritable.end(), name) !=
                         program.overwritable.end();
    s += std::string(written ? "" : "const ") + "real (*restrict " + name + ")";
    const std::vector<Nat> shape = shape_of(a.type());
    for (std::size_t d = 1; d < shape.size(); ++d) s += "[" + length(shape[d]) + "]";
  }
  return s;
}

std::string PlainLoops::header(const std::string& what) const {
  const std::string cells = axis_macros(p_, "N", "interior cells a dimension",
                                        [&](int d) { return std::to_string(cells_along(p_, d)); }) +
                            axis_macros(p_, "S", "", [&](int d) { return "(" + count(d) + " + 2 * G)"; });
  const std::string s =
      "/* " + what + ", boundary condition: " + p_.boundary + " */\n" + plain_macros(p_, cells) + "\n";
  return has_ghost_zone(p_) || radius_ == 0 ? s : s + plain_outside(p_, radius_) + "\n";
}

std::string PlainLoops::function(const Program& program, const std::string& body) const {
  const auto length = [&](const Nat& n) { return n == side(p_, 0) + 2 * ghost_depth(p_) ? "S" : "S + 1"; };
  return "void plain(" + (p_.sides.empty() ? plain_parameters(program, length) : plain_parameters(program)) +
         ") {\n" + body + "}\n";
}

std::string PlainLoops::cell(const std::string& name, int axis, int steps) const {
  std::string s = name + "[box]";
  for (int d = 0; d < p_.dim; ++d) s += "[" + shifted(axis_name(p_, d), d == axis ? steps : 0) + "]";
  return s;
}

std::string PlainLoops::guard(const std::string& color) const {
  std::string sum;
  for (int d = p_.dim; d-- > 0;) sum += axis_name(p_, d) + " + ";
  // The indices count ghost cells too: so many times the ghost depth too much, an odd number when both are
  // odd.
  if (has_ghost_zone(p_) && p_.dim % 2 != 0) sum += "G + ";
  return "if ((" + sum + color + ") % 2 == 0)\n";
}

std::string PlainLoops::first() const {
  if (!has_ghost_zone(p_)) return "0";
  return margin_ == 0 ? "G" : "G - " + std::to_string(margin_);
}
std::string PlainLoops::past(int axis) const {
  if (!has_ghost_zone(p_)) return count(axis);
  return "G + " + count(axis) + (margin_ == 0 ? "" : " + " + std::to_string(margin_));
}

std::string PlainLoops::loop(int axis, const std::string& from, const std::string& to) const {
  const std::string x = axis_name(p_, axis);
  return "for (int " + x + " = " + from + "; " + x + " < " + to + "; ++" + x + ")";
}

std::string PlainLoops::outer_loops(std::string& in) const {
  std::string s;
  if (!over_cells())
    s += p_.dim == 1 ? "#pragma omp parallel for schedule(static)\n"
                     : "#pragma omp parallel for collapse(2) schedule(static)\n";
  in = "  ";
  s += in + "for (int box = 0; box < BOXES; ++box)";
  for (int d = 0; d + 1 < p_.dim; ++d) {
    in += "  ";
    s += "\n" + in + loop(d, first(), past(d));
  }
  in += "  ";
  return s;
}

std::string PlainLoops::sweep(
    const std::string& array, const std::string& color,
    const std::function<std::string(const Neighbour&, const std::string&)>& statement) const {
  return has_ghost_zone(p_) || radius_ == 0 ? ghost_sweep(array, color, statement)
                                            : boundary_sweep(array, color, statement);
}

/// Also where no neighbours are read.
std::string PlainLoops::ghost_sweep(
    const std::string& array, const std::string& color,
    const std::function<std::string(const Neighbour&, const std::string&)>& statement) const {
  std::string in, s = outer_loops(in) + "\n";
  s += in + (over_cells() ? "#pragma omp parallel for schedule(static)" : "SIMD") + "\n" + in +
       loop(p_.dim - 1, first(), past(p_.dim - 1)) + "\n";
  in += "  ";
  if (!color.empty()) s += in + guard(color), in += "  ";
  return s + statement(
                 [&](const std::vector<int>& offset) {
                   std::string e = array + "[box]";
                   for (int d = 0; d < p_.dim; ++d)
                     e +=
                         "[" +
                         shifted(axis_name(p_, d), offset.empty() ? 0 : offset[static_cast<std::size_t>(d)]) +
                         "]";
                   return e;
                 },
                 in);
}

std::string PlainLoops::neighbours(int axis, const std::string& in) const {
  const std::string x = axis_name(p_, axis);
  std::string cells, factors, addends;
  for (int o = -radius_; o <= radius_; ++o) {
    if (o == 0) continue;
    const auto declare = [&](std::string& all, const std::string& prefix, const std::string& value) {
      all += (all.empty() ? "" : ", ") + prefix + named(x, o) + " = " + value;
    };
    const std::string at = outside_arguments(p_, shifted(x, o), axis);
    declare(cells, "", "inside(" + at + ")");
    declare(factors, "f", "factor(" + at + ")");
    declare(addends, "a", "addend(" + at + ", boundary_value)");
  }
  std::string s = in + "const int " + cells + ";\n";
  if (is_odd(p_) || is_valued(p_)) s += in + "const real " + factors + ";\n";
  if (is_valued(p_)) s += in + "const real " + addends + ";\n";
  return s;
}

/// An element whose row, or at an `edge` also whose place in the row, may lie outside the box.
std::string PlainLoops::outside(const std::string& array, const std::vector<int>& offset, bool edge) const {
  std::string element = array + "[box]";
  std::vector<std::string> maps;  // names of the axes' neighbours that may be outside
  for (int d = 0; d < p_.dim; ++d) {
    const int o = offset.empty() ? 0 : offset[static_cast<std::size_t>(d)];
    const bool chosen = o != 0 && (edge || d + 1 < p_.dim);
    element += "[" + (chosen ? named(axis_name(p_, d), o) : shifted(axis_name(p_, d), o)) + "]";
    if (chosen) maps.push_back(named(axis_name(p_, d), o));
  }
  if (maps.empty() || !(is_odd(p_) || is_valued(p_))) return element;
  std::string s = element;
  for (std::size_t m = maps.size(); m-- > 0;) {
    s = "f" + maps[m] + " * " + (m + 1 < maps.size() && is_valued(p_) ? "(" + s + ")" : s);
    if (is_valued(p_)) s = "a" + maps[m] + " + " + s;
  }
  return "(" + s + ")";
}

std::string PlainLoops::boundary_sweep(
    const std::string& array, const std::string& color,
    const std::function<std::string(const Neighbour&, const std::string&)>& statement) const {
  const int inner = p_.dim - 1;
  const std::string i = axis_name(p_, inner), r = std::to_string(radius_), n = count(inner);
  std::string in, s = outer_loops(in) + " {\n";
  for (int d = 0; d < inner; ++d) s += neighbours(d, in);
  const auto body = [&](bool edge, std::string at) {
    const std::string condition = color.empty() ? "" : at + guard(color);
    if (!color.empty()) at += "  ";
    return condition +
           statement([&](const std::vector<int>& offset) { return outside(array, offset, edge); }, at);
  };
  // the first and the last cells of the row
  s += in + "for (int " + i + " = 0; " + i + " < " + n + "; " + i + " = " + i + " + 1 == " + r + " && " + n +
       " > 2 * " + r + " ? " + n + " - " + r + " : " + i + " + 1) {\n";
  s += neighbours(inner, in + "  ") + body(true, in + "  ") + in + "}\n";
  s += in + (over_cells() ? "#pragma omp parallel for schedule(static)" : "SIMD") + "\n" + in +
       loop(inner, r, n + " - " + r) + "\n" + body(false, in + "  ");
  return s + in.substr(2) + "}\n";
}

}  // namespace lift
