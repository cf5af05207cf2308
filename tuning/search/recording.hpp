// What explorations have tried, kept so that searches can be compared without measuring anything again: for
// each exploration its space's decisions, and every configuration with its time. As text one JSON value a
// line: of each exploration a line with what it was about, then a line a configuration, in the order in which
// they were tried.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "patterns/pattern.hpp"
#include "rewrite/space/search_space.hpp"

namespace lift {

struct TriedConfiguration {
  Configuration configuration;
  std::string status;     ///< text(Status)
  double ms = 0;          ///< of one call over all boxes; 0: not timed
  double relative = 0;    ///< time over that of the plain loops, timed just before and after; 0: not timed
  bool verified = false;  ///< and timed, maybe not to the end: what a technique is told the time of
  bool first_guess = false;
  std::optional<std::size_t> same_as = {};  ///< tried before it: one that leads to the same kernel
  std::vector<double> costs = {};           ///< of the kernel, by Recording::costs; empty: not known
  /// It is right, and has a time; one that was given up early has that of the runs until then.
  bool is_timed() const { return verified && relative > 0; }
};

/// One exploration.
struct Recording {
  std::string program;                        ///< operator, or name of the program
  std::string file;                           ///< .lift file that it comes from; "" for operators
  std::map<std::string, std::int64_t> sizes;  ///< of a file's program, where other than declared there
  Problem problem;
  std::string backend, device, machine;
  int threads = 0, vector_bytes = 0;
  bool caller_layout_only = false;
  std::vector<Parameter> decisions;  ///< in dependency order, with all settings
  std::vector<std::string> costs;    ///< names of what was counted of each kernel, see cost/kernel_costs.hpp
  std::vector<TriedConfiguration> tried;

  /// Index of the configuration that stands for this one's kernel.
  std::size_t kernel_of(std::size_t i) const { return tried[i].same_as.value_or(i); }
  std::string title() const;  ///< "smooth3d smoother=jacobi f64 16 x 12^3 opencl"
};

std::string text_of(const Recording& r);
/// UserError: it is not what text_of has written, or a decision that there is no more.
std::vector<Recording> recordings_in(const std::string& text);

/// Recordings of one space as one: each kernel's least time, over all recordings in which it was timed. For
/// machines on which something else runs now and then. UserError: they are not about the same.
Recording merged(const std::vector<Recording>& all);

/// Collects recordings while explorations go on; `text` may be asked for at any time.
class Recorder {
 public:
  /// Of operators; or of the program in a .lift file, with these sizes instead of those that it declares.
  explicit Recorder(std::string file = {}, std::map<std::string, std::int64_t> sizes = {})
      : file_(std::move(file)), sizes_(std::move(sizes)) {}
  void begin(Recording about);
  /// A configuration that has been tried; the index by which another one says that it leads to the same
  /// kernel.
  std::size_t add(TriedConfiguration tried);
  std::string text() const;

 private:
  std::string file_;
  std::map<std::string, std::int64_t> sizes_;
  std::vector<Recording> all_;
};

/// The space that a recording covers: its configurations, and no others.
class RecordedSpace : public SearchSpace {
 public:
  /// `r` outlives this.
  explicit RecordedSpace(const Recording& r);
  const std::vector<Parameter>& parameters() const override { return recording_->decisions; }
  Settings allowed(const Configuration& chosen, const Key& decision) const override;
  std::vector<Configuration> seeds() const override;  ///< the first guesses of the exploration
  /// Index of a configuration of the space.
  std::size_t find(const Configuration& c) const;

 private:
  /// Configurations that have their first settings in common.
  struct Node {
    std::vector<std::pair<Setting, std::unique_ptr<Node>>> next;  ///< by the next decision's setting
    std::size_t index = 0;  ///< of the only one, after the last decision
  };
  const Node* descend(const Configuration& c, std::size_t decisions) const;

  const Recording* recording_;
  Node root_;
};

}  // namespace lift
