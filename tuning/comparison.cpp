#include "tuning/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/error.hpp"
#include "runtime/interrupt.hpp"
#include "tuning/disturbance.hpp"
#include "tuning/unique_names.hpp"

namespace lift {
namespace {

constexpr int kRounds = 11, kLeastRounds = 3;  ///< of the last comparison; the least where a run takes long
constexpr std::size_t kFinalists = 6;          ///< of any layout
constexpr std::size_t kCallerFinalists = 5;    ///< of the caller's
constexpr std::size_t kTwins = 2;
constexpr double kFarBehind = 4;  ///< times the fastest: seldom timed in the last rounds

double gbs(double bytes, double ms) { return ms > 0 ? bytes / ms / 1e6 : 0; }

}  // namespace

Comparison::Comparison(Session& session, const ExploreOptions& options, ExploreResult& result)
    : session_(session), result_(result), contenders_(options.contenders) {
  if (options.plain)
    jobs_ = rival_jobs(session.pattern, session.problem, session.program, options.rivals, session.threads);
  if (contenders_) contenders_->begin(session.pattern, session.problem, session.program, session.threads);
}

void Comparison::contend(double seconds) {
  if (!contenders_) return;
  for (Contender& c : contenders_->contend(*this, seconds)) {
    Compiled compiled;
    if (c.job) compiled = executor_of(c.job->job).compile({&c.job->job, 1}, {}).front();  // from the cache
    if (c.rival.status == Status::ok && !compiled.program)
      c.rival.status = Status::compile_failed, c.rival.message = compiled.error;
    jobs_.push_back(c.job.value_or(RivalJob{}));
    compiled_.push_back(std::move(compiled));
    result_.rivals.push_back(std::move(c.rival));
  }
}

std::vector<Trial> Comparison::try_out(const std::vector<RivalJob>& jobs, double best) {
  std::vector<Job> sources;
  for (const RivalJob& j : jobs) sources.push_back(j.job);
  std::vector<Compiled> compiled;
  Executor& executor = executor_of(sources.at(0));
  {
    const Stopwatch compiling(result_.spent.compiling);
    compiled = executor.compile(sources, {});
  }
  const Stopwatch measuring(result_.spent.measuring);
  std::vector<Trial> trials(jobs.size());
  double before = anchor_ms();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Trial& t = trials[i];
    Candidate candidate;
    candidate.kernel = jobs[i].job.kernel;
    accept(candidate, compiled[i]);
    if (candidate.compiled.program && !interrupted())
      verify_and_time(candidate, executor, session_.expected(),
                      best > 0 && before > 0 ? best * before : INFINITY);
    const double after = anchor_ms();
    const Variant& v = candidate.variant;
    t.status = interrupted() && v.ms == 0 ? Status::aborted : v.status;
    t.message = v.message, t.error = v.error, t.ms = v.ms;
    t.relative = v.ms / (std::min(before, after) > 0 ? std::min(before, after) : 1);
    before = after;
  }
  return trials;
}

void Comparison::prepare(const std::function<bool(std::size_t)>& on_progress,
                         const std::function<bool()>& is_time_left) {
  std::vector<Job> jobs;
  for (const RivalJob& rival : jobs_) jobs.push_back(rival.job);
  if (session_.twin_applies())
    for (Kernel& kernel : lower_traffic_twins(session_.single, session_.lowering)) {
      jobs.push_back({kernel, {}, {}, {}, {}});
      twins_.push_back({std::move(kernel), {}, 0});
    }
  {
    const Stopwatch compiling(result_.spent.compiling);
    compiled_ = session_.native->compile(jobs, on_progress);
  }
  for (std::size_t i = 0; i < twins_.size(); ++i) twins_[i].compiled = compiled_[jobs_.size() + i];
  compiled_.resize(jobs_.size());

  const Stopwatch measuring(result_.spent.measuring);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    Rival rival;
    rival.name = jobs_[i].name, rival.what = jobs_[i].what, rival.baseline = jobs_[i].baseline;
    if (rival.baseline || is_time_left())
      time_rival(rival, jobs_[i], compiled_[i]);
    else
      rival.status = Status::aborted, rival.message = "the budget is too short";
    result_.rivals.push_back(rival);
  }
  time_twins();
  choose_anchor();
}

void Comparison::choose_anchor() {
  if (!session_.twin_applies()) return;
  double fastest = INFINITY;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const Rival& r = result_.rivals[i];
    if (!r.baseline || r.status != Status::ok || r.ms >= fastest) continue;
    fastest = r.ms;
    anchor_ = session_.native->bind(jobs_[i].job.kernel, compiled_[i]);
    anchor_is_long_ = r.ms > 10;
  }
}

double Comparison::anchor_ms() {
  if (!anchor_) return 0;
  MeasureOptions brief;
  brief.warmup = anchor_is_long_ ? 0 : 1;
  brief.max_runs = brief.min_runs = anchor_is_long_ ? 1 : 2;  // the other side of a candidate has one, too
  return measure(anchor_, brief).min_ms;
}

void Comparison::time_rival(Rival& rival, const RivalJob& job, const Compiled& compiled) {
  if (!compiled.program) {
    rival.status = Status::compile_failed, rival.message = compiled.error;
    return;
  }
  Candidate candidate;
  candidate.kernel = job.job.kernel, candidate.compiled = compiled;
  verify_and_time(candidate, *session_.native, session_.expected(), rival.baseline ? INFINITY : plain_ms());
  const Status status = candidate.variant.status;
  rival.status = status == Status::aborted && !interrupted() ? Status::ok : status;  // once is enough, if far
  rival.message = candidate.variant.message;
  rival.error = candidate.variant.error, rival.ms = candidate.variant.ms;
}

void Comparison::time_twins() {
  for (Twin& twin : twins_) {
    if (!twin.compiled.program || interrupted()) continue;
    const auto run = session_.native->bind(twin.kernel, twin.compiled);
    session_.native->restore(twin.kernel);
    twin.ms = measure(run).median_ms;
  }
  std::erase_if(twins_, [](const Twin& twin) { return !(twin.ms > 0); });
  std::sort(twins_.begin(), twins_.end(), [](const Twin& a, const Twin& b) { return a.ms < b.ms; });
  if (twins_.size() > kTwins) twins_.resize(kTwins);
}

/// The faster of the plain loops, of those timed so far; infinite where there are none.
double Comparison::plain_ms() const {
  double ms = INFINITY;
  for (const Rival& r : result_.rivals)
    if (r.baseline && r.status == Status::ok) ms = std::min(ms, r.ms);
  return ms;
}

double Comparison::others_ms() const {
  double ms = 0;
  for (const Rival& r : result_.rivals)
    if (r.status == Status::ok) ms += r.ms;
  for (const Twin& t : twins_) ms += t.ms;
  return ms;
}

double Comparison::estimated_seconds(double best_ms) const {
  constexpr double kBehind = 1.3;  // what the others of the last round are, times the best
  double typical = twins_.empty() ? 0 : twins_.front().ms;
  for (const Rival& r : result_.rivals)
    if (r.baseline) typical = std::max(typical, r.ms);
  if (best_ms > 0) typical = std::min(typical, kBehind * best_ms);
  return 0.5 + (kRounds + 1) * (others_ms() + typical * (kFinalists + kCallerFinalists)) / 1e3;
}

/// Fastest of any layout, and of the caller's.
std::vector<std::size_t> Comparison::finalists(const std::vector<Candidate>& candidates,
                                               double seconds) const {
  std::vector<std::size_t> order(candidates.size()), chosen;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    const Variant& v = candidates[i].variant;
    return !v.verified || v.status != Status::ok || !(v.ms > 0);
  });
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return candidates[a].relative < candidates[b].relative; });
  const auto by_ms = [&](std::size_t a, std::size_t b) {
    return candidates[a].variant.ms < candidates[b].variant.ms;
  };
  const auto fastest = std::min_element(order.begin(), order.end(), by_ms);  // should the anchor have misled
  const std::size_t also = fastest == order.end() ? 0 : *fastest;
  const auto default_one = std::min_element(order.begin(), order.end());  // what there is without a search
  const double left_ms = 1e3 * seconds / (kRounds + 1) - others_ms();
  double spent_ms = 0;
  std::size_t caller = 0;
  for (const std::size_t i : order) {
    const bool in_caller = candidates[i].variant.layout.empty(),
               needed = i == also || i == *default_one || chosen.size() < 2 || (in_caller && caller < 1);
    const bool wanted = chosen.size() < kFinalists || (in_caller && caller < kCallerFinalists);
    if (!needed && (!wanted || spent_ms + candidates[i].variant.ms > left_ms)) continue;
    chosen.push_back(i);
    caller += in_caller, spent_ms += candidates[i].variant.ms;
  }
  return chosen;
}

void Comparison::run(std::vector<Candidate>& candidates, double seconds, bool device_runs) {
  std::vector<TimedRun> runs;
  std::vector<double*> times;
  const auto enter = [&](Executor& executor, const Kernel& kernel, const Compiled& compiled, double& ms) {
    runs.push_back(executor.bind(kernel, compiled));
    executor.restore(kernel);
    times.push_back(&ms);
  };
  if (!device_runs || !session_.executor().is_timed()) return rank(candidates);
  for (const std::size_t i : finalists(candidates, seconds)) {
    enter(session_.executor(), candidates[i].kernel, candidates[i].compiled, candidates[i].variant.ms);
    candidates[i].variant.final_round = true;
  }
  const bool time_for_all = contenders_
                                ? !interrupted()
                                : !interrupted() && (kRounds + 1) * others_ms() <
                                                        1e3 * seconds;  // else rivals keep their first times
  for (std::size_t i = 0; i < result_.rivals.size(); ++i)
    if (Rival& r = result_.rivals[i]; r.status == Status::ok && (r.baseline || time_for_all))
      enter(executor_of(jobs_[i].job), jobs_[i].job.kernel, compiled_[i], r.ms);
  for (Twin& twin : twins_) enter(*session_.native, twin.kernel, twin.compiled, twin.ms);

  double round_ms = 0;
  for (const double* ms : times) round_ms += *ms;
  const int rounds =
      std::clamp(static_cast<int>(1e3 * seconds / std::max(round_ms, 1e-3)) - 1, kLeastRounds, kRounds);
  const std::vector<Timing> timings = interleaved(
      runs, {.rounds = rounds, .least_rounds = kLeastRounds, .seconds = seconds, .far = kFarBehind});
  for (std::size_t i = 0; i < timings.size(); ++i)
    if (timings[i].runs > 0) *times[i] = timings[i].median_ms;
  result_.disturbed = unsteady(timings);
  rank(candidates);
}

void Comparison::rank(std::vector<Candidate>& candidates) {
  ExploreResult& r = result_;
  const double bytes = r.traffic.bytes;
  const int sweeps = session_.problem.sweeps;  // times are of one
  for (Rival& rival : r.rivals) rival.ms /= sweeps;
  for (Candidate& c : candidates) c.variant.ms /= sweeps, c.variant.sweeps = sweeps;
  for (Rival& rival : r.rivals) rival.gbs = gbs(bytes, rival.ms);
  for (std::size_t i = 0; i < r.rivals.size(); ++i)
    if (r.rivals[i].baseline && r.rivals[i].status == Status::ok &&
        (!r.baseline || r.rivals[i].ms < r.rivals[*r.baseline].ms))
      r.baseline = i;
  const auto twin = std::min_element(twins_.begin(), twins_.end(),
                                     [](const Twin& a, const Twin& b) { return a.ms < b.ms; });
  if (twin != twins_.end())
    r.twin_name = twin->kernel.name, r.twin_ms = twin->ms, r.twin_gbs = gbs(bytes, twin->ms);

  // Beside times of another moment ratios would be of something else.
  const bool round = std::any_of(candidates.begin(), candidates.end(),
                                 [](const Candidate& c) { return c.variant.final_round; });
  for (Candidate& c : candidates) {
    Variant& v = c.variant;
    const bool alike = v.ms > 0 && (v.final_round || !round);
    v.gbs = gbs(bytes, v.ms);
    if (alike && r.baseline && session_.executor().is_timed()) v.speedup = r.rivals[*r.baseline].ms / v.ms;
    if (alike) v.roofline = r.twin_ms / v.ms;
    v.kernel = std::move(c.kernel);
    r.variants.push_back(std::move(v));
  }
  // Those of the last round were measured alike; the others follow by their first times.
  const auto rank_of = [](const Variant& v) {
    return v.final_round ? 0 : v.status == Status::ok ? 1 : v.ms > 0 ? 2 : 3;
  };
  std::stable_sort(r.variants.begin(), r.variants.end(), [&](const Variant& a, const Variant& b) {
    return std::pair(rank_of(a), a.ms) < std::pair(rank_of(b), b.ms);
  });
  tell_apart(r.variants);
  for (std::size_t i = 0; i < r.variants.size(); ++i) {
    const Variant& v = r.variants[i];
    if (!v.verified || v.status != Status::ok) continue;
    if (!r.best) r.best = i;
    if (!r.best_caller && v.layout.empty()) r.best_caller = i;
  }
}

}  // namespace lift
