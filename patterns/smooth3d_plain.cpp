#include "patterns/smooth3d_plain.hpp"

#include "patterns/box_problem.hpp"

namespace lift {
namespace {

const char* const indent = "        ";

std::string header(const Problem& p, bool gsrb) {
  const std::string ghost = std::to_string(ghost_depth(p));
  return std::string("/* ") + (gsrb ? "Red-black Gauss-Seidel half-sweep" : "Weighted Jacobi sweep") +
         ", variable coefficients, boundary condition: " + p.boundary + " */\n" +
         "#define BOXES " + std::to_string(p.boxes) + "\n" +
         "#define N " + std::to_string(p.box) + "    /* interior cells a dimension */\n" +
         "#define G " + ghost + "    /* ghost cells a side */\n" +
         "#define S (N + 2 * G)\n" +
         "#ifndef SIMD\n#define SIMD\n#endif\n" +
         "typedef " + (p.type == f32 ? "float" : "double") + " real;\n\n";
}

std::string signature(const Problem& p, bool gsrb) {
  const auto pointer = [](const std::string& name, const std::string& shape, bool written) {
    return std::string(written ? "" : "const ") + "real (*restrict " + name + ")" + shape + ", ";
  };
  const std::string cells = "[S][S][S]";
  const bool ghost = has_ghost_zone(p);
  std::string s = "void plain(" + pointer("phi", cells, gsrb) + pointer("rhs", cells, false) + pointer("alpha", cells, false) +
                  pointer("beta_i", ghost ? cells : "[S][S][S + 1]", false) +
                  pointer("beta_j", ghost ? cells : "[S][S + 1][S]", false) +
                  pointer("beta_k", ghost ? cells : "[S + 1][S][S]", false) + pointer("lambda", cells, false);
  if (!gsrb) s += pointer("next", cells, true);
  return s + "real a, real b_h2inv, " + (gsrb ? "int color" : "real w") + ") {\n";
}

/// The update of one cell (k, j, i), from the text of its neighbours' values.
struct Stencil {
  std::string west, east, south, north, down, up;
};
std::string update(const Stencil& phi, bool gsrb, const std::string& in) {
  const std::string c = "phi[box][k][j][i]";
  const std::string l = "a * alpha[box][k][j][i] * " + c + " - b_h2inv * (\n" +
      in + "      beta_i[box][k][j][i + 1] * (" + phi.east + " - " + c + ") - beta_i[box][k][j][i] * (" + c + " - " + phi.west + ")\n" +
      in + "    + beta_j[box][k][j + 1][i] * (" + phi.north + " - " + c + ") - beta_j[box][k][j][i] * (" + c + " - " + phi.south + ")\n" +
      in + "    + beta_k[box][k + 1][j][i] * (" + phi.up + " - " + c + ") - beta_k[box][k][j][i] * (" + c + " - " + phi.down + "))";
  return in + (gsrb ? "phi" : "next") + "[box][k][j][i] = " + c + " + " + (gsrb ? "" : "w * ") +
         "lambda[box][k][j][i] * (rhs[box][k][j][i] - (" + l + "));\n";
}

std::string ghost_loops(bool gsrb) {
  const Stencil phi{"phi[box][k][j][i - 1]", "phi[box][k][j][i + 1]", "phi[box][k][j - 1][i]",
                    "phi[box][k][j + 1][i]", "phi[box][k - 1][j][i]", "phi[box][k + 1][j][i]"};
  return std::string("#pragma omp parallel for collapse(2) schedule(static)\n") +
         "  for (int box = 0; box < BOXES; ++box)\n"
         "    for (int k = G; k < G + N; ++k)\n"
         "      for (int j = G; j < G + N; ++j)\n"
         "        SIMD\n"
         "        for (int i = G; i < G + N; ++i)\n" +
         // i + j + k counts interior cells: three times the ghost depth too much here, an odd number when G is odd.
         (gsrb ? "          if ((i + j + k + G + color) % 2 == 0)\n" : "") +
         update(phi, gsrb, gsrb ? "            " : "          ");
}

/// Without ghost zone: the neighbours outside the box along k and j are chosen before the inner loop, those along i by
/// peeling its first and last iteration.
std::string boundary_loops(const Problem& p, bool gsrb) {
  const bool periodic = p.boundary == "periodic", odd = p.boundary == "dirichlet";
  std::string s = "#pragma omp parallel for collapse(2) schedule(static)\n"
                  "  for (int box = 0; box < BOXES; ++box)\n"
                  "    for (int k = 0; k < N; ++k)\n"
                  "      for (int j = 0; j < N; ++j) {\n";
  const auto choose = [&](const std::string& text) { s += indent + text + "\n"; };
  choose(std::string("const int down = k > 0 ? k - 1 : ") + (periodic ? "N - 1" : "0") + ", up = k < N - 1 ? k + 1 : " + (periodic ? "0" : "N - 1") + ";");
  choose(std::string("const int south = j > 0 ? j - 1 : ") + (periodic ? "N - 1" : "0") + ", north = j < N - 1 ? j + 1 : " + (periodic ? "0" : "N - 1") + ";");
  if (odd) {  // odd reflection: minus the cell on the near side of the face
    choose("const real sign_down = k > 0 ? 1 : -1, sign_up = k < N - 1 ? 1 : -1;");
    choose("const real sign_south = j > 0 ? 1 : -1, sign_north = j < N - 1 ? 1 : -1;");
  }
  const auto side = [&](const std::string& name, const std::string& cell) { return (odd ? "sign_" + name + " * " : "") + cell; };
  const std::string reflected = odd ? "-phi[box][k][j][i]" : "phi[box][k][j][i]";
  const std::string before_first = periodic ? "phi[box][k][j][N - 1]" : reflected, after_last = periodic ? "phi[box][k][j][0]" : reflected;
  const auto cell = [&](const std::string& west, const std::string& east, const std::string& in) {
    const Stencil phi{west, east, side("south", "phi[box][k][south][i]"), side("north", "phi[box][k][north][i]"),
                      side("down", "phi[box][down][j][i]"), side("up", "phi[box][up][j][i]")};
    return (gsrb ? in + "if ((i + j + k + color) % 2 == 0)\n" : "") + update(phi, gsrb, gsrb ? in + "  " : in);
  };
  const auto peeled = [&](const std::string& i, const std::string& west, const std::string& east) {
    s += std::string(indent) + "{\n" + indent + "  const int i = " + i + ";\n" + cell(west, east, std::string(indent) + "  ") + indent + "}\n";
  };
  const std::string west = "phi[box][k][j][i - 1]", east = "phi[box][k][j][i + 1]";
  if (p.box == 1) {
    peeled("0", before_first, after_last);
  } else {
    peeled("0", before_first, east);
    s += std::string(indent) + "SIMD\n" + indent + "for (int i = 1; i < N - 1; ++i)" + (gsrb ? "" : " {") + "\n" + cell(west, east, std::string(indent) + "  ") +
         (gsrb ? "" : std::string(indent) + "}\n");
    peeled("N - 1", west, after_last);
  }
  return s + "      }\n";
}

}  // namespace

std::string smooth3d_plain(const Problem& p, bool gsrb) {
  return header(p, gsrb) + signature(p, gsrb) + (has_ghost_zone(p) ? ghost_loops(gsrb) : boundary_loops(p, gsrb)) + "}\n";
}

}  // namespace lift
