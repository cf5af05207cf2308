// In which order the loops run that can be interchanged: rows in planes, planes in rows, or columns.
#include "rewrite/space/nest/decisions.hpp"

namespace lift {
namespace {

bool is_columns(const Loops& order) { return order == "j i k"_loops || order == "i j"_loops; }

std::string order_words(const NestFacts& f, const Configuration& c) {
  return c[key::order] == "j k"_loops ? "j outside k" : is_by_columns(f, c) ? "columns" : "";
}

}  // namespace

std::vector<Loops> orders(const NestFacts& f) {  // on a grid, columns are the inner loops of work-items
  if (f.inner_rank >= 3) return {"k j"_loops, f.on_grid() ? "j i k"_loops : "j k"_loops};
  if (f.inner_rank == 2 && f.on_grid()) return {"j i"_loops, "i j"_loops};
  return {"k j"_loops};
}

bool is_by_columns(const NestFacts&, const Configuration& c) { return is_columns(c[key::order]); }

bool admits_order(const NestFacts& f, const Configuration& c, const Loops& order) {
  const AxisSizes& tile = c[key::tile];
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

void nest::shape_order(LoopNest& loops, const NestFacts& f, const Configuration& c) {
  if (f.inner_rank >= 3 && c[key::order] == "j k"_loops) loops.interchange(loops.inner() - 2);
  for (std::size_t a = f.inner_rank; is_by_columns(f, c) && a > 1; --a)
    loops.interchange(loops.inner() - (a - 1));
}

namespace nest {

const NestDecision& order() {
  static const auto& d =
      *new NestDecision(decide<NestFacts>(key::order)
                            .offers(orders)
                            .admitted(admits_order)
                            .taken([](NestDeriver& deriver, const NestFacts& f, const Configuration& c,
                                      const Place&) { shape_order(deriver, f, c); })
                            .said(order_words)
                            .is_switch("loop order", "there is one order of the loops only"));
  return d;
}

}  // namespace nest
}  // namespace lift
