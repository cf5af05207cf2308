// Prolongation: from a coarse grid to the fine one of twice as many cells a dimension, set or added, and the
// half-sweeps that may follow.
#include "ir/error.hpp"
#include "patterns/half_sweeps.hpp"
#include "patterns/operators.hpp"
#include "patterns/stencil_reference.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"
#include "patterns/two_levels.hpp"

namespace lift {
namespace patterns::prolongation {
namespace {

const Choices& all_choices() {
  static const auto& all = *new Choices{
      {"kind", {"linear", "constant"}}, {"mode", {"set", "increment"}}, {"form", {"blocks", "thesis"}}};
  return all;
}

std::string name_of(int dim) { return "prolongation" + std::to_string(dim) + "d"; }

struct Prolongation {
  BoxProblem fine, coarse;
  bool linear, increment, thesis;

  Prolongation(const Problem& p, int dim)
      : fine(fine_grid(p, dim)),
        coarse(coarser(fine)),
        linear(choice(p, "kind", all_choices()) == "linear"),
        increment(choice(p, "mode", all_choices()) == "increment"),
        thesis(choice(p, "form", all_choices()) == "thesis") {
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

// ---- the correction, and half-sweeps after it

const Choices& correction_choices() {
  static const auto& all = *new Choices{{"kind", all_choices().at("kind")},
                                        {"half-sweeps", HalfSweeps::numbers()},
                                        {"coefficients", stencil_choices().at("coefficients")}};
  return all;
}

Problem increment(const Problem& p) {
  Problem q = p;
  q.choices = {{"kind", choice(p, "kind", correction_choices())}, {"mode", "increment"}};
  return q;
}

struct Correction {
  BoxProblem whole;  ///< the fine grid
  Stencil L;
  HalfSweeps after;
  std::int64_t margin;  ///< fine cells around the box that are corrected, whole coarse ones
  Prolongation how;     ///< of those cells

  Correction(const Problem& p, int dim)
      : whole(fine_grid(p, dim)),
        L(whole, choice(p, "coefficients", correction_choices()) == "variable", "star"),
        after(whole, L, choice(p, "half-sweeps", correction_choices()), 0),
        margin(has_ghost_zone(p) ? (after.reach() + 1) / 2 * 2 : 0),
        how(increment(p), dim) {
    if (after.number() == 0 && p.choices.contains("coefficients"))
      throw UserError("--coefficients " + p.choices.at("coefficients") +
                      ": a correction alone has none; use --half-sweeps 2, say, or leave it out");
    const std::int64_t needed = std::max(margin, margin / 2 + (how.linear ? 1 : 0));
    if (has_ghost_zone(p) && p.ghost < needed)
      throw UserError("--half-sweeps " + std::to_string(after.number()) + " --ghost " +
                      std::to_string(p.ghost) + ": ghost too thin: " + std::to_string(needed) +
                      " cells of it are corrected first; use --ghost " + std::to_string(needed) + " or more");
    how.fine = grown(how.fine, margin), how.coarse = grown(how.coarse, margin / 2);
  }
  bool smooths() const { return after.number() > 0; }
};

Program build_correction(const Problem& problem, int dim) {
  const Correction c(problem, dim);
  Program program = build(c.how);
  program.name = "prolongation_correction" + std::to_string(dim) + "d";
  if (!c.smooths()) return program;
  const std::size_t coefficients = c.L.coefficients().size();
  std::vector<Expr> arrays{param("coarse", cell_array(c.how.coarse)), param("fine", cell_array(c.whole)),
                           param("rhs", cell_array(c.whole))};
  arrays.insert(arrays.end(), c.L.coefficients().begin(), c.L.coefficients().end());
  arrays.push_back(c.after.lambda());
  program.arguments = arrays;
  for (const Expr& s : c.L.scalars()) program.arguments.push_back(s);
  program.arguments.push_back(c.after.color());
  program.body = for_boxes(arrays, [&](Parts box) {
    const Expr corrected = write_interior(c.how.fine, box[1], prolonged(c.how, box[0], box[1], {}));
    return let(corrected, [&](Expr x) {
      return c.after.in_box(x, box[2], box.subspan(3, coefficients), box.back(), {});
    });
  });
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

std::string plain_correction(const Problem& problem, int dim) {
  const Correction c(problem, dim);
  return c.smooths() ? "" : plain(c.how);  // else loops of two grids with outsides of their own
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
      .choices = all_choices(),
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
  Pattern whole = prolongation(dim), r = whole;
  r.name = "prolongation_correction" + std::to_string(dim) + "d";
  r.summary =
      std::to_string(dim) + "D coarse-grid correction: the prolonged coarse grid is added to the fine one";
  r.formula = "fine = fine + P(coarse)";
  r.choices = correction_choices();
  r.build = [=](const Problem& p) { return build_correction(p, dim); };
  r.fill = [=](const Problem& p, const HostArray& a) { whole.fill(p, a); };
  r.reference = [=](const Problem& p, const std::vector<HostArray>& arguments,
                    const std::vector<HostArray>& results) {
    const Correction c(p, dim);
    host::with_float(p.type, [&]<class T>(T) {
      reference<T>(c.how, arguments, results.at(0));
      c.after.template reference<T>(arguments, results.at(0));
    });
  };
  r.plain_c = [=](const Problem& p) { return plain_correction(p, dim); };
  return r;
}

}  // namespace lift
