// The same decisions on a small problem of odd size, against the interpreter.
#pragma once

#include "tuning/candidate.hpp"

namespace lift {

class SmallCheck {
 public:
  /// `make_executor` makes one for the small problem's arguments, which live as long as this object.
  SmallCheck(const Pattern& pattern, const Problem& problem, Target target, const Machine& machine,
             const std::optional<LayoutRequest>& only_layout, const GridDeviceInfo* device, int threads,
             const std::function<std::unique_ptr<Executor>(const ProblemData&)>& make_executor,
             const OwnRules& rules = {});

  /// A small problem was found; if not, `compare` must not be called.
  bool possible() const { return !data_.empty(); }
  const std::string& why_not() const { return why_not_; }

  /// The configuration with numbers that fit the small problem; nothing when its structure does not exist
  /// there.
  std::optional<Candidate> candidate(const Configuration& c, const std::string& structure,
                                     const LowerOptions& lowering);
  std::optional<Candidate> candidate(const Derivation& d, const LowerOptions& lowering);
  /// The kernel that takes no decision.
  Candidate reference(const LowerOptions& lowering);
  /// Against the interpreter, on the problem's data and on other data.
  Difference compare(const Candidate& compiled);
  /// Box size and so on, for messages.
  std::string describe() const;

 private:
  /// Data, what runs kernels on them, and what the interpreter makes of them.
  struct Data {
    std::unique_ptr<ProblemData> arguments;
    std::unique_ptr<Executor> executor;
    ExpectedResults expected;
  };
  void interpret(Data& data) const;

  Problem problem_;
  std::string why_not_;
  Program program_;
  std::optional<Space> space_;
  std::vector<Data> data_;
};

}  // namespace lift
