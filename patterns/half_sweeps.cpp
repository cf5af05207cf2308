#include "patterns/half_sweeps.hpp"

#include "ir/error.hpp"
#include "patterns/stencil_plain.hpp"

namespace lift {

Expr half_sweep_of_box(const BoxProblem& p, const Stencil& L, std::int64_t margin, Parts box,
                       const Expr& color) {
  const std::size_t coefficients = L.coefficients().size();
  std::vector<Expr> views{positions(cells_shape(p)), L.windows(box[0]), interior(p, box[1])};
  for (const Expr& v : L.coefficient_views(box.subspan(2, coefficients))) views.push_back(v);
  views.push_back(interior(p, box[2 + coefficients]));
  return write_interior(p, box[0], for_cells(p, views, [&](Parts v) {
                          const Expr phi = L.centre(v[1]);
                          const Expr correction = v.back() * (v[2] - L(v[1], v.subspan(3, v.size() - 4)));
                          Expr sum = get(p.dim - 1, v[0]);
                          for (int d = p.dim - 1; d-- > 0;) sum = sum + get(d, v[0]);
                          if (p.dim * margin % 2 != 0) sum = sum + literal(1, i32);
                          return select(eq((sum + color) % 2, 0), phi + correction, phi);
                        }));
}

const std::vector<std::string>& HalfSweeps::numbers() {
  static const auto& all = *new std::vector<std::string>{"0", "1", "2", "3", "4", "6", "8"};
  return all;
}

HalfSweeps::HalfSweeps(const BoxProblem& p, const Stencil& L, const std::string& number, std::int64_t beyond)
    : p_(p), L_(L), number_(std::stoi(number)), beyond_(has_ghost_zone(p) ? beyond : 0) {
  if (number_ == 0) return;
  const std::string what = "--half-sweeps " + number;
  lambda_ = param("lambda", cell_array(p)), color_ = index_param("color", 0, 1);
  if (L.shape() != "star")
    throw UserError(what + " --stencil " + L.shape() +
                    ": cells of one colour are neighbours in it, and half-sweeps are in place; use --stencil "
                    "star");
  if (p.boundary == "periodic" && has_odd_side(p))
    throw UserError(what + " --box " + box_text(p) +
                    ": red-black colouring of a periodic box needs an even side; use an even --box");
  if (has_ghost_zone(p) && p.ghost < reach())
    throw UserError(what + " --ghost " + std::to_string(p.ghost) +
                    ": ghost too thin: half-sweeps and what is done with them use up " +
                    std::to_string(reach()) + " cells of it; use --ghost " + std::to_string(reach()) +
                    " or more");
}

std::int64_t HalfSweeps::margin(int t) const { return has_ghost_zone(p_) ? reach() - 1 - t : 0; }

Expr HalfSweeps::in_box(const Expr& phi, const Expr& rhs, Parts coefficients, const Expr& lambda,
                        const std::function<Expr(Expr)>& after) const {
  const std::function<Expr(const Expr&, int)> from = [&](const Expr& x, int t) -> Expr {
    if (t == number_) return after(x);
    std::vector<Expr> box{x, rhs};
    box.insert(box.end(), coefficients.begin(), coefficients.end());
    box.push_back(lambda);
    const BoxProblem larger = grown(p_, margin(t));
    const Stencil stencil(larger, L_.variable(), L_.shape());
    const Expr next = half_sweep_of_box(larger, stencil, margin(t), box, t % 2 == 0 ? color_ : color_ + 1);
    if (!after && t + 1 == number_) return next;
    return let(next, [&](Expr y) { return from(y, t + 1); });
  };
  return from(phi, 0);
}

std::string HalfSweeps::plain(const PlainLoops& all, const std::string& phi) const {
  std::string s;
  for (int t = 0; t < number_; ++t) {
    const PlainLoops loops = all.grown(margin(t));
    const StencilText L(p_, L_.variable(), L_.shape(), loops);
    s += loops.sweep(phi, t % 2 == 0 ? "color" : "color + 1",
                     [&](const PlainLoops::Neighbour& at, const std::string& in) {
                       return in + loops.cell(phi) + " = " + at({}) + " + " + loops.cell("lambda") + " * (" +
                              loops.cell("rhs") + " - (" + L(at, in) + "));\n";
                     });
  }
  return s;
}

}  // namespace lift
