// Prolongation: from a coarse grid to the fine one of twice as many cells a dimension, set or added.
#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"
#include "patterns/two_levels.hpp"

namespace lift {
namespace patterns::prolongation {
namespace {

const Choices all_choices{
    {"kind", {"linear", "constant"}}, {"mode", {"set", "increment"}}, {"form", {"blocks", "thesis"}}};

std::string name_of(int dim) { return "prolongation" + std::to_string(dim) + "d"; }

struct Prolongation {
  BoxProblem fine, coarse;
  bool linear, increment, thesis;

  Prolongation(const Problem& p, int dim)
      : fine(fine_grid(p, dim)),
        coarse(coarser(fine)),
        linear(choice(p, "kind", all_choices) == "linear"),
        increment(choice(p, "mode", all_choices) == "increment"),
        thesis(choice(p, "form", all_choices) == "thesis") {
    check_two_levels(p, linear ? 1 : 0);
    if (thesis && (!linear || increment))
      throw UserError(
          "--form thesis: the thesis sets the fine grid by linear interpolation; use --kind linear --mode "
          "set");
  }
};

/// What the fine cells of a box become.
Expr prolonged(const Prolongation& how, const Expr& coarse, const Expr& fine, const Expr& weights) {
  const int dim = how.fine.dim;
  const Expr cells = how.linear ? surrounded(how.coarse, 1, 1, coarse) : interior(how.coarse, coarse);
  if (how.thesis) return thesis::prolongation(dim, cells, weights);
  if (!how.increment) return how.linear ? prolong_linear(dim, cells) : prolong_constant(dim, cells);
  const Expr old = interior(how.fine, fine);
  return how.linear ? add_prolonged_linear(dim, cells, old) : add_prolonged_constant(dim, cells, old);
}

Program build(const Prolongation& how) {
  const Expr coarse = param("coarse", cell_array(how.coarse)), fine = param("fine", cell_array(how.fine));
  const Expr weights =
      param("weights", array(std::vector<Nat>(static_cast<std::size_t>(how.fine.dim), 2), how.fine.type));
  Program program{.name = name_of(how.fine.dim),
                  .arguments = {coarse, fine},
                  .body = {},
                  .overwritable = {"fine"},
                  .results = {}};
  program.body = for_boxes({coarse, fine}, [&](Parts box) {
    return write_interior(how.fine, box[1], prolonged(how, box[0], box[1], weights));
  });
  if (how.thesis) program.arguments.push_back(weights);
  if (const auto value = boundary_value(how.coarse); value && how.linear) program.arguments.push_back(*value);
  return program;
}

// ---- the reference

template <class T>
void reference(const Prolongation& how, const std::vector<HostArray>& arguments, const HostArray& result) {
  using host::Position;
  const int dim = how.fine.dim;
  const host::BoxCells<const T> coarse(how.coarse, host::argument(arguments, "coarse"),
                                       how.linear ? host::boundary_value(how.coarse, arguments) : 0);
  const host::BoxCells<T> fine(how.fine, result);
  host::copy(host::argument(arguments, "fine"), result);
  fine.for_cells([&](std::int64_t box, const Position& f) {
    Position below{0, 0, 0};  // the lower of the two coarse cells about the fine one
    std::array<double, 3> beyond{
        0, 0, 0};  // how far the fine centre is beyond the centre of that cell, in coarse cells
    for (std::size_t d = 3 - static_cast<std::size_t>(dim); d < 3; ++d) {
      below[d] = f[d] / 2 - (f[d] % 2 == 0 ? 1 : 0);
      beyond[d] = (0.5 * static_cast<double>(f[d]) - 0.25) - static_cast<double>(below[d]);
    }
    T sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      Position c = below;
      double weight = 1;
      for (std::size_t d = 0; d < 3; ++d) {
        const bool upper = (corner >> d) & 1;
        weight *= upper ? beyond[d] : 1 - beyond[d];
        if (upper) ++c[d];
      }
      if (weight != 0 && how.linear) sum += static_cast<T>(weight) * coarse.anywhere(box, c);
    }
    if (!how.linear) {
      Position own = f;
      for (std::size_t d = 3 - static_cast<std::size_t>(dim); d < 3; ++d) own[d] /= 2;
      sum = coarse(box, own);
    }
    T& cell = fine(box, f);
    cell = how.increment ? cell + sum : sum;
  });
}

std::string plain(const Prolongation& how) {
  return transfer_plain(
      how.fine, build(how),
      {how.linear ? TransferLoops::What::linear : TransferLoops::What::constant, 0, how.increment});
}

}  // namespace
}  // namespace patterns::prolongation

Pattern prolongation(int dim) {
  using namespace patterns::prolongation;
  return {
      .name = name_of(dim),
      .summary = std::to_string(dim) +
                 "D prolongation to twice as many cells a dimension: linear or constant, set or added",
      .formula = "fine = P(coarse), or fine = fine + P(coarse)",
      .choices = all_choices,
      .build =
          [=](const Problem& p) {
            return build({p, dim});
          },
      .fill =
          [=](const Problem& p, const HostArray& a) {
            fill_transfer_argument({p, dim}, -1, a);
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

Pattern prolongation_correction(int dim) {
  using namespace patterns::prolongation;
  const auto increment = [](Problem p) {
    for (const auto& [name, value] : p.choices)
      if (name != "kind")
        choice(p, name, {{"kind", all_choices.at("kind")}});  // says that there is no such choice
    p.choices["mode"] = "increment";
    return p;
  };
  Pattern whole = prolongation(dim), r = whole;
  r.name = "prolongation_correction" + std::to_string(dim) + "d";
  r.summary =
      std::to_string(dim) + "D coarse-grid correction: the prolonged coarse grid is added to the fine one";
  r.formula = "fine = fine + P(coarse)";
  r.choices = {{"kind", all_choices.at("kind")}};
  r.build = [=, name = r.name](const Problem& p) {
    Program program = whole.build(increment(p));
    program.name = name;
    return program;
  };
  r.fill = [=](const Problem& p, const HostArray& a) { whole.fill(increment(p), a); };
  r.reference = [=](const Problem& p, const std::vector<HostArray>& arguments,
                    const std::vector<HostArray>& results) {
    whole.reference(increment(p), arguments, results);
  };
  r.plain_c = [=](const Problem& p) { return whole.plain_c(increment(p)); };
  return r;
}

}  // namespace lift
