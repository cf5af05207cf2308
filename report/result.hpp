// What an exploration found, as its JSON tells it: the data of a page. Times are in ms, of one application or
// (half-)sweep; 0 and "" stand for what is not known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lift::report {

struct Peer {
  std::string name, what, status;
  double ms = 0, gbs = 0;
  bool plain = false;  ///< one of the plain loops
};

struct Variant {
  std::string name, structure, layout, status;
  std::map<std::string, std::string> params;
  double ms = 0;
  double explored_s = 0, explored_ms = 0;  ///< when it was tried, and what was measured then
  bool final_round = false;
};

struct Best {
  std::string name, layout, source;
  std::vector<std::string> derivation;
  double ms = 0, gbs = 0, roofline = 0, speedup = 0, error = 0, convert_ms = 0;
};

struct Depth {
  int sweeps = 0;
  double ms = 0, speedup = 0, roofline = 0, memory = 0, computed = 0;
  std::string name, why_not;
};

struct Step {
  std::string step, prose, after;
};

struct Explanation {
  std::string high, low, loops, code;
  std::vector<Step> steps;
};

struct Cache {
  int level = 0, count = 0;
  double bytes = 0;
};

struct Machine {
  std::string device, processor, compiler, simd;
  int threads = 0, cores = 0;
  double triad_gbs = 0, triad_ordinary_gbs = 0, triad_streaming_gbs = 0, memory_bytes = 0;
  std::vector<Cache> caches;
};

struct Result {
  std::string name, file, backend, type, reference, boundary, command, emit_command;
  std::map<std::string, std::string> choices;
  std::vector<double> sides;  ///< of boxes that are no cubes
  double box = 0, boxes = 0, ghost = 0, cells = 0, bytes_per_cell = 0, flops_per_cell = 0;
  int sweeps = 1;
  bool emulated = false, interrupted = false;
  Machine machine;
  std::string twin_name, baseline_what;
  double twin_ms = 0, twin_gbs = 0, baseline_ms = 0;
  std::optional<Best> best;
  std::optional<Best> best_caller;  ///< in the caller's layout
  std::map<std::string, double> counts;
  double total_s = 0;
  std::vector<Peer> peers;  ///< and the plain loops
  std::vector<Variant> variants;
  std::vector<Depth> depths;
  double depths_boxes = 0;  ///< of the sample that the depths were compared over
  std::optional<Explanation> explanation;
};

/// UserError, one line, for a text that is no such JSON.
Result read_result(const std::string& json);

}  // namespace lift::report
