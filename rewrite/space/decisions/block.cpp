// How blocks are written that cells make: row by row, with loops over the rows of a block or with these
// unrolled, or each block as a whole.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

std::vector<Blocks> blocks(const NestFacts& f) {
  if (f.block.empty()) return {Blocks::none};
  if (!f.rows || !f.on_processors()) return {Blocks::whole};
  return {Blocks::rows, Blocks::rows_unrolled, Blocks::whole};
}

std::string block_words(const NestFacts&, const Configuration& c) {
  const Blocks block = c[key::block];
  if (block == Blocks::none) return "";
  return block == Blocks::whole ? "whole blocks" : "blocks by " + c.at(key::block.name);
}

}  // namespace

void decisions::shape_blocks(LoopNest& loops, const Configuration& c) {
  if (is_by_rows(c)) loops.write_by_rows();
}

void run_blocks(NestDeriver& d, const Configuration& c, const std::vector<bool>& parallel) {
  const std::size_t inner = d.inner();
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (!d[i].block) continue;
    const std::int64_t trips = *d[i].trips;
    const bool unrolled = trips > 1 && (i > inner || c[key::block] == Blocks::rows_unrolled);
    if (parallel[i])
      d.step("map-par", d.loop(i));
    else if (unrolled)
      d.step("map-unroll", {trips}, d.loop(i));
    else
      d.step("map-seq", d.loop(i));
  }
}

namespace decisions {

const Decision& block() {
  static const auto& d =
      *new Decision(decide(key::block)
                        .offers(blocks)
                        .taken([](NestDeriver& deriver, const NestFacts&, const Configuration& c,
                                  const Place&) { shape_blocks(deriver, c); })
                        .said(block_words));
  return d;
}

}  // namespace decisions
}  // namespace lift
