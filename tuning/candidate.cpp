#include "tuning/candidate.hpp"

#include <algorithm>
#include <chrono>

#include "ir/ascii.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongMs = 10;     ///< a kernel that the verifying run has warmed up enough
constexpr double kHopeless = 1.6;  ///< times the best: timing ends early
constexpr double kUnlikely = 1.2;  ///< times the best: two runs will do
constexpr double kCold = 2;        ///< the verifying run, on pages not met before, may take so much longer

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// The structure, then the numbers that are not the plain ones: "tile-par-vec tile_j=8 width=4".
std::string name_of(const Space& space, const Configuration& c) {
  std::string name = space.structure(c);
  for (const Parameter& p : space.parameters())
    if (const Setting* s = c.find(*p.key); s != nullptr && *s != p.values.front())
      if (const std::string text = p.key->text(*s); is_number(text)) name += " " + p.name() + "=" + text;
  return name;
}

/// Fills in kernel, source and time; the status is impossible where `make` says so.
template <class Make>
void fill(Candidate& candidate, Executor& executor, const Make& make) {
  const auto begin = Clock::now();
  try {
    candidate.kernel = make();
    candidate.variant.source = executor.source(candidate.kernel);
  } catch (const UserError& error) {
    candidate.variant.status = Status::impossible;
    candidate.variant.message = error.what();
    candidate.refusal = std::current_exception();
  } catch (const InternalError& error) {
    // A defect of ours, which shall not cost the user the other variants.
    candidate.variant.status = Status::compile_failed;
    candidate.variant.message = std::string("internal error: ") + error.what();
  }
  candidate.variant.prepare_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

Candidate prepare(const Space& space, const Configuration& c, const LowerOptions& lowering,
                  Executor& executor) {
  Candidate candidate;
  Variant& v = candidate.variant;
  v.params = c, v.structure = space.structure(c), v.name = name_of(space, c), v.layout = space.layout(c);
  fill(candidate, executor, [&] {
    Rewriting derived = space.derived(c);
    v.derivation = std::move(derived.steps);
    return lower(derived.program, lowering);
  });
  return candidate;
}

Candidate prepare(const Program& program, const Derivation& d, const LowerOptions& lowering,
                  Executor& executor) {
  Candidate candidate;
  candidate.variant.structure = candidate.variant.name = "given derivation";
  candidate.variant.derivation = d;
  fill(candidate, executor, [&] { return lower(replay(program, d), lowering); });
  for (const KernelArgument& a : candidate.kernel.arguments)
    if (a.type.is_array() && !is_caller_layout(a.layout)) candidate.variant.layout = str(a.layout.request());
  return candidate;
}

void accept(Candidate& candidate, Compiled compiled) {
  candidate.compiled = std::move(compiled);
  candidate.variant.compile_seconds = candidate.compiled.seconds;
  if (candidate.compiled.program) return;
  candidate.variant.status = Status::compile_failed;
  candidate.variant.message = candidate.compiled.error;
}

FirstRun run_and_compare(Executor& executor, const Kernel& kernel, const Compiled& compiled,
                         const std::vector<Expected>& expected) {
  const TimedRun run = executor.bind(kernel, compiled);
  executor.restore(kernel);
  const double ms = run();
  Difference all;
  for (std::size_t n = 0; n < expected.size(); ++n)
    all = worse(all, executor.compare(kernel, n, expected[n]));
  return {all, ms};
}

namespace {

/// Sets status and message of a variant whose result is not right.
void refuse(Variant& v, const Difference& d) {
  v.status = Status::wrong, v.verified = false;
  v.message = d.unwritten > 0 ? std::to_string(d.unwritten) + " elements of the result are not written"
                              : "differs from the reference";
}

}  // namespace

void verify_and_time(Candidate& candidate, Executor& executor, const std::vector<Expected>& expected,
                     double best_ms) {
  Variant& v = candidate.variant;
  try {
    const FirstRun first = run_and_compare(executor, candidate.kernel, candidate.compiled, expected);
    v.error = first.difference.error;
    v.convert_ms = executor.convert_ms(candidate.kernel);
    if (!first.difference.right()) return refuse(v, first.difference);
    v.verified = true;
    if (!executor.is_timed()) {
      v.ms = first.ms;
      return;
    }
    if (first.ms > kLongMs && first.ms > kCold * kHopeless * best_ms) {
      v.ms = first.ms, v.status = Status::aborted;
      return;
    }
    MeasureOptions measuring;
    measuring.warmup = first.ms > kLongMs ? 0 : 1;
    measuring.min_runs = 3, measuring.max_runs = 5, measuring.max_seconds = 0.2;
    measuring.abort_above_ms = kHopeless * best_ms, measuring.brief_above_ms = kUnlikely * best_ms;
    const Timing timing = measure(executor.bind(candidate.kernel, candidate.compiled), measuring);
    v.ms = timing.median_ms;
    v.status = timing.aborted ? Status::aborted : Status::ok;
  } catch (const UserError& error) {
    v.status = Status::impossible;
    v.message = error.what();
    candidate.refusal = std::current_exception();
  } catch (const WorkerLost& lost) {
    v.status = lost.kind == WorkerLost::Kind::hung ? Status::hung : Status::crashed, v.verified = false;
    v.message = lost.what();
  } catch (const KernelFault& fault) {
    v.status = Status::wrong, v.verified = false;
    v.message = fault.what();
  } catch (const DeviceLost& lost) {
    v.status = Status::wrong, v.verified = false;
    v.message = lost.what();
    throw;
  }
}

std::string kind_of(const Derivation& d) {
  std::string kind;
  for (const Step& step : d) {
    kind += step.rule;
    for (const Argument& p : step.parameters)
      if (!p.is_number()) kind += " " + p.str();
    kind += "\n";
  }
  return kind;
}

}  // namespace lift
