// Prolongation: from a coarse grid to the fine one of twice as many cells a dimension, set or added.
#include "ir/error.hpp"
#include "patterns/grid.hpp"
#include "patterns/operators.hpp"
#include "patterns/thesis_forms.hpp"
#include "patterns/transfer.hpp"
#include "patterns/transfer_plain.hpp"

namespace lift {
namespace {

const std::map<std::string, std::vector<std::string>> all_choices{
    {"kind", {"linear", "constant"}}, {"mode", {"set", "increment"}}, {"form", {"blocks", "thesis"}}};

struct Prolongation {
  bool linear, increment, thesis;

  explicit Prolongation(const Problem& p)
      : linear(choice(p, "kind", all_choices) == "linear"), increment(choice(p, "mode", all_choices) == "increment"),
        thesis(choice(p, "form", all_choices) == "thesis") {
    check_two_levels(p, linear);
    if (thesis && (!linear || increment))
      throw UserError("--form thesis: the thesis sets the fine grid by linear interpolation; use --kind linear --mode set");
  }
};

Program build(const Problem& p, int dim) {
  const Prolongation how(p);
  const Grid fine(p, dim), coarse = fine.coarser();
  const Expr c = param("coarse", coarse.cells()), f = param("fine", fine.cells()), weights = param("weights", array(fine.each(2), p.type));
  const auto box = [=](Expr from, Expr to) {
    const auto block = [&] {
      if (how.thesis) return thesis::prolongation(dim, coarse.around(from, 1, 1), weights);
      const Expr cells = how.linear ? coarse.around(from, 1, 1) : coarse.inside(from);
      if (how.increment) return how.linear ? add_prolonged_linear(dim, cells, fine.inside(to)) : add_prolonged_constant(dim, cells, fine.inside(to));
      return how.linear ? prolong_linear(dim, cells) : prolong_constant(dim, cells);
    };
    return fine.with_inside(to, block());
  };
  std::vector<Expr> arguments{c, f};
  if (how.thesis) arguments.push_back(weights);
  return {"prolongation" + std::to_string(dim) + "d", arguments, zip({c, f}) | map(box), {"fine"}};
}

// ---- the reference

template <class T>
void reference(const Problem& p, int dim, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
  using Position = typename GridData<const T>::Position;
  const Prolongation how(p);
  const Grid grid(p, dim);
  const GridData<const T> coarse(grid.coarser(), host::argument(arguments, "coarse"));
  const GridData<T> fine(grid, results.at(0));
  host::copy(host::argument(arguments, "fine"), results.at(0));
  fine.for_cells([&](std::int64_t box, const Position& f) {
    Position below{0, 0, 0};       // the lower of the two coarse cells about the fine one
    std::array<double, 3> beyond{0, 0, 0};  // how far the fine centre is beyond the centre of that cell, in coarse cells
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

std::string plain(const Problem& p, int dim) {
  const Prolongation how(p);
  return transfer_plain(p, {how.linear ? TransferLoops::What::linear : TransferLoops::What::constant, dim, 0, how.increment, how.thesis});
}

}  // namespace

Pattern prolongation(int dim) {
  return {.name = "prolongation" + std::to_string(dim) + "d",
          .summary = std::to_string(dim) + "D prolongation to twice as many cells a dimension: linear or constant, set or added",
          .choices = all_choices,
          .build = [=](const Problem& p) { return build(p, dim); },
          .fill = [=](const Problem& p, const HostArray& a) { fill_grid(Grid(p, dim), a); },
          .reference = [=](const Problem& p, const std::vector<HostArray>& arguments, const std::vector<HostArray>& results) {
            host::with_float(p.type, [&]<class T>(T) { reference<T>(p, dim, arguments, results); });
          },
          .plain_c = [=](const Problem& p) { return plain(p, dim); },
          .plain_in_place = true};
}

}  // namespace lift
