#include "patterns/reduction_plain.hpp"

#include "patterns/plain_loops.hpp"

namespace lift {

std::string cell_text(const BoxProblem& p, const std::string& array) {
  std::string s = array + "[box]";
  for (int d = 0; d < p.dim; ++d) s += "[" + axis_name(p, d) + "]";
  return s;
}

std::string cell_loops(const BoxProblem& p, const CellLoops& loops) {
  std::string s = (p.dim == 1 ? "#pragma omp parallel for schedule(static)"
                              : "#pragma omp parallel for collapse(2) schedule(static)") +
                  loops.clause + "\n";
  std::string in = "  ";
  const auto loop = [&](int d) {
    const std::string x = axis_name(p, d);
    return in + "for (int " + x + " = G; " + x + " < G + " + axis_macro(p, "N", d) + "; ++" + x + ")";
  };
  s += in + "for (int box = 0; box < BOXES; ++box)";
  for (int d = 0; d + 1 < p.dim; ++d) in += "  ", s += "\n" + loop(d);
  s += " {\n";
  in += "  ";
  if (!loops.before_row.empty()) s += in + loops.before_row + "\n";
  s += in + loops.simd + "\n" + loop(p.dim - 1) + "\n" + in + "  " + loops.statement + "\n";
  if (!loops.after_row.empty()) s += in + loops.after_row + "\n";
  return s + in.substr(2) + "}\n";
}

std::string reduction_loops(const BoxProblem& p, Reduction what, const std::string& x, const std::string& y) {
  const std::string a = "(double)" + cell_text(p, x),
                    b = "(double)" + cell_text(p, what == Reduction::inner ? y : x);
  const std::string simd = "#pragma omp simd reduction(";
  if (what == Reduction::largest)
    return "  double largest = 0;\n" +
           cell_loops(p, {" reduction(max:largest)", "double row = 0;", simd + "max:row)",
                          "row = fmax(row, fabs(" + a + "));", "largest = fmax(largest, row);"}) +
           "  *out = largest;\n";
  return "  double sum = 0;\n" +
         cell_loops(p, {" reduction(+:sum)", "double row = 0;", simd + "+:row)",
                        "row += " + a + " * " + b + ";", "sum += row;"}) +
         (what == Reduction::inner ? "  *out = sum;\n" : "  *out = sqrt(sum);\n");
}

}  // namespace lift
