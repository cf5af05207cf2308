// Restriction: from a fine grid to the coarse one of half as many cells a dimension.
#include "ir/error.hpp"
#include "patterns/grid.hpp"
#include "patterns/operators.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"

namespace lift {
namespace {

using Choices = std::map<std::string, std::vector<std::string>>;

Choices choices_of(int dim) {
  Choices c{{"kind", {"average", "linear", "full_weighting", "face"}}, {"form", {"split", "thesis"}}};
  c["axis"] = dim == 1 ? std::vector<std::string>{"i"} : dim == 2 ? std::vector<std::string>{"i", "j"} : std::vector<std::string>{"i", "j", "k"};
  return c;
}

/// What is restricted how.
struct Restriction {
  std::string kind;
  bool thesis;
  int axis;  ///< of faces, 0 is the outermost

  Restriction(const Problem& p, int dim) : kind(choice(p, "kind", choices_of(dim))), thesis(choice(p, "form", choices_of(dim)) == "thesis") {
    const std::string name = choice(p, "axis", choices_of(dim));
    axis = dim - 1 - (name == "i" ? 0 : name == "j" ? 1 : 2);
    check_two_levels(p, kind == "linear" || kind == "full_weighting");
    if (thesis && kind != "average") throw UserError("--form thesis: the thesis restricts by averages only; use --kind average");
  }
  bool faces() const { return kind == "face"; }
};

Expr restricted(const Restriction& r, const Grid& fine, const Expr& x) {
  if (r.faces()) return restrict_faces(fine.dim, r.axis, fine.inside_faces(r.axis, x));
  if (r.kind == "linear") return restrict_linear(fine.dim, fine.around(x, 1, 1));
  if (r.kind == "full_weighting") return restrict_full_weighting(fine.dim, fine.around(x, 1, 0));
  return r.thesis ? thesis::restriction(fine.dim, fine.inside(x)) : restrict_average(fine.dim, fine.inside(x));
}

Program build(const Problem& p, int dim) {
  const Restriction r(p, dim);
  const Grid fine(p, dim), coarse = fine.coarser();
  const Expr x = param("fine", r.faces() ? fine.faces(r.axis) : fine.cells()), y = param("coarse", r.faces() ? coarse.faces(r.axis) : coarse.cells());
  const auto box = [=](Expr f, Expr c) { return coarse.with_inside(c, restricted(r, fine, f)); };
  return {"restriction" + std::to_string(dim) + "d", {x, y}, zip({x, y}) | map(box), {"coarse"}};
}

// ---- the reference

/// Weights along one axis and the fine cell, relative to 2 c, that the first of them belongs to.
struct Weights {
  std::vector<double> w;
  std::int64_t first;
};

template <class T>
void reference(const Problem& p, int dim, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
  using Position = typename GridData<const T>::Position;
  const Restriction r(p, dim);
  const Grid grid(p, dim);
  const GridData<const T> fine(grid, host::argument(arguments, "fine"));
  const GridData<T> coarse(grid.coarser(), results.at(0));
  host::copy(host::argument(arguments, "coarse"), results.at(0));
  std::array<Weights, 3> along;
  Position more{0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    const auto a = static_cast<std::size_t>(d);
    if (d < 3 - dim) along[a] = {{1}, 0};
    else if (r.kind == "linear") along[a] = {{0.125, 0.375, 0.375, 0.125}, -1};
    else if (r.kind == "full_weighting") along[a] = {{0.25, 0.5, 0.25}, -1};
    else if (r.faces() && d - (3 - dim) == r.axis) along[a] = {{1}, 0}, more[a] = 1;
    else along[a] = {{0.5, 0.5}, 0};
  }
  coarse.for_cells([&](std::int64_t box, const Position& c) {
    T sum = 0;
    for (std::size_t k = 0; k < along[0].w.size(); ++k)
      for (std::size_t j = 0; j < along[1].w.size(); ++j)
        for (std::size_t i = 0; i < along[2].w.size(); ++i) {
          const Position f{2 * c[0] + along[0].first + static_cast<std::int64_t>(k), 2 * c[1] + along[1].first + static_cast<std::int64_t>(j),
                           2 * c[2] + along[2].first + static_cast<std::int64_t>(i)};
          const T value = r.faces() ? fine(box, f) : fine.anywhere(box, f);
          sum += static_cast<T>(along[0].w[k] * along[1].w[j] * along[2].w[i]) * value;
        }
    coarse(box, c) = sum;
  }, more);
}

std::string plain(const Problem& p, int dim) {
  const Restriction r(p, dim);
  using What = TransferLoops::What;
  const What what = r.faces() ? What::faces : r.kind == "linear" ? What::linear_restriction : r.kind == "full_weighting" ? What::full_weighting : What::average;
  return transfer_plain(p, {what, dim, r.axis, false, false});
}

}  // namespace

Pattern restriction(int dim) {
  return {.name = "restriction" + std::to_string(dim) + "d",
          .summary = std::to_string(dim) + "D restriction to half as many cells a dimension: cell average, full weighting, face average",
          .choices = choices_of(dim),
          .build = [=](const Problem& p) { return build(p, dim); },
          .fill = [=](const Problem& p, const HostArray& a) { fill_grid(Grid(p, dim), a); },
          .reference = [=](const Problem& p, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
            host::with_float(p.type, [&]<class T>(T) { reference<T>(p, dim, arguments, results); });
          },
          .plain_c = [=](const Problem& p) { return plain(p, dim); },
          .plain_in_place = true};
}

}  // namespace lift
