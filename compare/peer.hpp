// Those who compete with liftgen over the same loops, each with numbers of his own to choose.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuning/rivals.hpp"

namespace lift {

/// What all of them are given.
struct Course {
  Program program;
  Kernel loops;              ///< untransformed_loops; also the signature of what is made of them
  std::string scop;          ///< the same as text (emit_scop)
  std::string why_no_loops;  ///< where there are none that others could read: the reason
  Job plain;                 ///< the plain loops, with OpenMP pragmas and SIMD before inner loops
  int threads = 1;
};

/// Something that a peer may be told to do in one way or another.
struct PeerChoice {
  std::string name;                 ///< "" where the values say it all
  std::vector<std::string> values;  ///< the first is where the search begins; "" leaves it to him
};
using PeerSettings = std::vector<std::string>;  ///< a value for each choice

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  /// Compiler and flags, in a line.
  virtual std::string what() const = 0;
  /// Why it cannot take part here and what to do about that; empty: it can.
  virtual std::string missing() const { return ""; }
  /// Whether these loops are of the kind that it is for.
  virtual bool applies(const Course&) const { return true; }
  virtual std::vector<PeerChoice> choices(const Course& course) const = 0;
  /// What it makes of the loops. UserError: nothing, and why; EnvironmentError: it fails.
  virtual Job make(const Course& course, const PeerSettings& settings) = 0;
};

std::unique_ptr<Peer> make_graphite();
std::unique_ptr<Peer> make_polly();
std::unique_ptr<Peer> make_pluto();
std::unique_ptr<Peer> make_ppcg();
std::unique_ptr<Peer> make_ppcg_on(Target target);  ///< of a grid
std::unique_ptr<Peer> make_isl();                   ///< its scheduler's
std::unique_ptr<Peer> make_isl_in_time();           ///< tiles in time of chains

/// "tile 32x8, parallel": those that are not left to the peer.
std::string describe(const std::vector<PeerChoice>& choices, const PeerSettings& settings);
std::string first_line(const std::string& text);

/// The names for --with, in the order in which they are shown; the first is the plain loops, which always
/// take part.
const std::vector<std::string>& peer_names();
/// And of those who make kernels for a grid.
const std::vector<std::string>& grid_peer_names();
/// All that are meant by a name. UserError for one that none has, or that is not for such a target.
std::vector<std::unique_ptr<Peer>> make_peers(const std::string& name, Target target = Target::openmp);

}  // namespace lift
