// In which order the loops run that can be interchanged: rows in planes, planes in rows, or columns; of scans
// and folds, whether the levels or elements are the inner loop, or go around the points of a row.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Of scans and folds.
std::vector<Loops> orders_of_levels(const NestFacts& f) {
  if (f.inside == Inside::folds && !f.folds.outside) return {"i k"_loops};
  if (f.inside == Inside::scans && f.axes.size() > 1) return {"j i k"_loops, "j k i"_loops};
  return {"i k"_loops, "k i"_loops};
}

bool is_columns(const Loops& order) { return order == "j i k"_loops || order == "i j"_loops; }

std::string order_words(const NestFacts& f, const Configuration& c) {
  if (f.has_levels() && !is_by_levels(c))
    return f.inside == Inside::scans ? "levels outside points" : "elements outside cells";
  return c[key::order] == "j k"_loops ? "j outside k" : is_by_columns(f, c) ? "columns" : "";
}

}  // namespace

bool is_by_levels(const Configuration& c) {
  const Loops& order = c[key::order];
  return order.names.empty() || order.names.back() == "k";
}

std::vector<Loops> orders(const NestFacts& f) {
  if (f.has_levels()) return orders_of_levels(f);
  // On a grid, columns are the inner loops of work-items.
  if (f.inner_rank >= 3) return {"k j"_loops, f.on_grid() ? "j i k"_loops : "j k"_loops};
  if (f.inner_rank == 2 && f.on_grid()) return {"j i"_loops, "i j"_loops};
  return {"k j"_loops};
}

bool is_by_columns(const NestFacts& f, const Configuration& c) {
  return !f.has_levels() && is_columns(c[key::order]);
}

bool admits_order(const NestFacts& f, const Configuration& c, const Loops& order) {
  const AxisSizes& tile = c[key::tile];
  if (f.has_levels()) return true;
  const bool plain = order == orders(f).front();
  const auto most = static_cast<std::int64_t>(f.options.max_work_group);
  if (!plain && (is_by_rows(c) || c[key::buffer])) return false;
  if (!f.on_grid()) return true;
  if (!is_fused(c)) return plain;
  if (is_chunk(f, tile)) return !plain;
  if (!tile.empty() && plain) return f.on_processors() || is_group(f, c);
  if (!tile.empty() && plane_items(f, tile) > most) return false;
  return plain || (f.sweeps == 1 && f.inner_rank <= 3 && !is_split(c) && (!f.update || is_in_place(f, c)));
}

void decisions::shape_order(LoopNest& loops, const NestFacts& f, const Configuration& c) {
  if (f.inner_rank >= 3 && c[key::order] == "j k"_loops) loops.interchange(loops.inner() - 2);
  for (std::size_t a = f.inner_rank; is_by_columns(f, c) && a > 1; --a)
    loops.interchange(loops.inner() - (a - 1));
}

namespace decisions {

const Decision& order() {
  static const auto& d =
      *new Decision(decide(key::order)
                        .offers(orders)
                        .admitted(admits_order)
                        .taken([](NestDeriver& deriver, const NestFacts& f, const Configuration& c,
                                  const Place&) { shape_order(deriver, f, c); })
                        .said(order_words)
                        .is_switch("loop order", "there is one order of the loops only"));
  return d;
}

}  // namespace decisions
}  // namespace lift
