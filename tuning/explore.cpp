#include "tuning/explore.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <functional>
#include <set>

#include "ir/error.hpp"
#include "rewrite/analysis/decided.hpp"
#include "rewrite/own/check_rule.hpp"
#include "runtime/affinity.hpp"
#include "runtime/interrupt.hpp"
#include "tuning/budget.hpp"
#include "tuning/comparison.hpp"
#include "tuning/cost/cost_model.hpp"
#include "tuning/disturbance.hpp"
#include "tuning/filling.hpp"
#include "tuning/reference.hpp"
#include "tuning/search.hpp"
#include "tuning/search/exploration_record.hpp"
#include "tuning/session.hpp"
#include "tuning/small_check.hpp"

namespace lift {
namespace {

constexpr double kRememberedEvery = 2;  ///< seconds
constexpr double kSteady = 1.5;  ///< a machine may become so much slower in the course of an exploration
constexpr double kBeforeSwitches =
    0.4;  ///< of the time to explore, for the search that finds their surroundings

class Exploration {
 public:
  Exploration(const Pattern& pattern, const Problem& problem, const ExploreOptions& options)
      : options_(options),
        rules_(admitted_rules(options.rules)),
        budget_(options.budget_seconds),
        session_(pattern, problem, options),
        record_(options, session_),
        comparison_(session_, options, result_) {
    result_.pattern = pattern.name, result_.problem = problem, result_.target = options.target;
    result_.machine = session_.machine, result_.device = session_.device_name,
    result_.emulated = options.emulate, result_.threads = session_.threads;
    result_.traffic = traffic(session_.single);
  }

  ExploreResult run() {
    result_.spent.setup = budget_.spent(), result_.spent.once = session_.probing_seconds;
    if (const std::string decision = decision_in(session_.program); !decision.empty() && !options_.only)
      throw UserError(
          session_.program.name + ": decisions have been taken in it (" + decision +
          "), so there is nothing to explore; run it as it is, or leave them out (map for map_par)");
    comparison_.prepare([&](std::size_t) { return tell("setting up"); },
                        [&] { return budget_.is_time_for_rivals(); });
    comparison_.contend(before_comparing() - budget_.spent());
    if (options_.check_small) start_small_check();
    describe_reference();
    if (options_.only)
      explore_given(*options_.only);
    else
      keeping_the_best([&] { search(); });
    tell("comparing");
    if (!keeping_the_best([&] { compare(); })) comparison_.run(candidates_, 0, false);
    finish();
    if (options_.memory && !options_.only && !options_.emulate) options_.memory->keep(occasion(), result_);
    return std::move(result_);
  }

 private:
  /// What goes wrong outside of this program (a kernel crashes, the compiler or the disk is gone) when
  /// something has been found ends what is done, not the exploration; false then.
  bool keeping_the_best(const std::function<void()>& f) {
    try {
      f();
      return true;
    } catch (const std::exception& error) {
      const bool ours = dynamic_cast<const InternalError*>(&error) != nullptr &&
                        dynamic_cast<const KernelFault*>(&error) == nullptr;
      if (ours || best_ms_ == 0 || interrupted()) throw;
      result_.cut_short = error.what();
      return false;
    }
  }

  Occasion occasion() const {
    return {session_.pattern,
            session_.problem,
            options_.target,
            session_.machine,
            session_.device_info(),
            session_.threads,
            options_.only_layout == kCallersLayout,
            rules_};
  }

  /// Of a GPU; 0: where kernels run there are none.
  int multiprocessors() const {
    const GridDeviceInfo* device = session_.device_info();
    return device != nullptr && device->gpu && !device->emulated ? device->compute_units : 0;
  }

  /// When the last round has to begin, as things are: the faster the best, the later.
  double before_comparing() const {
    return budget_.before_last_round(comparison_.estimated_seconds(best_ms_));
  }

  /// A budget that the setting up has spent leaves time for something all the same: the first configurations,
  /// one by one, until one is timed.
  bool may_go_on() const {
    constexpr int kMostInVain = 8;
    return !budget_.is_search_over() || (best_ms_ == 0 && result_.counts.configurations < kMostInVain);
  }
  /// Whether to go on.
  bool tell(const std::string& phase) {
    const OutsideRegions outside;  // what is the caller's stays
    if (options_.on_progress)
      options_.on_progress({phase, budget_.fraction(), result_.counts.timed,
                            best_ms_ / session_.problem.sweeps, best_name_,
                            best_ms_ > 0 && comparison_.has_anchor() ? 1 / best_relative_ : 0});
    return !interrupted();
  }

  void compare() {
    const Stopwatch measuring(result_.spent.measuring);
    comparison_.run(candidates_, budget_.for_last_round(), !device_lost_);
    if (device_lost_ || !result_.best || interrupted()) return;
    result_.cache_flushed = session_.executor().is_flushed_for(result_.variants[*result_.best].kernel);
    result_.launch_ms = session_.executor().launch_ms();
  }

  void start_small_check() {
    const Stopwatch verifying(result_.spent.verifying);
    small_.emplace(
        session_.pattern, session_.problem, options_.target, session_.machine, options_.only_layout,
        session_.device_info(), session_.threads,
        [&](const ProblemData& arguments) { return session_.executor_for(arguments); }, rules_);
    if (!session_.pattern.reference && !session_.device && small_->possible()) check_own_reference();
  }

  void describe_reference() {
    const std::string interpreter = !small_ ? "not held against the interpreter"
                                    : small_->possible()
                                        ? "held against the interpreter at small sizes"
                                        : "not held against the interpreter: " + small_->why_not();
    result_.reference = session_.pattern.reference
                            ? "loops written from the formulas; each structure is " + interpreter
                            : "the kernel that takes no decision, itself " + interpreter;
    for (const Expected& e : session_.expected())
      if (e.no_numbers)
        result_.reference += "; every element of " + e.result.name +
                             " is NaN or infinite, so that little is known of kernels that compute it";
  }

  /// Without a reference of the pattern's own, results are held against the kernel that takes no decision.
  void check_own_reference() {
    Candidate plain = small_->reference(session_.lowering);
    if (plain.refusal)
      throw InternalError("verification: " + session_.pattern.name +
                          " was lowered for its reference, but not at " + small_->describe());
    const Job job{plain.kernel, plain.variant.source, {}, {}, {}};
    accept(plain, session_.executor().compile({&job, 1}, {}).front());
    if (plain.compiled.stopped) return;
    if (!plain.compiled.program && plain.compiled.timed_out)
      throw UserError(session_.pattern.name + ": at " + small_->describe() +
                      " its reference was not compiled: " + plain.compiled.error);
    if (!plain.compiled.program)
      throw InternalError("verification: the reference of " + session_.pattern.name +
                          " does not compile at " + small_->describe() + ": " + plain.compiled.error);
    if (const Difference d = small_->compare(plain); !d.right())
      throw InternalError("verification: the reference of " + session_.pattern.name +
                          " differs from the interpreter at " + small_->describe() + " by " +
                          fmt::format("{:.3g}", d.error));
  }

  void search() {
    const Space space = make_space(session_.program, options_.target, session_.machine, options_.only_layout,
                                   session_.device_info(), rules_);
    const std::size_t switches = options_.switches ? switches_of(space, {}).size() : 0;
    const std::vector<Configuration> known = options_.memory && !options_.emulate
                                                 ? options_.memory->known(occasion())
                                                 : std::vector<Configuration>{};
    Search search(space, options_.search, options_.seed, options_.first, known);
    if (record_.is_kept()) to_the_end_ = true;  // whoever replays it wants times, also of what is slow
    record_.begin(space);
    const double whole = before_comparing();
    const double began = budget_.spent();
    budget_.end_search_at(switches > 0 ? began + kBeforeSwitches * std::max(0.0, whole - began) : whole);
    const std::size_t cores = allowed_cpus().size();
    const std::size_t batch_size = std::clamp<std::size_t>(switches > 0 ? cores : 3 * cores, 4, 16);
    while (tell("exploring") && may_go_on() && !device_lost_) {
      const std::size_t first = candidates_.size();
      std::vector<Candidate> batch = next_batch(space, search, batch_size);
      if (batch.empty()) break;
      explore_batch(std::move(batch));
      for (std::size_t i = first; i < candidates_.size(); ++i) tell(search, candidates_[i]);
      same_kernels(search);
      if (switches == 0) budget_.end_search_at(before_comparing());
      // What one switch at a time will take is left to it.
      if (switches > 0)
        budget_.end_search_at(std::min(budget_.end_of_search(), whole - static_cast<double>(switches + 1) *
                                                                            (budget_.spent() - began) /
                                                                            result_.counts.configurations));
    }
    same_kernels(search);
    budget_.end_search_at(before_comparing());
    if (options_.switches) explore_switches(space, batch_size);
  }

  /// All combinations of the switches, in the surroundings of the fastest variant that they go with.
  void explore_switches(const Space& space, std::size_t batch_size) {
    std::vector<const Candidate*> ranked;
    for (const Candidate& c : candidates_)
      if (c.variant.status == Status::ok && c.variant.verified) ranked.push_back(&c);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Candidate* a, const Candidate* b) { return a->relative < b->relative; });
    std::vector<Configuration> good;
    for (const Candidate* c : ranked) good.push_back(c->variant.params);
    SwitchGrid& grid = result_.switches;
    grid = switch_grid(space, good);
    to_the_end_ = true;
    const std::vector<std::size_t> order = measuring_order(grid.runs);
    for (std::size_t i = 0, n = grid.switches.size() + 1; i < order.size();
         i += n, n = batch_size)  // one switch on at a time is together
      measure_switches(space, {order.begin() + static_cast<std::ptrdiff_t>(i),
                               order.begin() + static_cast<std::ptrdiff_t>(std::min(i + n, order.size()))});
    grid.effects = effects(grid.switches, grid.runs);
  }

  /// Combinations that give one kernel share its time.
  void measure_switches(const Space& space, const std::vector<std::size_t>& runs) {
    std::vector<Candidate> batch;
    std::vector<std::pair<std::size_t, std::string>> sources;
    for (const std::size_t i : runs) {
      SwitchRun& run = result_.switches.runs[i];
      if (interrupted() || budget_.is_search_over()) {
        run.note = "not measured: the budget is spent";
        continue;
      }
      Candidate c = prepare(space, run.params, session_.lowering, session_.executor());
      if (c.variant.status != Status::ok) {
        run.note = c.variant.message;
        continue;
      }
      sources.emplace_back(i, c.variant.source);
      if (find_measured(c.variant.source) || std::any_of(batch.begin(), batch.end(), [&](const Candidate& b) {
            return b.variant.source == c.variant.source;
          }))
        continue;
      if (sources_.insert(c.variant.source).second) ++result_.counts.configurations;
      batch.push_back(std::move(c));
    }
    if (!batch.empty()) explore_batch(std::move(batch));
    for (const auto& [i, source] : sources) {
      SwitchRun& run = result_.switches.runs[i];
      const Candidate* c = find_measured(source);
      if (c == nullptr)
        run.note = "not measured: the budget is spent";
      else if (c->variant.status != Status::ok)
        run.note = std::string(text(c->variant.status)) + ": " + c->variant.message;
      else
        run.ms = c->relative * anchor_ms_, run.verified = c->variant.verified;
    }
  }

  /// To the end, or refused.
  const Candidate* find_measured(const std::string& source) const {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return c.variant.source == source && c.variant.status != Status::impossible &&
             c.variant.status != Status::aborted;
    });
    return at == candidates_.end() ? nullptr : &*at;
  }

  KernelCosts costs_of(const Candidate& c) const {
    return kernel_costs(c.kernel, cost_machine(session_.machine, session_.threads));
  }

  /// What a candidate taught; one that never ran teaches nothing.
  static void tell(Search& search, const Candidate& c) {
    const Variant& v = c.variant;
    if (v.verified && v.ms > 0)
      search.report(v.params, c.relative);
    else if (v.status != Status::ok)
      search.refuse(v.params);
  }

  /// Configurations that lead to a kernel of another one are as fast as that.
  void same_kernels(Search& search) {
    for (const auto& kernel : same_kernels_) {
      const auto& configuration = kernel.first;
      const auto& source = kernel.second;
      const auto same = std::find_if(candidates_.begin(), candidates_.end(),
                                     [&](const Candidate& c) { return c.variant.source == source; });
      if (same == candidates_.end()) continue;  // it was interrupted
      Candidate as_fast;
      as_fast.relative = same->relative;
      as_fast.variant.params = configuration, as_fast.variant.status = same->variant.status;
      as_fast.variant.verified = same->variant.verified, as_fast.variant.ms = same->variant.ms;
      tell(search, as_fast);
      record_.add_same(configuration, source);
    }
    same_kernels_.clear();
  }

  /// Configurations that lead to kernels not seen yet.
  std::vector<Candidate> next_batch(const Space& space, Search& search, std::size_t size) {
    const Stopwatch preparing(result_.spent.preparing);
    std::vector<Candidate> batch;
    while (batch.size() < (budget_.is_search_over() ? 1 : size) && !interrupted() && may_go_on()) {
      if (options_.configurations > 0 && result_.counts.configurations >= options_.configurations) break;
      const bool guess = search.is_guessing();
      const std::optional<Configuration> c = search.next();
      if (!c) break;
      Candidate candidate = prepare(space, *c, session_.lowering, session_.executor());
      const bool made = candidate.variant.status == Status::ok;
      if (made && !filling_.will_do(candidate.kernel) && guess) {
        ++result_.counts.too_few_items;
        continue;
      }
      if (made && !sources_.insert(candidate.variant.source).second) {
        same_kernels_.push_back({std::move(candidate.variant.params), std::move(candidate.variant.source)});
        continue;
      }
      ++result_.counts.configurations;
      if (made)
        batch.push_back(std::move(candidate));
      else
        keep(std::move(candidate));
    }
    return batch;
  }

  void explore_batch(std::vector<Candidate> batch) {
    std::vector<Candidate> checks = checks_of(batch);
    compile(batch, checks);
    for (Candidate& check : checks)
      if (!device_lost_) compare_small(check);
    anchor_ms_ = anchor_now();
    for (Candidate& candidate : batch) {
      if (best_ms_ > 0 && (interrupted() || (budget_.is_search_over() && !options_.only))) break;
      if (candidate.compiled.stopped) continue;
      if (const auto at = broken_.find(candidate.variant.structure); device_lost_ && at != broken_.end())
        candidate.variant.status = Status::wrong, candidate.variant.message = at->second;
      if (device_lost_ && candidate.variant.status == Status::ok) continue;
      try {
        if (candidate.variant.status == Status::ok) try_out(candidate);
      } catch (const DeviceLost&) {  // its status says so; what was found so far is kept
        device_lost_ = true;
      } catch (const EnvironmentError&) {  // Ctrl-C ends a compiler that was at work for it
        if (interrupted()) break;
        throw;
      }
      keep(std::move(candidate));
      tell("exploring");
    }
  }

  /// What was asked for and is impossible, or takes its process down, is an error, not a variant less.
  void explore_given(const Derivation& derivation) {
    explore_batch({prepare(session_.program, derivation, session_.lowering, session_.executor())});
    for (const Candidate& c : candidates_)
      if (c.refusal) std::rethrow_exception(c.refusal);
    for (const Candidate& c : candidates_)
      if (c.variant.status == Status::crashed || c.variant.status == Status::hung)
        throw UserError(session_.program.name + ": " + c.variant.message +
                        functions_called(session_.program));
    if (options_.on_results && candidates_.size() == 1 && candidates_.front().variant.verified)
      tell_results(candidates_.front());
  }

  /// Timing went on from the results of the verifying run, so it is done again.
  void tell_results(const Candidate& c) {
    Executor& executor = session_.executor();
    const TimedRun run = executor.bind(c.kernel, c.compiled);
    executor.restore(c.kernel);
    run();
    std::vector<HostArray> results;
    const std::vector<Expected> expected = session_.expected();
    for (std::size_t n = 0; n < expected.size(); ++n)
      results.push_back(executor.fetch(c.kernel, n, expected[n].staging));
    const OutsideRegions outside;
    options_.on_results(results);
  }

  /// A small sibling of the first candidate of each structure not checked yet.
  std::vector<Candidate> checks_of(const std::vector<Candidate>& batch) {
    std::vector<Candidate> checks;
    if (!small_ || !small_->possible()) return checks;
    const Stopwatch preparing(result_.spent.preparing);
    for (const Candidate& c : batch) {
      const Variant& v = c.variant;
      if (v.status != Status::ok || checked_.contains(v.structure)) continue;
      auto sibling = options_.only ? small_->candidate(v.derivation, session_.lowering)
                                   : small_->candidate(v.params, v.structure, session_.lowering);
      if (!sibling) continue;
      sibling->variant.structure = v.structure;
      checked_.insert(v.structure);
      checks.push_back(std::move(*sibling));
    }
    return checks;
  }

  void compile(std::vector<Candidate>& batch, std::vector<Candidate>& checks) {
    const Stopwatch compiling(result_.spent.compiling);
    std::vector<Candidate*> all;
    for (auto* list : {&batch, &checks})
      for (Candidate& c : *list)
        if (c.variant.status == Status::ok) all.push_back(&c);
    std::vector<Job> jobs;
    for (const Candidate* c : all) jobs.push_back({c->kernel, c->variant.source, {}, {}, {}});
    const auto go_on = [&](std::size_t) {
      return tell("exploring") && (best_ms_ == 0 || budget_.spent() < budget_.end_of_search() + 1);
    };
    std::vector<Compiled> compiled = session_.executor().compile(jobs, go_on);
    for (std::size_t i = 0; i < all.size(); ++i) accept(*all[i], std::move(compiled[i]));
  }

  void compare_small(Candidate& check) {
    const Stopwatch verifying(result_.spent.verifying);
    if (check.compiled.stopped) return;
    const std::string& structure = check.variant.structure;
    if (check.compiled.timed_out) {  // no fault of the structure's
      checked_.erase(structure);
      return;
    }
    if (!check.compiled.program) {
      broken_[structure] = "does not compile at " + small_->describe() + ": " + check.compiled.error;
      return;
    }
    try {
      if (const Difference d = small_->compare(check); !d.right())
        broken_[structure] =
            "differs from the interpreter at " + small_->describe() + " by " + fmt::format("{:.3g}", d.error);
    } catch (const UserError&) {
      checked_.erase(structure);  // the device cannot run it at that size
    } catch (const KernelFault& fault) {
      broken_[structure] = "at " + small_->describe() + ": " + fault.what();
    } catch (const DeviceLost& lost) {
      broken_[structure] = "at " + small_->describe() + ": " + lost.what();
      device_lost_ = true;
    } catch (const EnvironmentError&) {  // Ctrl-C ends a compiler that was at work for a conversion
      if (!interrupted()) throw;
    }
  }

  void try_out(Candidate& candidate) {
    Variant& v = candidate.variant;
    const double best_ms = best_ms_ > 0 && !to_the_end_ ? best_relative_ * anchor_ms_ : INFINITY;
    {
      const Stopwatch measuring(result_.spent.measuring);
      verify_and_time(candidate, session_.executor(), session_.expected(), best_ms);
    }
    if (const auto at = broken_.find(v.structure); at != broken_.end() && v.verified)
      v.status = Status::wrong, v.verified = false, v.message = at->second;
    // The shorter anchor of before and after, and none far beyond the shortest: something may have disturbed
    // both and spared the candidate. It may look slower than it is, but not faster.
    const double after = anchor_now();
    least_anchor_ms_ = std::min({least_anchor_ms_, anchor_ms_, after});
    candidate.relative = v.ms / std::min({anchor_ms_, after, kSteady * least_anchor_ms_});
    anchor_ms_ = after;
    v.explored_s = budget_.spent(), v.explored_ms = v.ms / session_.problem.sweeps;
    if (!v.verified || v.status != Status::ok) return;
    if (best_ms_ == 0 || candidate.relative < best_relative_) {
      best_ms_ = v.ms, best_relative_ = candidate.relative, best_name_ = v.name;
      remember(v);
    }
  }

  /// The best so far outlives a process that is killed.
  void remember(Variant best) {
    if (!options_.memory || options_.only || options_.emulate || budget_.spent() < remember_from_) return;
    if (!are_times_trusted() && !load_beside().empty()) return;
    remember_from_ = budget_.spent() + kRememberedEvery;
    best.sweeps = session_.problem.sweeps, best.ms /= best.sweeps;
    ExploreResult so_far;
    if (best.layout.empty()) so_far.best_caller = 0;
    so_far.best = 0;
    so_far.variants.push_back(std::move(best));
    options_.memory->keep(occasion(), so_far);
  }

  double anchor_now() {
    const Stopwatch measuring(result_.spent.measuring);
    const double ms = comparison_.anchor_ms();
    return ms > 0 ? ms : 1;
  }

  void keep(Candidate candidate) {
    Counts& n = result_.counts;
    const Variant& v = candidate.variant;
    if (candidate.compiled.program) ++n.compiled;
    switch (v.status) {
      case Status::wrong:
        ++n.wrong;
        break;
      case Status::compile_failed:
        ++n.compile_failed;
        break;
      case Status::crashed:
        ++n.crashed;
        break;
      case Status::hung:
        ++n.hung;
        break;
      case Status::impossible:
        ++n.impossible;
        break;
      case Status::aborted:
        ++n.aborted;
        [[fallthrough]];
      case Status::ok:
        ++n.timed;
        kinds_.insert(kind_of(v.derivation));
        structures_.insert(v.structure);
    }
    if (record_.is_kept() && (v.status != Status::ok || v.ms > 0))
      record_.add(candidate, costs_of(candidate));
    if (v.ms > 0)
      candidate.variant.expected_ms =
          expected_us(costs_of(candidate), default_weights(is_grid(options_.target))) /
          (1e3 * session_.problem.sweeps);
    candidates_.push_back(std::move(candidate));
  }

  void finish() {
    result_.counts.derivations = static_cast<int>(kinds_.size());
    result_.counts.structures = static_cast<int>(structures_.size());
    if (options_.only) result_.counts.configurations = 1;
    if (!result_.best && result_.counts.compile_failed > 0 && options_.host_compiler && !interrupted())
      session_.compiler.require_working();  // says so when it is the compiler that fails
    result_.interrupted = interrupted();
    if (are_times_trusted() || result_.emulated)
      result_.disturbed.clear();
    else if (result_.disturbed.empty())
      result_.disturbed = why_disturbed();
    result_.spent.total = budget_.spent();
  }

  /// Beside what the last round shows by itself.
  std::string why_disturbed() const {
    constexpr double kShortMs = 0.02;  // of the twin: its launch is most of it
    if (!result_.best) return "";
    const Variant& best = result_.variants[*result_.best];
    if (result_.twin_ms > kShortMs && !is_possible(best.roofline, best.sweeps))
      return fmt::format("{:.0f} % of the roofline are more than there can be", 100 * best.roofline);
    return multiprocessors() > 0 ? "" : load_beside();
  }

  const ExploreOptions& options_;
  OwnRules rules_;
  Budget budget_;
  const InterruptScope interrupt_;
  Session session_;
  ExploreResult result_;
  ExplorationRecord record_;
  Comparison comparison_;
  std::optional<SmallCheck> small_;
  std::vector<Candidate> candidates_;
  Filling filling_{multiprocessors()};
  std::set<std::string> sources_, checked_, kinds_, structures_;
  std::vector<std::pair<Configuration, std::string>> same_kernels_;  ///< of a source met before
  std::map<std::string, std::string> broken_;  ///< structures that the small check refused, and why
  bool device_lost_ = false;
  double best_ms_ = 0, best_relative_ = 0, anchor_ms_ = 1;
  double least_anchor_ms_ = INFINITY;
  double remember_from_ = 0;
  bool to_the_end_ = false;  ///< timing never ends early
  std::string best_name_;
};

}  // namespace

const char* text(Status s) {
  switch (s) {
    case Status::ok:
      return "ok";
    case Status::wrong:
      return "wrong";
    case Status::compile_failed:
      return "compile_failed";
    case Status::aborted:
      return "aborted";
    case Status::impossible:
      return "impossible";
    case Status::crashed:
      return "crashed";
    case Status::hung:
      return "hung";
  }
  return "";
}

OwnRules admitted_rules(const std::vector<Rule>& rules) {
  if (rules.empty()) return nullptr;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (rules[i].name == rules[j].name)
        throw UserError("rule " + rules[i].name +
                        ": there are two of this name; choose another for one of them");
    for (const RuleParameter& p : rules[i].parameters)
      if (p.choices.empty())
        throw UserError("rule " + rules[i].name + ": nothing says what its parameter " + p.name +
                        " may be; give the values that an exploration tries: .from({8, 32})");
    check_rule(rules[i]);
  }
  keep_rules(rules);
  return std::make_shared<const std::vector<Rule>>(rules);
}

Space make_space(const Program& program, Target target, const Machine& machine,
                 const std::optional<LayoutRequest>& only_layout, const GridDeviceInfo* device,
                 OwnRules rules) {
  SpaceOptions options;
  options.rules = std::move(rules);
  options.target = target;
  options.threads = machine.threads;
  options.only_layout = only_layout;
  if (machine.vector_bytes > 0) options.vector_bytes = machine.vector_bytes;
  if (device != nullptr) {
    options.local_bytes = std::max(device->local_bytes, device->max_local_bytes);
    if (device->gpu && !device->emulated) options.compute_units = device->compute_units;
    options.max_work_group = device->max_work_group;
    options.cpu = device->cpu;
  }
  return Space(program, options);
}

namespace {

/// Asked where kernels may do without one: on devices.
std::string why_no_host_compiler(const ExploreOptions& options) {
  if (!is_grid(options.target) || options.emulate || options.contenders) return "";
  try {
    NativeCompiler().require_working();
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

}  // namespace

ExploreResult explore(const Pattern& pattern, const Problem& problem, const ExploreOptions& options) {
  if (options.budget_seconds <= 0) throw UserError("--budget must be more than 0 seconds");
  find_technique(options.search);  // an unknown one is said before anything is measured
  if (pattern.before_running) pattern.before_running();
  const std::string why = why_no_host_compiler(options);
  if (why.empty()) return Exploration(pattern, problem, options).run();
  ExploreOptions without = options;
  without.host_compiler = without.plain = without.rivals = false;
  without.only_layout = kCallersLayout;
  ExploreResult result = Exploration(pattern, problem, without).run();
  result.no_host_compiler = why;
  return result;
}

}  // namespace lift
