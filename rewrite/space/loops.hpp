// The loops of a nest as decisions shape them, and a program under derivation that follows.
#pragma once

#include <map>

#include "rewrite/space/configuration.hpp"
#include "rewrite/space/deriver.hpp"
#include "rewrite/space/facts.hpp"

namespace lift {

/// A loop of the nest.
struct Loop {
  std::string axis;
  std::optional<std::int64_t> trips;
  bool below_update = false;
  bool tiles = false;  ///< over tiles of the axis
  bool block = false;  ///< within a block
  std::string name() const { return tiles ? axis + axis : axis; }
  bool single() const { return trips == 1; }
};

/// The loops, outer to inner, as the decisions on their shape leave them. Decisions make moves; of a program
/// under derivation each move is also made by rules (NestDeriver).
class LoopNest {
 public:
  explicit LoopNest(const NestFacts& f) : facts_(&f) { reset(f); }
  virtual ~LoopNest() = default;
  const std::vector<Loop>& loops() const { return loops_; }
  const Loop& operator[](std::size_t i) const { return loops_[i]; }
  std::size_t size() const { return loops_.size(); }
  std::size_t inner() const;  ///< the inner loop: the last that is not within a block

  /// Loops over tiles around those over the cells of a tile.
  void cut(const AxisSizes& tile);
  /// The loops within a block go directly into those over its cells, axis by axis.
  void write_by_rows();
  /// A loop and the next one within it change places.
  void interchange(std::size_t outer);

 protected:
  void reset(const NestFacts& f);
  const NestFacts& facts() const { return *facts_; }

 private:
  virtual void on_cut(const std::vector<std::int64_t>&) {}
  virtual void on_write_by_rows() {}
  virtual void on_interchange(std::size_t) {}

  const NestFacts* facts_;
  std::vector<Loop> loops_;
};
/// As a configuration shapes them.
LoopNest loops_of(const NestFacts& f, const Configuration& c);

/// A program under derivation whose main nest's loops are known by their axes.
class NestDeriver : public Deriver, public LoopNest {
 public:
  NestDeriver(Rewriting start, const NestFacts& f) : Deriver(std::move(start)), LoopNest(f) {}
  /// The nest is now that of the sweep at `place`, of which `f` is said.
  void begin(const Place& place, const NestFacts& f);
  /// Maps of several dimensions become the loops that the moves have made.
  void nest_loops();
  Place cells() const;  ///< the map over cells, before it is nested
  Place loop(std::size_t i) const { return level(i); }

  /// Dimension of the grid and work-items of a group, by axis.
  std::map<std::string, std::pair<int, std::int64_t>> group;
  bool inner_is_item = false;  ///< the inner loop runs on work-items: nothing is left to decide about it

 private:
  void on_cut(const std::vector<std::int64_t>& tile) override;
  void on_write_by_rows() override;
  void on_interchange(std::size_t outer) override { step("interchange", loop(outer)); }
  Place join_;  ///< that puts the blocks together which cells make
};

}  // namespace lift
