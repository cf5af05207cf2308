#include "patterns/thesis_boxes.hpp"

#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "patterns/thesis_forms.hpp"

namespace lift {
namespace {

/// With a ghost zone arrays of faces have the shape of those of cells: element x is the lower face of cell x.
thesis::Arrays arrays_of(const BoxProblem& p, Parts box) {
  const auto cells = [&](std::size_t i) { return surrounded(p, 1, 1, box[i]); };
  thesis::Arrays x{.alpha = cells(2),
                   .beta_i = cells(3),
                   .beta_j = cells(4),
                   .beta_k = cells(5),
                   .input = cells(0),
                   .lambda = {},
                   .rhs = cells(1),
                   .color = {}};
  if (box.size() > 7) x.lambda = cells(6), x.color = cells(7);
  return x;
}

}  // namespace

Choices with_thesis_form(Choices c, int dim) {
  if (dim == 3) c["form"] = {"stencil", "thesis"};
  return c;
}

bool has_thesis_form(const Problem& p) {
  const auto form = p.choices.find("form");
  return form != p.choices.end() && form->second == "thesis";
}

void check_thesis_form(const BoxProblem& p, const Stencil& L) {
  if (!has_ghost_zone(p))
    throw UserError("--form thesis --bc " + p.boundary +
                    ": the thesis's operators read a ghost zone; leave --bc out");
  if (!L.variable())
    throw UserError(
        "--form thesis --coefficients constant: the thesis's operators have coefficients; leave "
        "--coefficients out");
}

Expr thesis_residual(const BoxProblem& p, const Stencil& L, Parts box) {
  const std::vector<Expr> s = L.scalars();
  return thesis::residual(s[0], s[1], literal(1, p.type), arrays_of(p, box));
}

Expr thesis_smooth(const BoxProblem& p, const Stencil& L, Parts box) {
  const std::vector<Expr> s = L.scalars();
  return thesis::smooth(s[0], s[1], literal(1, p.type), arrays_of(p, box));
}

void fill_colors(const Problem& p, const HostArray& colors) {
  const std::vector<std::int64_t> n = host::lengths(colors.type);
  auto* to = static_cast<std::int32_t*>(colors.data);
  for (std::int64_t box = 0; box < n[0]; ++box)
    for (std::int64_t k = 0; k < n[1]; ++k)
      for (std::int64_t j = 0; j < n[2]; ++j)
        for (std::int64_t i = 0; i < n[3]; ++i) *to++ = (i + j + k + 3 * ghost_depth(p)) % 2 == 0 ? 1 : 0;
}

}  // namespace lift
