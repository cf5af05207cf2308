// Restriction: from a fine grid to the coarse one of half as many cells a dimension.
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"
#include "patterns/two_levels.hpp"

namespace lift {
namespace patterns::restriction {
namespace {

std::string name_of(int dim) { return "restriction" + std::to_string(dim) + "d"; }

Choices choices_of(int dim) {
  Choices c{{"kind", {"average", "linear", "full_weighting", "face"}}, {"form", {"split", "thesis"}}};
  c["axis"] = dim == 1   ? std::vector<std::string>{"i"}
              : dim == 2 ? std::vector<std::string>{"i", "j"}
                         : std::vector<std::string>{"i", "j", "k"};
  return c;
}

/// What is restricted how.
struct Restriction {
  BoxProblem fine, coarse;
  std::string kind;
  bool thesis;
  int axis;  ///< of faces, 0 is the outermost

  Restriction(const Problem& p, int dim)
      : fine(fine_grid(p, dim)),
        coarse(coarser(fine)),
        kind(choice(p, "kind", choices_of(dim))),
        thesis(choice(p, "form", choices_of(dim)) == "thesis") {
    const std::string name = choice(p, "axis", choices_of(dim));
    axis = dim - 1 - (name == "i" ? 0 : name == "j" ? 1 : 2);
    check_two_levels(p, reaches_out() ? 1 : 0);
    if (thesis && kind != "average")
      throw UserError("--form thesis: the thesis restricts by averages only; use --kind average");
  }
  bool reaches_out() const { return kind == "linear" || kind == "full_weighting"; }
  bool faces() const { return kind == "face"; }
};

Expr restricted(const Restriction& r, const Expr& x) {
  const int dim = r.fine.dim;
  if (r.faces()) return restrict_faces(dim, r.axis, interior_faces(r.fine, r.axis, x));
  if (r.kind == "linear") return restrict_linear(dim, surrounded(r.fine, 1, 1, x));
  if (r.kind == "full_weighting") return restrict_full_weighting(dim, surrounded(r.fine, 1, 0, x));
  return r.thesis ? thesis::restriction(dim, interior(r.fine, x))
                  : restrict_average(dim, interior(r.fine, x));
}

Program build(const Restriction& r) {
  const auto arrays = [&](const BoxProblem& p) { return r.faces() ? face_array(p, r.axis) : cell_array(p); };
  const Expr fine = param("fine", arrays(r.fine)), coarse = param("coarse", arrays(r.coarse));
  Program program{.name = name_of(r.fine.dim),
                  .arguments = {fine, coarse},
                  .body = {},
                  .overwritable = {"coarse"},
                  .results = {}};
  program.body = for_boxes(
      {fine, coarse}, [&](Parts box) { return write_interior(r.coarse, box[1], restricted(r, box[0])); });
  if (const auto value = boundary_value(r.fine); value && r.reaches_out())
    program.arguments.push_back(*value);
  return program;
}

// ---- the reference

/// Weights along one axis and the fine cell, relative to 2 c, that the first of them belongs to.
struct Weights {
  std::vector<double> w;
  std::int64_t first;
};

template <class T>
void reference(const Restriction& r, const std::vector<HostArray>& arguments, const HostArray& result) {
  const int dim = r.fine.dim;
  const host::BoxCells<const T> fine(r.fine, host::argument(arguments, "fine"),
                                     r.reaches_out() ? host::boundary_value(r.fine, arguments) : 0);
  const host::BoxCells<T> coarse(r.coarse, result);
  host::copy(host::argument(arguments, "coarse"), result);
  std::array<Weights, 3> along;
  host::Position more{0, 0, 0};
  for (int d = 0; d < 3; ++d) {
    const auto a = static_cast<std::size_t>(d);
    if (d < 3 - dim)
      along[a] = {{1}, 0};
    else if (r.kind == "linear")
      along[a] = {{0.125, 0.375, 0.375, 0.125}, -1};
    else if (r.kind == "full_weighting")
      along[a] = {{0.25, 0.5, 0.25}, -1};
    else if (r.faces() && d - (3 - dim) == r.axis)
      along[a] = {{1}, 0}, more[a] = 1;
    else
      along[a] = {{0.5, 0.5}, 0};
  }
  coarse.for_cells(
      [&](std::int64_t box, const host::Position& c) {
        T sum = 0;
        for (std::size_t k = 0; k < along[0].w.size(); ++k)
          for (std::size_t j = 0; j < along[1].w.size(); ++j)
            for (std::size_t i = 0; i < along[2].w.size(); ++i) {
              const host::Position f{2 * c[0] + along[0].first + static_cast<std::int64_t>(k),
                                     2 * c[1] + along[1].first + static_cast<std::int64_t>(j),
                                     2 * c[2] + along[2].first + static_cast<std::int64_t>(i)};
              const T value = r.faces() ? fine(box, f) : fine.anywhere(box, f);
              sum += static_cast<T>(along[0].w[k] * along[1].w[j] * along[2].w[i]) * value;
            }
        coarse(box, c) = sum;
      },
      more);
}

std::string plain(const Restriction& r) {
  using What = TransferLoops::What;
  const What what = r.faces()                    ? What::faces
                    : r.kind == "linear"         ? What::linear_restriction
                    : r.kind == "full_weighting" ? What::full_weighting
                                                 : What::average;
  return transfer_plain(r.fine, build(r), {what, r.axis, false});
}

}  // namespace
}  // namespace patterns::restriction

Pattern restriction(int dim) {
  using namespace patterns::restriction;
  return {
      .name = name_of(dim),
      .summary =
          std::to_string(dim) +
          "D restriction to half as many cells a dimension: cell average, full weighting, face average",
      .formula = "coarse = R(fine)",
      .choices = choices_of(dim),
      .build =
          [=](const Problem& p) {
            return build({p, dim});
          },
      .fill =
          [=](const Problem& p, const HostArray& a) {
            const Restriction r(p, dim);
            fill_transfer_argument(r.fine, r.faces() ? r.axis : -1, a);
          },
      .reference =
          [=](const Problem& p, const std::vector<HostArray>& arguments,
              const std::vector<HostArray>& results) {
            host::with_float(p.type, [&]<class T>(T) { reference<T>({p, dim}, arguments, results.at(0)); });
          },
      .plain_c =
          [=](const Problem& p) {
            return plain({p, dim});
          },
      .plain_in_place = true};
}

}  // namespace lift
