// Structures are compared with the interpreter at a small size, and a difference is found.
#include "tuning/small_check.hpp"

#include <doctest/doctest.h>

#include "patterns/operators.hpp"
#include "runtime/parallel.hpp"

using namespace lift;

namespace small_check_test {
namespace {

/// Runs as another executor does, and then spoils the last element of the result.
class Spoiling : public Executor {
 public:
  explicit Spoiling(std::unique_ptr<Executor> honest) : honest_(std::move(honest)) {}
  std::string source(const Kernel& kernel) override { return honest_->source(kernel); }
  std::vector<Compiled> compile(std::span<const Job> jobs,
                                const std::function<bool(std::size_t)>& f) override {
    return honest_->compile(jobs, f);
  }
  TimedRun bind(const Kernel& kernel, const Compiled& compiled) override {
    return honest_->bind(kernel, compiled);
  }
  void restore(const Kernel& kernel) override { honest_->restore(kernel); }
  HostArray fetch(const Kernel& kernel, std::size_t n, const HostArray& staging) override {
    const HostArray result = honest_->fetch(kernel, n, staging);
    static_cast<double*>(result.data)[bytes_of(result.type) / sizeof(double) - 1] += 1e-9;
    return result;
  }
  double convert_ms(const Kernel& kernel) const override { return honest_->convert_ms(kernel); }

 private:
  std::unique_ptr<Executor> honest_;
};

struct Checked {
  Problem problem;
  NativeCompiler compiler;
  Machine machine;
  std::unique_ptr<Executor> executor;  ///< the one the check uses; for compiling

  std::vector<double> errors(bool spoil) {
    SmallCheck check(smooth3d(), problem, Target::openmp, machine, std::nullopt, nullptr, 2,
                     [&](const ProblemData& data) -> std::unique_ptr<Executor> {
                       auto honest = make_native_executor(compiler, data, 2);
                       if (spoil) return std::make_unique<Spoiling>(std::move(honest));
                       return honest;
                     });
    REQUIRE(check.possible());
    description = check.describe();
    const Space space = make_space(smooth3d().build(problem), Target::openmp, machine, std::nullopt);
    std::vector<double> found;
    for (const Configuration& c : space.seeds()) {
      if (found.size() == 2) break;
      auto candidate = check.candidate(c, space.structure(c), {.target = Target::openmp});
      if (!candidate) continue;
      const ProblemData nothing(smooth3d(), problem, smooth3d().build(problem), 1);
      const Job job{candidate->kernel, {}, {}, {}, {}};
      accept(*candidate, make_native_executor(compiler, nothing, 1)->compile({&job, 1}, {}).front());
      REQUIRE_MESSAGE(candidate->compiled.program, candidate->variant.message);
      found.push_back(check.compare(*candidate).error);
    }
    return found;
  }
  std::string description;

  explicit Checked(const std::string& boundary) {
    configure_openmp(2);
    problem.box = 16, problem.boxes = 3, problem.boundary = boundary;
    machine.threads = 2, machine.vector_bytes = 32;
  }
};

}  // namespace

TEST_CASE("small check: variants of the smoother agree with the interpreter at an odd size") {
  Checked checked("ghost");
  const auto errors = checked.errors(false);
  CHECK(checked.description == "box 5, boxes 2, ghost 1");
  REQUIRE(errors.size() == 2);
  for (const double error : errors) CHECK(error <= tolerance(f64));
}

TEST_CASE("small check: ghost zones are a cell deeper than the sweeps need, whatever the problem's depth") {
  Checked checked("ghost");
  checked.problem.ghost = 99;
  for (const double error : checked.errors(false)) CHECK(error <= tolerance(f64));
  CHECK(checked.description == "box 5, boxes 2, ghost 2");
  checked.problem.sweeps = 2;
  for (const double error : checked.errors(false)) CHECK(error <= tolerance(f64));
  CHECK(checked.description == "box 5, boxes 2, ghost 3");
}

TEST_CASE("small check: red-black colouring of a periodic box takes an even size") {
  Checked checked("periodic");
  const auto errors = checked.errors(false);
  CHECK(checked.description == "box 6, boxes 2");
  for (const double error : errors) CHECK(error <= tolerance(f64));
}

TEST_CASE("small check: one wrong element of the ghost zone is found") {
  Checked checked("ghost");
  const auto errors = checked.errors(true);
  REQUIRE(errors.size() == 2);
  for (const double error : errors) CHECK(error > tolerance(f64));
}

TEST_CASE("small check: kernels run on the problem's data and on other data") {
  Checked checked("ghost");
  std::vector<std::vector<double>> contents;
  const SmallCheck check(smooth3d(), checked.problem, Target::openmp, checked.machine, std::nullopt, nullptr,
                         2, [&](const ProblemData& data) {
                           const HostArray* phi = data.find("phi");
                           REQUIRE(phi != nullptr);
                           const auto* first = static_cast<const double*>(phi->data);
                           contents.emplace_back(first, first + bytes_of(phi->type) / sizeof(double));
                           return make_native_executor(checked.compiler, data, 2);
                         });
  REQUIRE(contents.size() == 2);
  REQUIRE(contents[0].size() == contents[1].size());
  std::size_t same = 0;
  for (std::size_t i = 0; i < contents[0].size(); ++i) same += contents[0][i] == contents[1][i] ? 1 : 0;
  CHECK(10 * same < contents[0].size());
}

TEST_CASE("small check: variants in one layout are compared in that layout") {
  Checked checked("ghost");
  const Pattern& pattern = find_pattern("residual3d");  // which nobody stores so by default
  const auto split = parse_layout("split 3 1");
  SmallCheck check(pattern, checked.problem, Target::openmp, checked.machine, split, nullptr, 2,
                   [&](const ProblemData& data) { return make_native_executor(checked.compiler, data, 2); });
  REQUIRE(check.possible());
  const Space space = make_space(pattern.build(checked.problem), Target::openmp, checked.machine, split);
  int compared = 0;
  for (const Configuration& c : space.seeds()) {
    auto candidate = check.candidate(c, space.structure(c), {.target = Target::openmp});
    if (!candidate || compared == 2) continue;
    for (const KernelArgument& a : candidate->kernel.arguments)
      CHECK((!a.type.is_array() || a.layout.request() == split));
    const ProblemData nothing(pattern, checked.problem, pattern.build(checked.problem), 1);
    const Job job{candidate->kernel, {}, {}, {}, {}};
    accept(*candidate, make_native_executor(checked.compiler, nothing, 1)->compile({&job, 1}, {}).front());
    REQUIRE_MESSAGE(candidate->compiled.program, candidate->variant.message);
    CHECK(check.compare(*candidate).right());
    ++compared;
  }
  CHECK(compared == 2);
}

}  // namespace small_check_test
