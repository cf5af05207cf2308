#include "patterns/transfer_plain.hpp"

#include <cstdio>
#include <vector>

#include "patterns/box_problem.hpp"

namespace lift {
namespace {

using What = TransferLoops::What;

/// A point of the window along one axis: its index as text, a factor ("" for 1), and its weight.
struct Point {
  std::string index, sign;
  double weight;
};

std::string number(const Problem& p, double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return std::string(text) + (p.type == f32 ? "f" : "");
}

class Writer {
 public:
  Writer(const Problem& p, const TransferLoops& t) : p_(p), t_(t), ghost_(has_ghost_zone(p)), names_({"k", "j", "i"}) {
    names_.erase(names_.begin(), names_.end() - t.dim);
  }

  std::string source() const {
    std::string s = header() + "void plain(" + arguments() + ") {\n" + (t_.weights ? "  (void)weights;\n" : "");
    s += t_.dim == 1 ? "#pragma omp parallel for schedule(static)\n" : "#pragma omp parallel for collapse(2) schedule(static)\n";
    std::string in = "  ";
    s += in + "for (int box = 0; box < BOXES; ++box)\n";
    for (int d = 0; d + 1 < t_.dim; ++d) {
      in += "  ";
      s += in + "for (int " + names_[d] + " = 0; " + names_[d] + " < " + trips(d) + "; ++" + names_[d] + ")" + (d + 2 == t_.dim ? " {" : "") + "\n";
    }
    if (t_.dim == 1) s.insert(s.size() - 1, " {");
    in += "  ";
    for (int d = 0; d + 1 < t_.dim; ++d) s += outside_indices(d, in);
    s += inner_loops(in);
    in.resize(in.size() - 2);
    return s + in + "}\n}\n";
  }

 private:
  std::string header() const {
    return std::string("/* ") + (t_.to_coarse() ? "Restriction" : "Prolongation") + ", boundary condition: " + p_.boundary + " */\n" +
           "#define BOXES " + std::to_string(p_.boxes) + "\n#define M " + std::to_string(p_.box / 2) + "    /* coarse cells a dimension */\n" +
           "#define G " + std::to_string(ghost_depth(p_)) + "    /* ghost cells a side */\n" +
           "#ifndef SIMD\n#define SIMD\n#endif\ntypedef " + (p_.type == f32 ? "float" : "double") + " real;\n\n";
  }
  std::string shape(const std::string& cells) const {
    std::string s;
    for (int d = 0; d < t_.dim; ++d) s += "[" + cells + (t_.what == What::faces && !ghost_ && d == t_.face_axis ? " + 1" : "") + (ghost_ ? " + 2 * G]" : "]");
    return s;
  }
  std::string arguments() const {
    const std::string fine = "real (*restrict fine)" + shape("2 * M"), coarse = "real (*restrict coarse)" + shape("M");
    if (t_.to_coarse()) return "const " + fine + ", " + coarse;
    std::string weights = ", const real (*restrict weights)";
    for (int d = 1; d < t_.dim; ++d) weights += "[2]";
    return "const " + coarse + ", " + fine + (t_.weights ? weights : "");
  }
  std::string trips(int d) const { return t_.what == What::faces && d == t_.face_axis ? "M + 1" : "M"; }

  bool reaches_out() const { return t_.what == What::full_weighting || t_.what == What::linear_restriction || t_.what == What::linear; }
  bool odd() const { return p_.boundary == "dirichlet"; }
  std::string shifted(const std::string& index) const { return (ghost_ ? "G + " : "") + index; }
  /// Index of the first or last element of what is read along an axis that is mirrored or wrapped to.
  std::string edge(bool low) const {
    const std::string last = t_.to_coarse() ? "2 * M - 1" : "M - 1";
    return (p_.boundary == "periodic") == low ? last : "0";
  }
  std::string near(const std::string& name, int offset) const {
    std::string s = shifted(t_.to_coarse() ? "2 * " + name : name);
    if (offset != 0) s += offset < 0 ? " - " + std::to_string(-offset) : " + " + std::to_string(offset);
    return s;
  }
  int beyond() const { return t_.to_coarse() ? 2 : 1; }

  /// The elements outside the box along an outer axis, chosen before the inner loops.
  std::string outside_indices(int d, const std::string& in) const {
    if (ghost_ || !reaches_out()) return "";
    const std::string& n = names_[d];
    std::string s = in + "const int " + n + "_low = " + n + " > 0 ? " + near(n, -1) + " : " + edge(true) + ", " + n + "_high = " + n + " < M - 1 ? " +
                    near(n, beyond()) + " : " + edge(false) + ";\n";
    if (t_.what == What::full_weighting) s = s.substr(0, s.rfind(", ")) + ";\n";
    if (odd()) {
      s += in + "const real sign_" + n + "_low = " + n + " > 0 ? 1 : -1" +
           (t_.what == What::full_weighting ? "" : ", sign_" + n + "_high = " + n + " < M - 1 ? 1 : -1") + ";\n";
    }
    return s;
  }

  /// Where the inner index stands: in the first or last cell its neighbours outside are mirrored or wrapped.
  struct Side {
    bool first = false, last = false;
  };
  Point low(int d, Side s, double weight) const {
    const std::string& n = names_[d];
    if (ghost_) return {near(n, -1), "", weight};
    if (d + 1 < t_.dim) return {n + "_low", odd() ? "sign_" + n + "_low" : "", weight};
    return s.first ? Point{edge(true), odd() ? "-1" : "", weight} : Point{near(n, -1), "", weight};
  }
  Point high(int d, Side s, double weight) const {
    const std::string& n = names_[d];
    if (ghost_) return {near(n, beyond()), "", weight};
    if (d + 1 < t_.dim) return {n + "_high", odd() ? "sign_" + n + "_high" : "", weight};
    return s.last ? Point{edge(false), odd() ? "-1" : "", weight} : Point{near(n, beyond()), "", weight};
  }
  /// What is read along an axis; for prolongation by the child of that parity.
  std::vector<Point> window(int d, Side s, int parity) const {
    const std::string& n = names_[d];
    switch (t_.what) {
      case What::average: return {{near(n, 0), "", 0.5}, {near(n, 1), "", 0.5}};
      case What::faces:
        if (d == t_.face_axis) return {{near(n, 0), "", 1}};
        return {{near(n, 0), "", 0.5}, {near(n, 1), "", 0.5}};
      case What::full_weighting: return {low(d, s, 0.25), {near(n, 0), "", 0.5}, {near(n, 1), "", 0.25}};
      case What::linear_restriction: return {low(d, s, 0.125), {near(n, 0), "", 0.375}, {near(n, 1), "", 0.375}, high(d, s, 0.125)};
      case What::constant: return {{near(n, 0), "", 1}};
      case What::linear: break;
    }
    if (parity == 0) return {low(d, s, 0.25), {near(n, 0), "", 0.75}};
    return {{near(n, 0), "", 0.75}, high(d, s, 0.25)};
  }

  /// The weighted sum over the product of the axes' windows.
  std::string sum(Side s, int parities, const std::string& in) const {
    struct Product {
      std::string sign, element;
      double weight;
    };
    std::vector<Product> all{{"", std::string(t_.to_coarse() ? "fine" : "coarse") + "[box]", 1}};
    for (int d = 0; d < t_.dim; ++d) {
      std::vector<Product> next;
      for (const Product& x : all)
        for (const Point& y : window(d, s, (parities >> (t_.dim - 1 - d)) & 1))
          next.push_back({x.sign + (y.sign.empty() ? "" : y.sign + " * "), x.element + "[" + y.index + "]", x.weight * y.weight});
      all = std::move(next);
    }
    const bool equal = t_.what == What::average || t_.what == What::faces || t_.what == What::constant;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) text += all.size() > 2 && i % 2 == 0 ? "\n" + in + "    + " : " + ";
      text += (equal ? "" : number(p_, all[i].weight) + " * ") + all[i].sign + all[i].element;
    }
    return equal && all[0].weight != 1 ? number(p_, all[0].weight) + " * (" + text + ")" : text;
  }

  std::string cell(Side side, const std::string& in) const {
    std::string s;
    for (int parities = 0; parities < (t_.to_coarse() ? 1 : 1 << t_.dim); ++parities) {
      s += in + (t_.to_coarse() ? "coarse[box]" : "fine[box]");
      for (int d = 0; d < t_.dim; ++d)
        s += "[" + shifted(t_.to_coarse() ? names_[d] : "2 * " + names_[d]) + ((parities >> (t_.dim - 1 - d)) & 1 ? " + 1]" : "]");
      s += (t_.increment ? " += " : " = ") + sum(side, parities, in) + ";\n";
    }
    return s;
  }

  std::string inner_loops(const std::string& in) const {
    const auto loop = [&](const std::string& first, const std::string& last) {
      return in + "SIMD\n" + in + "for (int i = " + first + "; i < " + last + "; ++i) {\n" + cell({}, in + "  ") + in + "}\n";
    };
    if (ghost_ || !reaches_out()) return loop("0", trips(t_.dim - 1));
    const auto peeled = [&](const std::string& i, Side s) { return in + "{\n" + in + "  const int i = " + i + ";\n" + cell(s, in + "  ") + in + "}\n"; };
    if (p_.box == 2) return peeled("0", {true, true});
    return peeled("0", {true, false}) + loop("1", "M - 1") + peeled("M - 1", {false, true});
  }

  const Problem& p_;
  const TransferLoops& t_;
  bool ghost_;
  std::vector<std::string> names_;  ///< of the loops, outermost first
};

}  // namespace

std::string transfer_plain(const Problem& p, const TransferLoops& t) {
  for (const char* known : {"ghost", "periodic", "dirichlet", "neumann"})
    if (p.boundary == known) return Writer(p, t).source();
  return "";
}

}  // namespace lift
