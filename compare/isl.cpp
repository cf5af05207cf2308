// The rival isl: the schedule that its scheduler finds for the loops, in tiles.
#ifdef LIFTGEN_HAS_ISL
#include <isl/options.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <stdexcept>
#include <vector>

#include "compare/peer.hpp"
#include "compare/polyhedra.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "runtime/native.hpp"

namespace lift {
namespace {

constexpr int kWhole = 1 << 24;  ///< the extent of a tile that is not cut along a dimension

int extent(const std::string& text) { return text.empty() ? kWhole : std::stoi(text); }

/// A band of isl's schedule, in tiles, with marks.
class Tiling {
 public:
  Tiling(const PeerSettings& settings) : outer_(extent(settings[1])), inner_(extent(settings[2])) {}

  isl::schedule_node operator()(const isl::schedule_node& node) const {
    if (!node.isa<isl::schedule_node_band>()) return node;
    if (above(node)) return with_vectors(node);
    const bool tiled = outer_ != kWhole || inner_ != kWhole;
    return tiled ? in_tiles(node) : marked(band(node).n_member() > 1 ? with_vectors(node) : node);
  }

 private:
  static isl::schedule_node_band band(const isl::schedule_node& n) { return n.as<isl::schedule_node_band>(); }
  static bool is_band(const isl::schedule_node& n) { return n.isa<isl::schedule_node_band>(); }
  static bool below(const isl::schedule_node& n) {
    return !n.child(0).every_descendant([](isl::schedule_node x) { return !is_band(x); });
  }
  static bool above(const isl::schedule_node& n) {
    bool found = false;
    n.foreach_ancestor_top_down([&](isl::schedule_node x) { found |= is_band(x); });
    return found;
  }

  /// The last loop of a band without bands below is marked where its iterations are independent.
  static isl::schedule_node with_vectors(const isl::schedule_node& node) {
    const int n = static_cast<int>(band(node).n_member());
    if (below(node) || !band(node).member_get_coincident(n - 1)) return node;
    if (n == 1) return node.insert_mark("ivdep");
    return isl::schedule_node(band(node).split(n - 1)).child(0).insert_mark("ivdep").parent();
  }

  isl::schedule_node in_tiles(const isl::schedule_node& node) const {
    const int n = static_cast<int>(band(node).n_member());
    isl::multi_val sizes = isl::manage(isl_multi_val_zero(band(node).partial_schedule().space().release()));
    bool all_independent = true;
    for (int d = 0; d < n; ++d) all_independent &= band(node).member_get_coincident(d);
    for (int d = 0; d < n; ++d) {
      // Beside loops that depend on one another, independent ones (over boxes) are the threads', one by one.
      const bool alone = !all_independent && band(node).member_get_coincident(d);
      const int size = alone ? 1 : d + 1 < n || n == 1 ? outer_ : inner_;
      sizes =
          isl::manage(isl_multi_val_set_val(sizes.release(), d, isl_val_int_from_si(node.ctx().get(), size)));
    }
    const isl::schedule_node tiles = isl::manage(isl_schedule_node_band_tile(node.copy(), sizes.release()));
    return marked(wavefronts(with_vectors(tiles.child(0)).parent()));
  }

  /// How many tiles there are along a dimension; many where that is no number.
  static long count(const isl::schedule_node& node, int dimension) {
    const isl::union_set domain = isl::manage(isl_schedule_node_get_domain(node.get()));
    const isl::union_map at =
        isl::manage(isl_union_map_from_union_pw_aff(band(node).partial_schedule().at(dimension).release()));
    const isl::set range = isl::manage(isl_set_from_union_set(at.intersect_domain(domain).range().release()));
    const isl::val first = isl::manage(isl_set_dim_min_val(range.copy(), 0)),
                   last = isl::manage(isl_set_dim_max_val(range.copy(), 0));
    const bool known =
        isl_val_is_int(first.get()) == isl_bool_true && isl_val_is_int(last.get()) == isl_bool_true;
    return known ? isl_val_get_num_si(last.get()) - isl_val_get_num_si(first.get()) + 1 : 1000;
  }

  /// Tiles none of whose loops is parallel run in wavefronts: the first of two loops counts both together.
  static isl::schedule_node wavefronts(const isl::schedule_node& node) {
    const int n = static_cast<int>(band(node).n_member());
    std::vector<int> long_ones;
    for (int d = 0; d < n; ++d) {
      if (band(node).member_get_coincident(d)) return node;
      if (count(node, d) > 1) long_ones.push_back(d);
    }
    if (long_ones.size() < 2) return node;
    isl::multi_union_pw_aff tiles = band(node).partial_schedule();
    const isl::union_pw_aff both = tiles.at(long_ones[0]).add(tiles.at(long_ones[1]));
    tiles = tiles.set_at(long_ones[0], both);
    const isl::schedule_node r =
        isl::schedule_node(isl::manage(isl_schedule_node_delete(node.copy()))).insert_partial_schedule(tiles);
    return band(r).member_set_coincident(long_ones[1], 1);
  }

  /// Loops whose iterations are independent are marked, each by itself: the outermost that is printed is
  /// shared by the threads.
  static isl::schedule_node marked(const isl::schedule_node& node) {
    const int n = static_cast<int>(band(node).n_member());
    std::vector<bool> independent;
    for (int d = 0; d < n; ++d) independent.push_back(band(node).member_get_coincident(d));
    isl::schedule_node r = node;
    for (int d = n - 1; d >= 0; --d) {
      if (!independent[static_cast<std::size_t>(d)]) continue;
      if (d == 0) return r.insert_mark("parallel");
      r = isl::schedule_node(band(r).split(d)).child(0).insert_mark("parallel").parent();
    }
    return r;
  }

  int outer_, inner_;
};

class Isl : public Peer {
 public:
  std::string name() const override { return "isl"; }
  std::string what() const override {
    return "isl's schedule and loops, then the system's compiler, -O3 -march=native -fopenmp";
  }
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"", {"", "stages apart"}},
            {"tile", {"16", "", "8", "4", "32", "64", "2", "1"}},
            {"inner", {"", "512", "256", "128", "64", "32"}}};
  }
  Job make(const Course& course, const PeerSettings& settings) override {
    if (!course.why_no_loops.empty()) throw UserError(course.why_no_loops);
    try {
      const IslContext isl;
      const Polyhedra p = polyhedra_of(isl, course.loops);
      isl_options_set_schedule_serialize_sccs(isl.get().get(), settings[0].empty() ? 0 : 1);
      const isl::schedule found = isl::schedule_constraints::on_domain(p.domain)
                                      .set_validity(p.order)
                                      .set_coincidence(p.order)
                                      .set_proximity(p.flow)
                                      .compute_schedule();
      const isl::schedule tiled = found.root().map_descendant_bottom_up(Tiling(settings)).schedule();
      Job job;
      job.kernel = course.loops;
      job.code = emit_rescheduled(course.loops, loops_as_c(tiled));
      job.function = course.loops.name;
      return job;
    } catch (const isl::exception& error) {
      throw UserError(std::string("isl: ") + error.what());
    } catch (const std::runtime_error& error) {
      throw UserError(error.what());
    }
  }
};

}  // namespace

std::unique_ptr<Peer> make_isl() { return std::make_unique<Isl>(); }

}  // namespace lift
#endif
