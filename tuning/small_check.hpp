// The same decisions on a small problem of odd size, against the interpreter.
#pragma once

#include "tuning/candidate.hpp"

namespace lift {

class SmallCheck {
 public:
  /// `make_executor` makes one for the small problem's arguments, which live as long as this object.
  SmallCheck(const Pattern& pattern, const Problem& problem, Target target, const Machine& machine,
             const GridDeviceInfo* device, int threads,
             const std::function<std::unique_ptr<Executor>(const ProblemData&)>& make_executor);

  /// A small problem was found; if not, `compare` must not be called.
  bool possible() const { return executor_ != nullptr; }
  const std::string& why_not() const { return why_not_; }

  /// The configuration with numbers that fit the small problem; nothing when its structure does not exist
  /// there.
  std::optional<Candidate> candidate(const Configuration& c, const std::string& structure,
                                     const LowerOptions& lowering);
  std::optional<Candidate> candidate(const Derivation& d, const LowerOptions& lowering);
  /// The kernel that takes no decision.
  Candidate reference(const LowerOptions& lowering);
  /// The error against the interpreter, see relative_error.
  double compare(const Candidate& compiled);
  /// Box size and so on, for messages.
  std::string describe() const;

 private:
  void interpret_program();

  Problem problem_;
  std::string why_not_;
  Program program_;
  std::optional<Space> space_;
  std::unique_ptr<ProblemData> arguments_;
  std::unique_ptr<Executor> executor_;
  ExpectedResults expected_;
};

}  // namespace lift
