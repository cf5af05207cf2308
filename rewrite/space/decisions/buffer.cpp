// Whether rows of a computed array go through a small array of the thread's own, from where blocks are made.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// A map of rank D as loops, from the outside; the places of its loops.
std::vector<Place> nested(Deriver& d, Place map, std::size_t rank) {
  std::vector<Place> loops;
  for (; rank > 0; --rank) {
    if (rank > 1) d.step("map-nest", map);
    loops.push_back(map);
    map = body_of(std::move(map));
  }
  return loops;
}

/// Loops within a tile: the inner one is lowered already.
void sequential_around(Deriver& d, const std::vector<Place>& loops) {
  for (std::size_t i = loops.size() - 1; i-- > 0;) d.step("map-seq", loops[i]);
}

/// The whole nest: the tiles of rows leave nothing to other decisions but the inner loops.
void take_buffer(NestDeriver& d, const NestFacts& f, const Configuration& c, const Place&) {
  if (!c[key::buffer]) return;
  const std::vector<LoopRun> runs = shared_runs(d, c);
  const Place cells = d.cells();
  d.step("tile-blocks", Arguments(f.buffer.begin(), f.buffer.end()), cells);
  const Place consumer =
      body_of(content_of(cells));  // in the function of the tiles, which a join puts together
  const Place producer = body_of(argument_of(consumer));
  const std::vector<Place> made = nested(d, producer, f.inner_rank);
  run_inner(d, f, c, made.back());
  sequential_around(d, made);
  const std::vector<Place> read = nested(d, consumer, f.inner_rank);
  if (is_vector(c) && f.vectors)
    d.step("map-vec", {c[key::width]}, read.back());
  else
    d.step("map-seq", read.back());
  sequential_around(d, read);
  d.nest_all();
  for (std::size_t i = 0; i < f.axes.size(); ++i) d.step(runs[i].rule, runs[i].arguments, d.loop(i));
}

}  // namespace

namespace decisions {

const Decision& buffer() {
  static const auto& d =
      *new Decision(decide(key::buffer)
                        .offers([](const NestFacts& f) {
                          return f.buffer.empty() ? std::vector<bool>{false} : std::vector<bool>{false, true};
                        })
                        .taken(take_buffer)
                        .said("buffered rows"));
  return d;
}

}  // namespace decisions
}  // namespace lift
