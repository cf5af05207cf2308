// Smoothers: sweeps of phi + (something) * lambda * (rhs - L(phi)).

#include "ir/error.hpp"
#include "patterns/box_fill.hpp"
#include "patterns/half_sweeps.hpp"
#include "patterns/operators.hpp"
#include "patterns/plain_loops.hpp"
#include "patterns/stencil.hpp"
#include "patterns/stencil_plain.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/thesis_boxes.hpp"

namespace lift {
namespace patterns::smooth {
namespace {

const Choices& choices(int dim) {
  static const auto& all = *new std::vector<Choices>([] {
    Choices c = stencil_choices();
    c["smoother"] = {"gsrb", "jacobi", "chebyshev", "symmetric-gsrb"};
    c["degree"] = {"1", "2", "3", "4"};
    return std::vector{c, with_thesis_form(c, 3)};
  }());
  return all[dim == 3 ? 1 : 0];
}

std::string name_of(int dim) { return "smooth" + std::to_string(dim) + "d"; }

/// What is to be built, checked.
struct Smoother {
  BoxProblem p;
  Stencil L;
  std::string kind;
  int degree;               ///< of the Chebyshev polynomial: its steps
  std::int64_t margin = 0;  ///< cells that p has more on every side than the problem
  Expr phi, rhs, lambda;

  Smoother(const Problem& problem, int dim)
      : p(problem, dim, wraps_colours(problem, dim) ? 2 : 1),
        L(p, choices(dim)),
        kind(choice(p, "smoother", choices(dim))),
        degree(std::stoi(choice(p, "degree", choices(dim)))),
        phi(param("phi", cell_array(p))),
        rhs(param("rhs", cell_array(p))),
        lambda(param("lambda", cell_array(p))) {
    if (p.sweeps > 1 && (kind == "chebyshev" || kind == "symmetric-gsrb"))
      throw UserError("--sweeps " + std::to_string(p.sweeps) + ": --smoother " + kind +
                      " has a fixed number of sweeps" + (kind == "chebyshev" ? ", its --degree" : "") +
                      "; use --smoother gsrb or jacobi, or leave --sweeps out");
    if (p.choices.contains("degree") && kind != "chebyshev")
      throw UserError("--degree " + std::to_string(degree) +
                      ": only a polynomial has a degree; use --smoother chebyshev, or leave it out");
    if (thesis()) check_thesis();
    if (!red_black()) return;
    if (L.shape() != "star")
      throw UserError("--stencil " + L.shape() +
                      ": cells of one colour are neighbours in it, and red-black sweeps are in place; use "
                      "--stencil star or --smoother jacobi");
    if (p.boundary == "periodic" && has_odd_side(p))
      throw UserError("--box " + box_text(p) +
                      ": red-black colouring of a periodic box needs an even side, else cells of one colour "
                      "are neighbours "
                      "across the boundary; use an even --box or --smoother jacobi");
  }
  static bool wraps_colours(const Problem& p, int dim) {
    return p.boundary == "periodic" && choice(p, "smoother", choices(dim)).ends_with("gsrb");
  }
  /// Sweep t of several: over the cells that the later ones read, too.
  Smoother sweep(int t) const {
    Smoother s = *this;
    s.margin = has_ghost_zone(p) ? static_cast<std::int64_t>(p.sweeps - 1 - t) * L.radius() : 0;
    s.p = grown(p, s.margin), s.L = Stencil(s.p, L.variable(), L.shape());
    return s;
  }
  /// Listing 2.10: colours in an array, the result in another one.
  bool thesis() const { return has_thesis_form(p); }
  void check_thesis() const {
    check_thesis_form(p, L);
    if (kind != "gsrb" || p.sweeps > 1)
      throw UserError(
          "--form thesis: the thesis has one half-sweep in red-black order; leave --smoother and "
          "--sweeps out");
  }
  bool red_black() const { return kind == "gsrb" || kind == "symmetric-gsrb"; }
  /// c1 and c2 of Chebyshev step m.
  std::string factor(const char* name, int m) const {
    return degree == 1 ? name : std::string(name) + "_" + std::to_string(m);
  }
};

// ---- the expression

/// What one cell's new value is computed from.
struct Cell {
  Expr phi, correction;  ///< phi; lambda * (rhs - L(phi))
  Expr old;              ///< the value to be replaced
};

/// A sweep over all boxes that writes into `target` what `value` makes of each cell of `phi`.
Expr sweep(const Smoother& s, const Expr& phi, const Expr& target,
           const std::function<Expr(const Cell&)>& value) {
  const bool old_needed = s.kind == "chebyshev";
  std::vector<Expr> arrays{phi, s.rhs};
  arrays.insert(arrays.end(), s.L.coefficients().begin(), s.L.coefficients().end());
  arrays.push_back(s.lambda);
  arrays.push_back(target);
  const std::size_t coefficients = s.L.coefficients().size();
  return for_boxes(arrays, [&](Parts x) {
    const Expr& to = x.back();
    std::vector<Expr> views{s.L.windows(x[0]), interior(s.p, x[1])};
    for (const Expr& v : s.L.coefficient_views(x.subspan(2, coefficients))) views.push_back(v);
    views.push_back(interior(s.p, x[2 + coefficients]));
    if (old_needed) views.push_back(interior(s.p, to));
    return write_interior(s.p, to, for_cells(s.p, views, [&](Parts at) {
                            Cell c;
                            c.phi = s.L.centre(at[0]);
                            c.correction =
                                at[2 + coefficients] * (at[1] - s.L(at[0], at.subspan(2, coefficients)));
                            c.old = old_needed ? at.back() : c.phi;
                            return value(c);
                          }));
  });
}

Expr half_sweep(const Smoother& s, const Expr& phi, const Expr& color) {
  std::vector<Expr> arrays{phi, s.rhs};
  arrays.insert(arrays.end(), s.L.coefficients().begin(), s.L.coefficients().end());
  arrays.push_back(s.lambda);
  return for_boxes(arrays, [&](Parts box) { return half_sweep_of_box(s.p, s.L, s.margin, box, color); });
}

/// Half-sweeps t, t + 1, ... of alternating colours.
Expr half_sweeps(const Smoother& s, int t, const Expr& phi, const Expr& color) {
  const Expr x = half_sweep(s.sweep(t), phi, t % 2 == 0 ? color : color + 1);
  if (t + 1 == s.p.sweeps) return x;
  return let(x, [&](Expr next) { return half_sweeps(s, t + 1, next, color); });
}

/// Jacobi sweeps t, t + 1, ...: from one array into the other, and back.
Expr jacobi(const Smoother& s, int t, const Expr& phi, const Expr& target, const Expr& w) {
  const Expr x = sweep(s.sweep(t), phi, target, [&](const Cell& c) { return c.phi + w * c.correction; });
  if (t + 1 == s.p.sweeps) return x;
  return let(x, [&](Expr next) { return jacobi(s, t + 1, next, phi, w); });
}

/// Steps m, m + 1, ... of the Chebyshev polynomial: each overwrites the array of the step before last.
Expr chebyshev(const Smoother& s, int m, const Expr& phi, const Expr& prev) {
  const Expr c1 = param(s.factor("c1", m), s.p.type), c2 = param(s.factor("c2", m), s.p.type);
  const Expr step =
      sweep(s, phi, prev, [&](const Cell& c) { return c.phi + c1 * (c.phi - c.old) + c2 * c.correction; });
  if (m + 1 == s.degree) return step;
  return let(step, [&](Expr next) { return chebyshev(s, m + 1, next, phi); });
}

/// Of listing 2.10.
Program build_thesis(const Smoother& s) {
  std::vector<Expr> arrays{s.phi, s.rhs};
  arrays.insert(arrays.end(), s.L.coefficients().begin(), s.L.coefficients().end());
  arrays.push_back(s.lambda);
  arrays.push_back(param("colors", array(shape_of(cell_array(s.p)), i32)));
  arrays.push_back(param("next", cell_array(s.p)));
  Program r{.name = name_of(3), .arguments = arrays, .body = {}, .overwritable = {"next"}, .results = {}};
  r.body = for_boxes(arrays, [&](Parts x) {
    return write_interior(s.p, x.back(), thesis_smooth(s.p, s.L, x.first(x.size() - 1)));
  });
  for (const Expr& scalar : s.L.scalars()) r.arguments.push_back(scalar);
  return r;
}

Program build(const Problem& problem, int dim) {
  const Smoother s(problem, dim);
  if (s.thesis()) return build_thesis(s);
  Program r{.name = name_of(dim), .arguments = {s.phi, s.rhs}, .body = {}, .overwritable = {}, .results = {}};
  const auto add = [&](const std::vector<Expr>& more) {
    r.arguments.insert(r.arguments.end(), more.begin(), more.end());
  };
  add(s.L.coefficients());
  add({s.lambda});
  const std::vector<Expr> scalars = s.L.scalars();
  if (s.kind == "gsrb") {
    const Expr color = index_param("color", 0, 1);
    add(scalars), add({color});
    r.body = half_sweeps(s, 0, s.phi, color), r.overwritable = {"phi"};
  } else if (s.kind == "jacobi") {
    const Expr next = param("next", cell_array(s.p)), w = param("w", s.p.type);
    add({next}), add(scalars), add({w});
    r.body = jacobi(s, 0, s.phi, next, w);
    if (s.p.sweeps == 1)
      r.overwritable = {"next"};
    else
      r.overwritable = s.p.sweeps % 2 == 0 ? std::vector<std::string>{"phi", "next"}
                                           : std::vector<std::string>{"next", "phi"};
  } else if (s.kind == "chebyshev") {
    const Expr prev = param("prev", cell_array(s.p));
    add({prev}), add(scalars);
    for (int m = 0; m < s.degree; ++m)
      add({param(s.factor("c1", m), s.p.type), param(s.factor("c2", m), s.p.type)});
    r.body = chebyshev(s, 0, s.phi, prev);
    if (s.degree == 1)
      r.overwritable = {"prev"};
    else
      r.overwritable = s.degree % 2 == 0 ? std::vector<std::string>{"phi", "prev"}
                                         : std::vector<std::string>{"prev", "phi"};
  } else {
    add(scalars);
    const auto sweeps = [&](const auto& self, const Expr& phi, std::vector<int> colors) -> Expr {
      const Expr x = half_sweep(s, phi, literal(colors[0], i32));
      if (colors.size() == 1) return x;
      return let(x, [&](Expr y) { return self(self, y, {colors.begin() + 1, colors.end()}); });
    };
    r.body = sweeps(sweeps, s.phi, {0, 1, 1, 0}), r.overwritable = {"phi"};
  }
  return r;
}

// ---- the reference

/// An array's storage and a copy of another's contents.
template <class T>
struct Copy {
  std::vector<T> data;
  HostArray array;
  explicit Copy(const HostArray& a)
      : data(static_cast<std::size_t>(host::count(a.type))), array{a.name, a.type, data.data()} {
    host::copy(a, array);
  }
};

/// One Jacobi sweep of several over the cells of `s`, from an array into another.
template <class T>
void reference_sweep(const Smoother& s, const std::vector<HostArray>& arguments, const HostArray& from,
                     const HostArray& to) {
  using Cells = host::BoxCells<const T>;
  const double g = host::boundary_value(s.p, arguments);
  const host::StencilReference<T> L(s.p, s.L.variable(), s.L.shape(), arguments);
  const Cells phi(s.p, from, g), rhs(s.p, host::argument(arguments, "rhs")),
      lambda(s.p, host::argument(arguments, "lambda"));
  const T w = static_cast<T>(host::scalar(arguments, "w"));
  const host::BoxCells<T> out(s.p, to, g);
  out.for_cells([&](std::int64_t box, const host::Position& x) {
    out(box, x) = phi(box, x) + w * (lambda(box, x) * (rhs(box, x) - L(phi, box, x)));
  });
}

template <class T>
void references(const Smoother& s, const std::vector<HostArray>& arguments, const HostArray& result) {
  Copy<T> current(host::argument(arguments, "phi"));
  if (s.red_black()) {
    const auto color = static_cast<std::int64_t>(host::scalar(arguments, "color"));
    for (int t = 0; t < s.p.sweeps; ++t) {
      const Smoother part = s.sweep(t);
      host::half_sweep<T>(part.p, part.L, part.margin, color + t, arguments, current.array);
    }
  } else {
    Copy<T> other(host::argument(arguments, "next"));
    for (int t = 0; t < s.p.sweeps; ++t) {
      reference_sweep<T>(s.sweep(t), arguments, current.array, other.array);
      std::swap(current, other);
    }
  }
  host::copy(current.array, result);
}

template <class T>
void reference(const Problem& problem, int dim, const std::vector<HostArray>& arguments,
               const HostArray& result) {
  using Cells = host::BoxCells<const T>;
  const Smoother s(problem, dim);
  if (problem.sweeps > 1) return references<T>(s, arguments, result);
  const host::StencilReference<T> L(s.p, s.L.variable(), s.L.shape(), arguments);
  const Cells rhs(s.p, host::argument(arguments, "rhs")), lambda(s.p, host::argument(arguments, "lambda"));
  const double g = host::boundary_value(s.p, arguments);
  const auto number = [&](const std::string& name) { return static_cast<T>(host::scalar(arguments, name)); };
  const auto correction = [&](const Cells& phi, std::int64_t box, const host::Position& x) {
    return lambda(box, x) * (rhs(box, x) - L(phi, box, x));
  };
  const HostArray& phi0 = host::argument(arguments, "phi");

  if (s.thesis()) {
    host::copy(host::argument(arguments, "next"), result);
    const Cells phi(s.p, phi0, g);
    const host::BoxCells<T> out(s.p, result);
    return out.for_cells([&](std::int64_t box, const host::Position& x) {
      out(box, x) = phi(box, x) + ((x[0] + x[1] + x[2]) % 2 == 0 ? correction(phi, box, x) : T{0});
    });
  }
  if (s.red_black()) {
    // Cells of one colour read no others of it, so a half-sweep needs no second array.
    host::copy(phi0, result);
    const host::BoxCells<T> out(s.p, result, g);
    const Cells phi(s.p, result, g);
    const auto half_sweep = [&](std::int64_t color) {
      out.for_cells([&](std::int64_t box, const host::Position& x) {
        if ((x[0] + x[1] + x[2] + color) % 2 == 0) out(box, x) = phi(box, x) + correction(phi, box, x);
      });
    };
    if (s.kind == "gsrb") return half_sweep(static_cast<std::int64_t>(host::scalar(arguments, "color")));
    for (const std::int64_t color : {0, 1, 1, 0}) half_sweep(color);
    return;
  }
  if (s.kind == "jacobi") {
    const T w = number("w");
    host::copy(host::argument(arguments, "next"), result);
    const Cells phi(s.p, phi0, g);
    const host::BoxCells<T> out(s.p, result);
    return out.for_cells([&](std::int64_t box, const host::Position& x) {
      out(box, x) = phi(box, x) + w * correction(phi, box, x);
    });
  }
  Copy<T> current(phi0), previous(host::argument(arguments, "prev"));
  for (int m = 0; m < s.degree; ++m) {
    const T c1 = number(s.factor("c1", m)), c2 = number(s.factor("c2", m));
    const Cells phi(s.p, current.array, g);
    const host::BoxCells<T> out(s.p, previous.array);
    out.for_cells([&](std::int64_t box, const host::Position& x) {
      out(box, x) = phi(box, x) + c1 * (phi(box, x) - out(box, x)) + c2 * correction(phi, box, x);
    });
    std::swap(current, previous);
  }
  host::copy(current.array, result);
}

// ---- the plain loops

std::string plain(const Problem& problem, int dim) {
  const Smoother s(problem, dim);
  const PlainLoops all(s.p, s.L.radius());
  const auto sweep = [&](const std::string& phi, const std::string& target, const std::string& value_head,
                         const std::string& color, std::int64_t margin = 0) {
    const PlainLoops loops = all.grown(margin);
    const StencilText L(s.p, s.L.variable(), s.L.shape(), loops);
    return loops.sweep(
        phi, color, [&, value_head, target](const PlainLoops::Neighbour& at, const std::string& in) {
          return in + loops.cell(target) + " = " + at({}) + " + " + value_head + loops.cell("lambda") +
                 " * (" + loops.cell("rhs") + " - (" + L(at, in) + "));\n";
        });
  };
  std::string body, what;
  if (s.thesis()) {
    const StencilText L(s.p, true, "star", all);
    body = all.sweep("phi", "", [&](const PlainLoops::Neighbour& at, const std::string& in) {
      return in + all.cell("next") + " = " + at({}) + " + (" + all.cell("colors") + " ? " +
             all.cell("lambda") + " * (" + all.cell("rhs") + " - (" + L(at, in) + ")) : 0);\n";
    });
    return all.header("Red-black Gauss-Seidel half-sweep into another array, " + L.describe()) +
           all.function(build(problem, dim), body);
  }
  if (s.kind == "gsrb")
    what = "Red-black Gauss-Seidel half-sweep";
  else if (s.kind == "jacobi")
    what = "Weighted Jacobi sweep";
  if (!what.empty()) {
    for (int t = 0; t < problem.sweeps; ++t) {
      const std::int64_t margin = s.sweep(t).margin;
      const char *from = t % 2 == 0 ? "phi" : "next", *to = t % 2 == 0 ? "next" : "phi";
      body += s.red_black() ? sweep("phi", "phi", "", t % 2 == 0 ? "color" : "color + 1", margin)
                            : sweep(from, to, "w * ", "", margin);
    }
    if (problem.sweeps > 1) what += ", " + std::to_string(problem.sweeps) + " times";
  } else if (s.kind == "chebyshev") {
    what = "Chebyshev polynomial of degree " + std::to_string(s.degree);
    for (int m = 0; m < s.degree; ++m) {
      const std::string phi = m % 2 == 0 ? "phi" : "prev", prev = m % 2 == 0 ? "prev" : "phi";
      body += sweep(phi, prev,
                    s.factor("c1", m) + " * (" + all.cell(phi) + " - " + all.cell(prev) + ") + " +
                        s.factor("c2", m) + " * ",
                    "");
    }
  } else {
    what = "Symmetric red-black Gauss-Seidel sweep";
    for (const char* color : {"0", "1", "1", "0"}) body += sweep("phi", "phi", "", color);
  }
  return all.header(what + ", " + StencilText(s.p, s.L.variable(), s.L.shape(), all).describe()) +
         all.function(build(problem, dim), body);
}

}  // namespace
}  // namespace patterns::smooth

Pattern smooth(int dim) {
  using namespace patterns::smooth;
  return {.name = name_of(dim),
          .summary = std::to_string(dim) +
                     "D smoother: red-black Gauss-Seidel half-sweep in place, weighted Jacobi sweep, "
                     "Chebyshev polynomial, or symmetric red-black sweep in place",
          .formula =
              "gsrb            phi  = phi + lambda*(rhs - L(phi)) where (i + j + k + color) % 2 == 0\n"
              "jacobi          next = phi + w*lambda*(rhs - L(phi))\n"
              "chebyshev       phi_{m+1} = phi_m + c1_m*(phi_m - phi_{m-1}) + c2_m*lambda*(rhs - L(phi_m)), "
              "degree steps\n"
              "symmetric-gsrb  half-sweeps of the colours 0, 1, 1, 0",
          .choices = choices(dim),
          .build = [=](const Problem& p) { return build(p, dim); },
          .fill = fill_box_argument,
          .reference =
              [=](const Problem& p, const std::vector<HostArray>& arguments,
                  const std::vector<HostArray>& results) {
                host::with_float(p.type, [&]<class T>(T) { reference<T>(p, dim, arguments, results.at(0)); });
              },
          .plain_c = [=](const Problem& p) { return plain(p, dim); },
          .sweeps = true,
          .plain_in_place = true};
}

}  // namespace lift
