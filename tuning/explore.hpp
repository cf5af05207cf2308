// Exploration: derives variants of a program, compiles, verifies and times them, and keeps the fastest. Knows
// no operator.
//
// Every variant runs on scratch copies and its whole result, ghost zones included, is compared with the
// pattern's reference before it is timed; a variant of each structure is also compared with the interpreter
// at a small odd size. Ratios (roofline, speed-up) come from a last round in which the best variants, the
// plain loops by several compilers, and the traffic twin are measured side by side.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "lower/loops/loop.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/device_info.hpp"
#include "runtime/machine.hpp"
#include "tuning/made_of.hpp"
#include "tuning/switches.hpp"
#include "tuning/traffic.hpp"

namespace lift {

/// What became of a variant.
///   ok              verified and timed              wrong           compiled, but its result differs
///   compile_failed  the compiler refused it         aborted         verified; timing ended early, far behind
///   the best impossible      a guard, or the lowering, refused the configuration
///   crashed         its process ended             hung            it did not end in time
enum class Status : std::uint8_t { ok, wrong, compile_failed, aborted, impossible, crashed, hung };
const char* text(Status s);

struct Variant {
  std::string name;  ///< structure and the numbers chosen
  std::string structure;
  Configuration params;
  Derivation derivation;
  Status status = Status::ok;
  std::string message;    ///< why not, for the states other than ok
  double ms = 0;          ///< median of one application over all boxes; 0 when not timed
  double error = 0;       ///< see relative_error; of the whole result
  bool verified = false;  ///< against the reference at full size, and its structure against the interpreter
  bool final_round = false;    ///< `ms` and the ratios are from the last round
  double gbs = 0;              ///< compulsory bytes / ms
  double speedup = 0;          ///< over the plain loops timed beside it; 0 when there are none
  double roofline = 0;         ///< twin's time / ms, likewise
  std::string layout;          ///< "" is the caller's
  double convert_ms = 0;       ///< all arguments there and the result back
  int sweeps = 1;              ///< half-sweeps a call; `ms` is of one
  double compile_seconds = 0;  ///< 0 when cached
  double prepare_ms = 0;       ///< rewriting, lowering and printing
  Kernel kernel;
  /// Of an exploration within a region (lift::explore of expressions): keeps the kernel for as long as this
  /// lives.
  Held<Nodes> kept = {};
  std::string source;  ///< its text
  double explored_s =
      0;  ///< when it had been tried while exploring, in seconds since the beginning; 0: it never was
  double explored_ms = 0;  ///< what was measured then; `ms` may be from the last round
  double expected_ms = 0;  ///< by the cost model, of one sweep; 0: there is no kernel
};

/// The plain loops of the pattern through a compiler.
struct Rival {
  std::string name;  ///< "plain", "plain omp simd", "polly", ...
  std::string what;  ///< compiler and flags
  Status status = Status::ok;
  std::string message;
  double ms = 0, gbs = 0, error = 0;
  bool baseline = false;  ///< one of those that count as the plain loops
  // Of those who searched:
  std::string settings = {};  ///< with which it was fastest
  int tried = 0, wrong = 0;   ///< settings that ran; of these, with a wrong result
};

struct Counts {
  int derivations = 0;     ///< distinct sequences of rules, numbers left out, among the timed
  int structures = 0;      ///< distinct structures among the timed
  int configurations = 0;  ///< derived
  int compiled = 0;        ///< distinct sources that compiled
  int timed = 0;           ///< ok and aborted
  int compile_failed = 0, wrong = 0, aborted = 0, impossible = 0, crashed = 0, hung = 0;
  int too_few_items = 0;  ///< first guesses left out for a GPU, see filling.hpp
};

/// Wall seconds.
struct Spent {
  double total = 0, setup = 0, preparing = 0, compiling = 0, verifying = 0, measuring = 0;
  double once = 0;  ///< of setup: what the next exploration of this process will not need
};

struct Progress {
  std::string phase;    ///< "setting up", "exploring", "comparing"
  double fraction = 0;  ///< of the budget
  int timed = 0;
  double best_ms = 0;  ///< 0: none yet
  std::string best_name;
  double best_speedup = 0;  ///< over the plain loops, timed beside it: times of different moments may not be
                            ///< compared; 0: there are none
};

struct ExploreResult;

/// What an exploration is about, once it is set up.
struct Occasion {
  const Pattern& pattern;
  const Problem& problem;
  Target target;
  const Machine& machine;
  const GridDeviceInfo* device;  ///< null: processors
  int threads;
  bool caller_layout_only;
  OwnRules rules = {};  ///< that were decided about, too
};

/// What explorations leave to later ones, see database/memory.hpp.
class Memory {
 public:
  virtual ~Memory() = default;
  /// What was fast on occasions like this one, best first.
  virtual std::vector<Configuration> known(const Occasion& occasion) = 0;
  /// Told what was found, where that was searched for and timed.
  virtual void keep(const Occasion& occasion, const ExploreResult& result) = 0;
};

class Contenders;  ///< rivals.hpp
class Recorder;    ///< search/recording.hpp

struct ExploreOptions {
  Target target = Target::openmp;
  int device = -1;  ///< as in opencl::devices(), cuda::devices(); -1: the first GPU, else the first
  bool emulate =
      false;        ///< CUDA on the host, see runtime/cuda_host.hpp: for checking, its times mean nothing
  int threads = 0;  ///< 0: default_threads()
  double budget_seconds = 60;  ///< wall time of everything
  int configurations = 0;      ///< at most so many are tried; 0: no limit
  std::string search = "forest";
  std::uint64_t seed = 1;
  std::vector<Configuration> first =
      {};  ///< tried before all others, moved to the closest of the space, see project
  std::shared_ptr<Memory> memory =
      {};  ///< what it knows is tried right after the default; it is told the result
  std::shared_ptr<Recorder> recorder = {};        ///< told of everything that the search tries
  std::optional<LayoutRequest> only_layout = {};  ///< that all arrays are in; nothing: whichever is fastest
  bool switches = false;  ///< also measure all combinations of the space's switches, see switches.hpp
  bool plain = true;      ///< also measure the plain loops; no speed-ups otherwise
  bool rivals = true;     ///< also other compilers' versions of the plain loops
  /// False: there is no C compiler that works, which is enough for a GPU: arrays stay in the caller's layout,
  /// no plain loops are measured, and rounding is allowed for as at small sizes. explore() finds out itself.
  bool host_compiler = true;
  std::shared_ptr<Contenders> contenders =
      {};                   ///< also these; all rivals are then in the last round, whatever that takes
  bool check_small = true;  ///< compare structures with the interpreter
  /// Of one's own, each a decision of the space where it applies: checked, and then kept (catalogue.hpp).
  std::vector<Rule> rules = {};
  std::optional<Derivation> only = {};  ///< measure this one instead of searching
  /// Of that: told its results, one application to the arguments, when they have been verified.
  std::function<void(const std::vector<HostArray>&)> on_results = {};
  std::function<void(const Progress&)> on_progress = {};
};

struct ExploreResult {
  std::string pattern;
  Problem problem;
  Target target = Target::openmp;
  Machine machine;
  std::string device;     ///< what the kernels ran on
  bool emulated = false;  ///< times mean nothing
  std::string reference;  ///< what results were held against, and that against what
  int threads = 0;
  Traffic traffic;
  std::vector<Variant> variants;                 ///< fastest first, those without a time last
  std::optional<std::size_t> best, best_caller;  ///< verified variants; of any layout, and of the caller's
  std::vector<Rival> rivals;
  std::optional<std::size_t> baseline;  ///< the faster of the plain versions
  std::string twin_name;
  double twin_ms = 0, twin_gbs = 0;  ///< 0 when there is none
  double launch_ms = 0;              ///< of a kernel that does nothing, on a device; 0: not measured
  std::string no_host_compiler;      ///< why there is none; see ExploreOptions::host_compiler
  bool cache_flushed = false;        ///< before each run of the best, see Executor::is_flushed_for
  SwitchGrid switches;               ///< when asked for
  Counts counts;
  Spent spent;
  bool interrupted = false;
  std::string disturbed =
      {};  ///< why the times are not to be relied on, see disturbance.hpp; empty: they are
  std::string cut_short = {};  ///< what went wrong when something had been found; empty: nothing did
};

/// UserError: the problem or an option cannot be met. EnvironmentError: no compiler, no device.
ExploreResult explore(const Pattern& pattern, const Problem& problem, const ExploreOptions& options = {});

/// The space of a pattern's variants on this machine, as explore uses it; with the limits of `device` where
/// there is one.
Space make_space(const Program& program, Target target, const Machine& machine,
                 const std::optional<LayoutRequest>& only_layout, const GridDeviceInfo* device = nullptr,
                 OwnRules rules = {});
/// Those of one's own, which are held against the interpreter first; derivations may name them from then on.
/// UserError: one does not hold, two have one name, or the library has one of that name.
OwnRules admitted_rules(const std::vector<Rule>& rules);

}  // namespace lift
