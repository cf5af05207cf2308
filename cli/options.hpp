// What the user asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/solve_options.hpp"
#include "patterns/pattern.hpp"
#include "rewrite/space/space.hpp"

namespace lift::cli {

struct Options {
  std::string command;               ///< "" prints the short help
  const Pattern* pattern = nullptr;  ///< for commands on an operator
  std::string file;  ///< the .lift file that the operator comes from; "" for those of the library
  std::map<std::string, std::int64_t> sizes;  ///< given with --size, or by the shape of an --input
  std::map<std::string, std::filesystem::path> inputs,
      outputs;  ///< files of arguments and results, by their names
  std::shared_ptr<const Pattern> from_file;
  Problem problem;
  bool every_depth = false;  ///< --sweeps auto: as many as are fastest
  Target target = Target::openmp;
  int device = -1;
  bool emulate = false;    ///< CUDA on the host
  int threads = 0;         ///< 0: as many as the machine grants
  double budget = 60;      ///< wall seconds
  int configurations = 0;  ///< 0: no limit
  std::string search = "forest";
  std::uint64_t seed = 1;
  std::optional<LayoutRequest> layout = {};   ///< that all arrays are in; nothing: whichever is fastest
  bool one_layout = false;                    ///< several operators, which share arrays
  std::vector<const Pattern*> together = {};  ///< these, `pattern` first
  std::vector<double> applied = {};           ///< how often each is applied in a round; empty: once
  bool grid = false;                          ///< all combinations of switches
  std::filesystem::path json, out, derivation, from;
  std::filesystem::path rules;    ///< a file of rules of one's own
  std::vector<Rule> own_rules;    ///< those in it, checked
  std::filesystem::path record;   ///< what is tried, for `bench/search --replay`
  std::filesystem::path report;   ///< the page to write; of `liftgen report` what -o names
  std::filesystem::path results;  ///< of `liftgen report`: what --json has written
  std::string typed;              ///< the command line
  std::filesystem::path db;       ///< the database of what was found; empty: the default one
  bool no_db = false;
  std::string action,
      argument;  ///< of `liftgen db`: list, show, export, ...; a file, a number or an operator
  int days = 0;  ///< of `liftgen db prune`; 0: not given
  std::vector<std::string> with;  ///< of `liftgen compare`: whom
  bool scop = false;              ///< of `liftgen emit`: the untransformed loops, for others' compilers
  SolveOptions solve;             ///< of `liftgen solve`
  std::string stage = "code";
  bool lint = false, markdown = false, primitives = false, quiet = false, verbose = false;
};

/// UserError, one line, for whatever cannot be understood. Prints help and leaves `command` empty where help
/// is asked for.
Options parse(const std::vector<std::string>& arguments);

}  // namespace lift::cli
