#include "patterns/transfer_plain.hpp"

#include <fmt/format.h>
#include <vector>

#include "patterns/plain_loops.hpp"

namespace lift {
namespace {

using What = TransferLoops::What;

/// A point of the window along one axis: its index as text, its weight, and, where it may lie outside the
/// box, the name under which its factor and addend are found.
struct Point {
  std::string index, outside;
  double weight;
};

class Writer {
 public:
  Writer(const BoxProblem& fine, const TransferLoops& t, std::string fine_name = "fine",
         std::string coarse_name = "coarse")
      : p_(fine),
        t_(t),
        fine_(std::move(fine_name) + "[box]"),
        coarse_(std::move(coarse_name) + "[box]"),
        ghost_(has_ghost_zone(fine)) {
    for (int d = 0; d < p_.dim; ++d) names_.push_back(axis_name(p_, d));
  }

  std::string source(const Program& program) const {
    return header() + "void plain(" + plain_parameters(program) + ") {\n" + loops() + "}\n";
  }

  std::string loops() const {
    std::string s = p_.dim == 1 ? "#pragma omp parallel for schedule(static)\n"
                                : "#pragma omp parallel for collapse(2) schedule(static)\n";
    std::string in = "  ";
    s += in + "for (int box = 0; box < BOXES; ++box)";
    for (std::size_t d = 0; d + 1 < names_.size(); ++d) {
      in += "  ";
      s += "\n" + in + "for (int " + names_[d] + " = 0; " + names_[d] + " < " + trips(d) + "; ++" +
           names_[d] + ")";
    }
    s += " {\n";
    in += "  ";
    for (std::size_t d = 0; d + 1 < names_.size(); ++d) s += outside(d, in);
    s += inner_loops(in);
    return s + in.substr(2) + "}\n";
  }

 private:
  bool reaches_out() const {
    return t_.what == What::full_weighting || t_.what == What::linear_restriction || t_.what == What::linear;
  }
  bool maps() const { return is_odd(p_) || is_valued(p_); }

  std::string header() const {
    const std::string what = t_.to_coarse() ? "Restriction" : "Prolongation";
    const std::string s = "/* " + what + ", boundary condition: " + p_.boundary + " */\n" +
                          plain_macros(p_, axis_macros(p_, "M", "coarse cells a dimension", [&](int d) {
                                         return std::to_string(cells_along(p_, d) / 2);
                                       }));
    if (ghost_ || !reaches_out()) return s + "\n";
    const auto read = [&](int d) {
      return t_.to_coarse() ? "(2 * " + coarse_cells(d) + ")" : coarse_cells(d);
    };
    return s + axis_macros(p_, "N", "cells a dimension of what is read", read) + plain_outside(p_, 1) + "\n";
  }

  std::string coarse_cells(int d) const { return axis_macro(p_, "M", d); }
  std::string trips(std::size_t axis) const {
    const int d = static_cast<int>(axis);
    return coarse_cells(d) + (t_.what == What::faces && d == t_.face_axis ? " + 1" : "");
  }
  std::string shifted(const std::string& index) const { return (ghost_ ? "G + " : "") + index; }
  std::string near(std::size_t d, int offset) const {
    std::string s = shifted((t_.to_coarse() ? "2 * " : "") + names_[d]);
    if (offset != 0) s += offset < 0 ? " - " + std::to_string(-offset) : " + " + std::to_string(offset);
    return s;
  }
  int beyond() const { return t_.to_coarse() ? 2 : 1; }

  /// The elements along an axis that may lie outside the box: k_low and, where it is read, k_high.
  std::string outside(std::size_t d, const std::string& in) const {
    if (ghost_ || !reaches_out()) return "";
    std::string s;
    for (const bool low : {true, false}) {
      if (!low && t_.what == What::full_weighting) continue;
      const std::string name = names_[d] + (low ? "_low" : "_high"),
                        at = outside_arguments(p_, near(d, low ? -1 : beyond()), static_cast<int>(d));
      s += in + "const int " + name + " = inside(" + at + ");\n";
      if (maps()) s += in + "const real factor_" + name + " = factor(" + at + ");\n";
      if (is_valued(p_)) s += in + "const real addend_" + name + " = addend(" + at + ", boundary_value);\n";
    }
    return s;
  }

  /// `edge`: the innermost index is that of the first or the last cell of a row.
  Point neighbour(std::size_t d, bool low, bool edge, double weight) const {
    if (ghost_ || (d + 1 == names_.size() && !edge)) return {near(d, low ? -1 : beyond()), "", weight};
    const std::string name = names_[d] + (low ? "_low" : "_high");
    return {name, name, weight};
  }
  /// What is read along an axis; for prolongation by the child of that parity.
  std::vector<Point> window(std::size_t d, bool edge, int parity) const {
    const auto cell = [&](int offset, double weight) { return Point{near(d, offset), "", weight}; };
    switch (t_.what) {
      case What::average:
        return {cell(0, 0.5), cell(1, 0.5)};
      case What::faces:
        if (static_cast<int>(d) == t_.face_axis) return {cell(0, 1)};
        return {cell(0, 0.5), cell(1, 0.5)};
      case What::full_weighting:
        return {neighbour(d, true, edge, 0.25), cell(0, 0.5), cell(1, 0.25)};
      case What::linear_restriction:
        return {neighbour(d, true, edge, 0.125), cell(0, 0.375), cell(1, 0.375),
                neighbour(d, false, edge, 0.125)};
      case What::constant:
        return {cell(0, 1)};
      case What::linear:
        break;
    }
    if (parity == 0) return {neighbour(d, true, edge, 0.25), cell(0, 0.75)};
    return {cell(0, 0.75), neighbour(d, false, edge, 0.25)};
  }

  /// An element, as the boundary condition changes it outside the box, axis by axis.
  std::string value(const std::vector<Point>& at) const {
    std::string s = t_.to_coarse() ? fine_ : coarse_;
    for (const Point& x : at) s += "[" + x.index + "]";
    if (!maps()) return s;
    for (const Point& x : at) {
      if (x.outside.empty()) continue;
      s = "factor_" + x.outside + " * " + s;
      if (is_valued(p_)) s = "(addend_" + x.outside + " + " + s + ")";
    }
    return s;
  }
  std::string number(double v) const { return fmt::format("{:.17g}{}", v, p_.type == f32 ? "f" : ""); }
  int bit(int parities, std::size_t d) const { return (parities >> (names_.size() - 1 - d)) & 1; }

  /// The weighted sum over the product of the axes' windows.
  std::string sum(bool edge, int parities, const std::string& in) const {
    std::vector<std::vector<Point>> all{{}};
    for (std::size_t d = 0; d < names_.size(); ++d) {
      std::vector<std::vector<Point>> next;
      for (const auto& x : all)
        for (const Point& y : window(d, edge, bit(parities, d))) next.push_back(x), next.back().push_back(y);
      all = std::move(next);
    }
    const bool equal = t_.what == What::average || t_.what == What::faces || t_.what == What::constant;
    std::string text;
    double weight = 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) text += all.size() > 2 && i % 2 == 0 ? "\n" + in + "    + " : " + ";
      weight = 1;
      for (const Point& x : all[i]) weight *= x.weight;
      text += (equal ? "" : number(weight) + " * ") + value(all[i]);
    }
    return equal && weight != 1 ? number(weight) + " * (" + text + ")" : text;
  }

  std::string cell(bool edge, const std::string& in) const {
    std::string s;
    for (int parities = 0; parities < (t_.to_coarse() ? 1 : 1 << p_.dim); ++parities) {
      s += in + (t_.to_coarse() ? coarse_ : fine_);
      for (std::size_t d = 0; d < names_.size(); ++d)
        s += "[" + shifted((t_.to_coarse() ? "" : "2 * ") + names_[d]) + (bit(parities, d) ? " + 1]" : "]");
      s += (t_.increment ? " += " : " = ") + sum(edge, parities, in) + ";\n";
    }
    return s;
  }

  std::string inner_loops(const std::string& in) const {
    const auto loop = [&](const std::string& first, const std::string& last) {
      return in + "SIMD\n" + in + "for (int i = " + first + "; i < " + last + "; ++i) {\n" +
             cell(false, in + "  ") + in + "}\n";
    };
    const std::size_t inner = names_.size() - 1;
    if (ghost_ || !reaches_out()) return loop("0", trips(inner));
    const std::string m = trips(inner);
    return in + "for (int i = 0; i < " + m + "; i += " + m + " > 1 ? " + m +
           " - 1 : 1) {    /* the first and the last cell of the row */\n" + outside(inner, in + "  ") +
           cell(true, in + "  ") + in + "}\n" + loop("1", m + " - 1");
  }

  const BoxProblem& p_;
  const TransferLoops& t_;
  std::string fine_, coarse_;
  bool ghost_;
  std::vector<std::string> names_;  ///< of the loops, outermost first
};

}  // namespace

std::string transfer_plain(const BoxProblem& fine, const Program& program, const TransferLoops& t) {
  return Writer(fine, t).source(program);
}
std::string transfer_loops(const BoxProblem& fine, const TransferLoops& t, const std::string& fine_name,
                           const std::string& coarse_name) {
  return Writer(fine, t, fine_name, coarse_name).loops();
}

}  // namespace lift
