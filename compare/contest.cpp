#include "compare/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "compare/settings_search.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/interrupt.hpp"
#include "tuning/untransformed.hpp"

namespace lift {
namespace {

using Clock = std::chrono::steady_clock;

/// One peer's way to its fastest settings.
class PeerSearch {
 public:
  PeerSearch(Peer& peer, const Course& course, Trials& trials)
      : peer_(peer), course_(course), trials_(trials), choices_(peer.choices(course)), search_(choices_) {
    result_.rival.name = peer.name(), result_.rival.what = peer.what();
    result_.rival.status = Status::impossible;
  }

  Contender run(double seconds, int most) {
    const auto began = Clock::now();
    const std::size_t batch = std::max<std::size_t>(1, allowed_cpus().size());
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
    double last = 0;  // what the last ones took: nobody begins what his share has no time for
    while (!interrupted() && (made_ == 0 || elapsed() + last < seconds)) {
      const double before = elapsed();
      const std::size_t allowed = most > 0 ? static_cast<std::size_t>(std::max(0, most - made_)) : batch;
      const std::vector<PeerSettings> settings = next(made_ == 0 ? 1 : std::min(batch, allowed));
      if (settings.empty()) break;
      try_out(settings);
      last = elapsed() - before;
    }
    return std::move(result_);
  }

 private:
  std::vector<PeerSettings> next(std::size_t most) {
    std::vector<PeerSettings> all;
    while (all.size() < most) {
      const auto s = search_.next();
      if (!s) break;
      all.push_back(*s);
    }
    return all;
  }

  void try_out(const std::vector<PeerSettings>& all) {
    std::vector<RivalJob> jobs;
    std::vector<PeerSettings> settings;
    for (const PeerSettings& s : all) {
      if (interrupted()) return;
      ++made_;
      try {
        RivalJob job{peer_.name(), peer_.what(), false, peer_.make(course_, s)};
        std::string key = job.job.code + "\n" + job.job.compiler;
        for (const std::string& f : job.job.flags) key += "\n" + f;
        for (const OwnLaunch& l : job.job.launches)
          for (std::size_t d = 0; d < 3; ++d) key += fmt::format("\n{} {}", l.groups[d], l.local[d]);
        if (!seen_.insert(std::move(key)).second) continue;  // the same, said in another way
        jobs.push_back(std::move(job));
        settings.push_back(s);
      } catch (const UserError& error) {
        refuse(Status::impossible, error.what());
      } catch (const EnvironmentError& error) {
        refuse(Status::compile_failed, error.what());
      }
    }
    if (jobs.empty()) return;
    const std::vector<Trial> tried = trials_.try_out(jobs, best_);
    for (std::size_t i = 0; i < tried.size(); ++i) take(settings[i], jobs[i], tried[i]);
  }

  void take(const PeerSettings& settings, const RivalJob& job, const Trial& t) {
    Rival& r = result_.rival;
    const bool ran = t.status != Status::compile_failed && t.status != Status::impossible;
    if (ran) ++r.tried;
    if (t.status == Status::wrong) ++r.wrong;
    if (t.status == Status::aborted) return search_.learn(settings, t.relative);
    if (t.status != Status::ok) {
      if (t.status == Status::wrong && r.status != Status::ok) r.error = t.error;
      return refuse(t.status, t.message);
    }
    search_.learn(settings, t.relative);
    if (best_ > 0 && t.relative >= best_) return;
    best_ = t.relative;
    r.status = Status::ok, r.message.clear(), r.ms = t.ms, r.error = t.error;
    r.settings = describe(choices_, settings);
    result_.job = job;
  }

  /// What is wrong with all of them is said; a wrong result rather than anything else.
  void refuse(Status status, const std::string& message) {
    Rival& r = result_.rival;
    if (r.status == Status::ok || (r.status == Status::wrong && status != Status::wrong)) return;
    if (!r.message.empty() && status == Status::impossible) return;
    r.status = status, r.message = message;
  }

  Peer& peer_;
  const Course& course_;
  Trials& trials_;
  const std::vector<PeerChoice> choices_;
  SettingsSearch search_;
  std::set<std::string> seen_;
  Contender result_;
  double best_ = 0;  ///< relative
  int made_ = 0;
};

class Contest : public Contenders {
 public:
  Contest(const std::vector<std::string>& names, int most, Target target) : most_(most) {
    for (const std::string& name : names)
      if (name != peer_names().front())
        for (auto& peer : make_peers(name, target)) peers_.push_back(std::move(peer));
  }

  void begin(const Pattern& pattern, const Problem& problem, const Program& program, int threads) override {
    course_ = course_of(pattern, problem, program, threads);
    std::erase_if(peers_, [&](const auto& p) { return p->missing().empty() && !p->applies(course_); });
  }

  std::vector<Contender> contend(Trials& trials, double seconds) override {
    std::vector<Contender> all;
    const auto here =
        std::count_if(peers_.begin(), peers_.end(), [](const auto& p) { return p->missing().empty(); });
    const double share = seconds / static_cast<double>(here + 1);  // the exploration has one, too
    for (const auto& peer : peers_) {
      if (interrupted()) break;
      if (const std::string why = peer->missing(); !why.empty()) {
        Contender c;
        c.rival.name = peer->name(), c.rival.what = peer->what(), c.rival.status = Status::impossible;
        c.rival.message = "not here: " + why;
        all.push_back(std::move(c));
        continue;
      }
      all.push_back(PeerSearch(*peer, course_, trials).run(share, most_));
    }
    return all;
  }

 private:
  std::vector<std::unique_ptr<Peer>> peers_;
  Course course_;
  int most_;
};

}  // namespace

Course course_of(const Pattern& pattern, const Problem& problem, const Program& program, int threads) {
  Course c;
  c.program = program, c.threads = threads;
  const std::vector<RivalJob> plain = rival_jobs(pattern, problem, program, false, threads);
  try {
    c.loops = untransformed_loops(program);
    c.scop = emit_scop(c.loops);
  } catch (const UserError& error) {
    if (plain.empty()) throw;
    c.why_no_loops = error.what();
  }
  if (!plain.empty()) c.plain = plain.front().job;
  return c;
}

std::shared_ptr<Contenders> make_contest(const std::vector<std::string>& names, int most, Target target) {
  return std::make_shared<Contest>(names, most, target);
}

}  // namespace lift
