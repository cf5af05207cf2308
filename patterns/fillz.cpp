// Filling of negative mixing ratios in a column, as fillz of FV3 does: a level that lacks mass borrows from
// the level above, then from the one below; the uppermost hands what it lacks down.
#include <algorithm>

#include "patterns/box_fill.hpp"
#include "patterns/columns.hpp"
#include "patterns/operators.hpp"

namespace lift {
namespace patterns::fillz {
namespace {

Program build(const BoxProblem& p) {
  const Expr q = param("q", column_array(p)), dp = param("dp", column_array(p));
  const Expr zero = literal(0, p.type);
  // Of each level: its mass before the one below borrows, what it takes from above, what it takes from below.
  const auto level = [&](Expr above, Expr x) {
    const Expr here = get(0, get(0, x)), below = get(1, get(0, x)), k = get(1, x);
    const Expr own = here - get(2, above), from = get(0, above);
    const Expr up = select(own < 0 && zero < from, min(from, -own), zero);
    const Expr lacks = own + up;
    const Expr borrowed = select(zero < below, min(below, -lacks), zero);
    const Expr handed_down = cells_along(p, 0) == 1
                                 ? borrowed
                                 : select(eq(k, 0), -lacks, borrowed);  // nothing lies below a single level
    const Expr low = select(lacks < 0, handed_down, zero);
    return tuple({lacks + low, up, low});
  };
  const auto column = [&](const Expr& levels) {
    const Nat n = levels.type().length();
    const Expr masses = levels | map([&](Expr x) {
                          const Expr ratios = get(0, x), thickness = get(1, x);
                          return tuple({at({0, 0, 0}, ratios) * at({0, 0, 0}, thickness),
                                        at({1, 0, 0}, ratios) * at({1, 0, 0}, thickness)});
                        });
    const Expr filled = zip({masses, iota(n)}) | scan(level, tuple({zero, zero, zero})) | map([](Expr l) {
                          return tuple({get(0, l), get(1, l)});
                        });
    return let(filled, [&](Expr v) {
      const Expr taken = v | map([](Expr l) { return get(1, l); }) | drop(1, 0) | pad(0, 1, constant);
      return zip({v, taken, levels}) | map([](Expr t) {
               return (get(0, get(0, t)) - get(1, t)) / at({0, 0, 0}, get(1, get(2, t)));
             });
    });
  };
  const Expr body =
      zip({q, dp}) | map([&](Expr box) {
        // nothing lies below the lowest level
        const Expr ratios = slide({2, 1, 1}, {1, 1, 1}, pad({0, 0, 0}, {1, 0, 0}, constant, get(0, box)));
        return for_columns({ratios, level_windows(get(1, box), 0, 1)}, column);
      });
  return {.name = "fillz", .arguments = {q, dp}, .body = body, .overwritable = {}, .results = {"q_new"}};
}

void fill(const Problem& p, const HostArray& a) {
  fill_wave(p, 0, a,
            a.name == "q" ? Wave{0.2, 1, 3, {0.31, 0.23, 0.17}} : Wave{1, 0.3, 1, {0.05, 0.13, 0.29}});
}

template <class T>
void reference(const BoxProblem& p, const std::vector<HostArray>& arguments, const HostArray& result) {
  const host::Levels<const T> q(host::argument(arguments, "q")), dp(host::argument(arguments, "dp"));
  const host::Levels<T> out(result);
  const std::int64_t n = cells_along(p, 0);
  host::for_columns(p, [&](std::int64_t box, std::int64_t j, std::int64_t i) {
    std::vector<T> mass(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n; ++k)
      mass[static_cast<std::size_t>(k)] = q(box, k, j, i) * dp(box, k, j, i);
    for (std::size_t k = 0; k < mass.size(); ++k) {
      if (k > 0 && mass[k] < 0 && mass[k - 1] > 0) {
        const T moved = std::min(mass[k - 1], -mass[k]);
        mass[k] += moved, mass[k - 1] -= moved;
      }
      if (k + 1 == mass.size() || !(mass[k] < 0) || (k > 0 && !(mass[k + 1] > 0))) continue;
      const T moved = k == 0 ? -mass[k] : std::min(mass[k + 1], -mass[k]);
      mass[k] += moved, mass[k + 1] -= moved;
    }
    for (std::int64_t k = 0; k < n; ++k)
      out(box, k, j, i) = mass[static_cast<std::size_t>(k)] / dp(box, k, j, i);
  });
}

std::string plain(const BoxProblem& p) {
  return "#include <math.h>\n" + column_header(p) +
         "void plain(const real (*restrict q)[NK][NJ][NI], const real (*restrict dp)[NK][NJ][NI], real "
         "(*restrict "
         "out)[NK][NJ][NI]) {\n"
         "#pragma omp parallel for collapse(2) schedule(static)\n"
         "  for (int box = 0; box < BOXES; ++box)\n"
         "    for (int j = 0; j < NJ; ++j) {\n"
         "      real above[NI], here[NI];\n"
         "      SIMD\n"
         "      for (int i = 0; i < NI; ++i)\n"
         "        here[i] = q[box][0][j][i] * dp[box][0][j][i];\n"
         "      for (int k = 0; k < NK; ++k) {\n"
         "        SIMD\n"
         "        for (int i = 0; i < NI; ++i) {\n"
         "          real mass = here[i], below = k < NK - 1 ? q[box][k + 1][j][i] * dp[box][k + 1][j][i] : "
         "0;\n"
         "          if (k > 0) {\n"
         "            real moved = mass < 0 && above[i] > 0 ? (real)fmin(above[i], -mass) : 0;\n"
         "            mass += moved;\n"
         "            out[box][k - 1][j][i] = (above[i] - moved) / dp[box][k - 1][j][i];\n"
         "          }\n"
         "          if (k < NK - 1 && mass < 0 && (k == 0 || below > 0)) {\n"
         "            real moved = k == 0 ? -mass : (real)fmin(below, -mass);\n"
         "            mass += moved;\n"
         "            below -= moved;\n"
         "          }\n"
         "          above[i] = mass;\n"
         "          here[i] = below;\n"
         "        }\n"
         "      }\n"
         "      SIMD\n"
         "      for (int i = 0; i < NI; ++i)\n"
         "        out[box][NK - 1][j][i] = above[i] / dp[box][NK - 1][j][i];\n"
         "    }\n"
         "}\n";
}

}  // namespace
}  // namespace patterns::fillz

Pattern fillz() {
  using namespace patterns::fillz;
  return column_pattern("fillz", "limiter a column: levels that lack mass borrow from those above and below",
                        "m[k] = q[k] dp[k]; from the first level to the last: a negative m[k] takes "
                        "min(m[k-1], -m[k]) from a positive m[k-1], then,\n"
                        "if still negative, min(m[k+1], -m[k]) from a positive m[k+1]; the first level takes "
                        "-m[0] from m[1] whatever it has\n"
                        "q_new = m / dp",
                        build, fill, reference<float>, reference<double>, plain);
}

}  // namespace lift
