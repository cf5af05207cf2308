// The last round: the best variants, the plain loops and the traffic twins, measured side by side.
#pragma once

#include "tuning/rivals.hpp"
#include "tuning/session.hpp"

namespace lift {

class Comparison : public Trials {
 public:
  /// `result` receives rivals and twin, and in the end everything measured; it and `session` outlive this.
  Comparison(Session& session, const ExploreOptions& options, ExploreResult& result);

  /// Compiles rivals and twins, verifies the rivals, and takes first times of both.
  /// Compiles rivals and twins and times them once; what are not plain loops, as long as there is time.
  void prepare(const std::function<bool(std::size_t)>& on_progress,
               const std::function<bool()>& is_time_left);
  /// Lets the contenders search, for a part of `seconds`.
  void contend(double seconds);
  std::vector<Trial> try_out(const std::vector<RivalJob>& jobs, double best) override;
  /// The present time of the fastest plain loops, in ms; 0 when there are none that run where the kernels do.
  double anchor_ms();
  bool has_anchor() const { return static_cast<bool>(anchor_); }
  /// Wall time that `run` will take, where the best takes `best_ms` (0: as much as the plain loops).
  double estimated_seconds(double best_ms = 0) const;
  /// Measures, then moves the variants to the result, sorted, with times and ratios of this round where they
  /// took part. With less than `seconds` left fewer take part, but the fastest variants and the baseline
  /// always do; the variants keep their first times where there is no device any more that runs them.
  void run(std::vector<Candidate>& candidates, double seconds, bool device_runs = true);

 private:
  struct Twin {
    Kernel kernel;
    Compiled compiled;
    double ms = 0;
  };
  std::vector<std::size_t> finalists(const std::vector<Candidate>& candidates, double seconds) const;
  /// What computes a job: what it is for.
  Executor& executor_of(const Job& job) {
    return job.launches.empty() ? *session_.native : session_.executor();
  }
  double others_ms() const;  ///< of rivals and twins, once each
  double plain_ms() const;
  void time_rival(Rival& rival, const RivalJob& job, const Compiled& compiled);
  void time_twins();
  void choose_anchor();
  void rank(std::vector<Candidate>& candidates);

  Session& session_;
  ExploreResult& result_;
  std::shared_ptr<Contenders> contenders_;
  std::vector<RivalJob> jobs_;
  std::vector<Compiled> compiled_;  ///< of the jobs
  TimedRun anchor_;
  bool anchor_is_long_ = false;
  std::vector<Twin> twins_;  ///< those that run, fastest first
};

}  // namespace lift
