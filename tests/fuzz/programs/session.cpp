#include "tests/fuzz/programs/session.hpp"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "embed/default_variant.hpp"
#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/region.hpp"
#include "runtime/file.hpp"
#include "tests/fuzz/programs/devices.hpp"
#include "tests/fuzz/programs/interpreted.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::fuzz {
namespace {

constexpr int kMostAxes = 3;                    ///< that cells have colours over
constexpr int kPrograms = 200;                  ///< in one region
constexpr std::size_t kTogether = 48;           ///< kernels in one source
constexpr std::size_t kTogetherOnDevices = 12;  ///< the same on devices

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t mapped_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t pages = 0;
  in >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// A message without what differs from program to program.
std::string kind_of(const std::string& message) {
  std::string s;
  const std::size_t rule = message.find("break the rule");
  for (const char c : rule != std::string::npos ? message.substr(0, message.find(':', rule))
                                                : message.substr(0, message.find('\n')))
    if (c < '0' || c > '9') s += c;
  return s.substr(0, 160);
}

struct Ready {
  Case made;
  Job job;
};

class Session {
 public:
  explicit Session(const Options& options)
      : options_(options), generator_(options.seed), random_(options.seed) {
    report_.on_devices = {{Target::cuda, 0}, {Target::opencl, 0}};
  }

  Report run() {
    const double start = now();
    go_on();
    const auto done = [&] {
      report_.is_full = options_.most_bytes > 0 && mapped_bytes() > options_.most_bytes;
      return report_.is_full || (options_.programs > 0 && report_.programs >= options_.programs) ||
             (options_.seconds > 0 && now() - start >= options_.seconds) ||
             static_cast<int>(report_.finds.size()) >= options_.most_finds;
    };
    while (!done()) {
      // What is at work has expressions: they go when nothing is.
      const Region region;
      const int until = report_.programs + kPrograms;
      while (!done() && report_.programs < until) {
        one_program();
        if (ready_.size() >= kTogether) turn();
      }
      turn(), turn();
      run_on_devices();
    }
    if (!options_.resume.empty()) write_file_atomically(options_.resume, end());
    report_.seconds = now() - start;
    return report_;
  }

 private:
  void go_on() {
    std::error_code error;
    if (options_.resume.empty() || !std::filesystem::exists(options_.resume, error)) return;
    std::istringstream in(read_file(options_.resume));
    std::string generator;
    in >> report_.before >> report_.on_devices[Target::cuda] >> report_.on_devices[Target::opencl] >>
        names_ >> random_ >> std::ws;
    if (!std::getline(in, generator))
      throw UserError(options_.resume.string() + ": is no end of a slice; delete it");
    generator_.go_on_from(generator);
  }
  std::string end() const {
    std::ostringstream out;
    out << report_.before + report_.programs << ' ' << report_.on_devices.at(Target::cuda) << ' '
        << report_.on_devices.at(Target::opencl) << ' ' << names_ << ' ' << random_ << '\n'
        << generator_.state() << '\n';
    return out.str();
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool every(int n) { return n > 0 && (report_.before + report_.programs) % n == n - 1; }

  void refused(const Case& c, const std::string& why) {
    ++report_.refused;
    ++report_.refusals[(c.choice == Case::Choice::derived ? "" : "without decisions: ") + kind_of(why)];
  }

  void found(const Case& c, const Outcome& o) {
    if (o.verdict == Verdict::refused) refused(c, o.detail);
    if (o.verdict == Verdict::unknown) {
      ++report_.unknown;
      if (options_.log != nullptr && kinds_.insert(kind_of(o.detail)).second)
        *options_.log << "unknown: " << o.detail << "\n";
    }
    if (!is_find(o.verdict)) return;
    // Of one kind of failure the first is enough, and one of a program.
    const std::string kind = o.verdict == Verdict::wrong || o.verdict == Verdict::crashed
                                 ? std::to_string(c.data) + text(o.verdict)
                                 : kind_of(o.detail);
    if (!kinds_.insert(kind).second) return;
    Find f{c, o};
    if (options_.log != nullptr)
      *options_.log << "found: " << text(o.verdict) << ": " << o.detail << "\n" << print(c) << std::endl;
    if (options_.shrinking) f.smallest = shrunk(c, o, scratch_.path());
    if (options_.log != nullptr) *options_.log << "smallest:\n" << print(f.smallest) << std::endl;
    if (!options_.finds.empty()) {
      make_directories(options_.finds);
      std::string comment = std::string("// ") + text(o.verdict) + ", " + o.detail;
      for (char& c : comment)
        if (c == '\n') c = ' ';
      write_file_atomically(options_.finds / ("find_" + std::to_string(options_.seed) + "_" +
                                              std::to_string(report_.before + report_.programs) + "_" +
                                              std::to_string(report_.finds.size()) + ".lift"),
                            print(f.smallest) + comment + "\n");
    }
    report_.finds.push_back(std::move(f));
  }

  /// Made and typed; nothing where that failed.
  std::optional<Made> made() {
    try {
      return generator_.make();
    } catch (const UserError&) {
    } catch (const std::out_of_range&) {
    }
    ++report_.ill_typed;
    return std::nullopt;
  }

  void one_program() {
    const std::optional<Made> m = made();
    if (!m) return;
    Case c{m->program, m->sizes};
    c.data = random_() % 100000;
    std::shared_ptr<const Data> data;
    try {
      data = data_of(c.program, c.sizes, c.data);
    } catch (const UserError&) {  // what is right for all sizes is right for these; a generator's slip
      ++report_.ill_typed;
      return;
    }
    if (!data) return;
    ++report_.programs;
    if (const std::string why = round_trip(c.program); !why.empty()) found(c, {Verdict::unreadable, why});
    if (const std::string why = twin_defect(c); !why.empty()) found(c, {Verdict::defect, why});
    for (Case& v : variants(c)) add(std::move(v), data);
  }

  std::vector<Case> variants(const Case& c) {
    std::vector<Case> all{c};
    all.back().symbolic = below(2) == 0;
    Case next = c;
    next.choice = Case::Choice::defaulted, next.symbolic = below(4) == 0;
    all.push_back(next);
    next.choice = Case::Choice::derived;
    for (const int bytes : {below(2) == 0 ? 16 : 32, below(3) == 0 ? 64 : 32}) {
      next.vector_bytes = bytes, next.symbolic = below(3) == 0;
      derived(next, options_.configurations / 2, all);
    }
    const auto on = [&](Target t, int n) {
      next.target = t, next.symbolic = false, next.vector_bytes = 32;
      ++report_.on_devices[t];
      all.push_back(next), all.back().choice = Case::Choice::written;
      derived(next, n, all);
    };
    if (has_library_functions(c)) return all;  // devices round them otherwise
    if (every(options_.cuda_every)) on(Target::cuda, 4);
    if (every(options_.opencl_every)) on(Target::opencl, 4);
    return all;
  }

  static bool has_library_functions(const Case& c) {
    return contains(c.program.body, [](const Expr& e) {
      const Elementary* f = elementary(e.op());
      return f != nullptr && f->ulps >= 1;
    });
  }

  /// Any, the caller's, or another one that all arrays can have.
  std::optional<LayoutRequest> some_layout(const Case& c) {
    int rank = kMostAxes;
    for (const Expr& a : c.program.arguments)
      if (a.type().is_array()) rank = std::min(rank, rank_of(a.type()));
    switch (below(6)) {
      case 0:
      case 1:
        return kCallersLayout;
      case 2:
        return LayoutRequest{LayoutRequest::Kind::Rows, 4, below(3), 3};
      case 3:
        return LayoutRequest{LayoutRequest::Kind::Split, 1 + 3 * below(2), 0, 1 + below(rank)};
      default:
        return std::nullopt;
    }
  }

  /// A first guess of the space and random configurations.
  void derived(const Case& c, int wanted, std::vector<Case>& all) {
    try {
      SpaceOptions options = space_options(c);
      options.only_layout = some_layout(c);
      options.cpu = below(3) == 0;
      const Space space(subject(c), options);
      std::vector<Configuration> chosen = space.seeds();
      if (!chosen.empty())
        chosen = {chosen[static_cast<std::size_t>(below(static_cast<int>(chosen.size())))]};
      for (int i = 0; i < wanted; ++i) {
        Configuration next;
        for (const Parameter& p : space.parameters()) {
          const Settings values = space.allowed(next, *p.key);
          next.set(*p.key, values[static_cast<std::size_t>(below(static_cast<int>(values.size())))]);
        }
        for (const Parameter& p : space.comparisons())
          if (below(4) == 0) next.set(*p.key, p.values.back());
        chosen.push_back(std::move(next));
      }
      for (const Configuration& configuration : chosen) {
        Case v = c;
        v.configuration = configuration;
        try {
          v.derivation = space.derive(configuration);
        } catch (const UserError& e) {
          refused(v, e.what());
          continue;
        }
        if (std::none_of(all.begin(), all.end(), [&](const Case& o) {
              return o.choice == v.choice && o.derivation == v.derivation && o.symbolic == v.symbolic &&
                     o.vector_bytes == v.vector_bytes && o.target == v.target;
            }))
          all.push_back(std::move(v));
      }
    } catch (const UserError& e) {
      refused(c, e.what());
    } catch (const std::exception& e) {
      found(c, {Verdict::defect, std::string("space: ") + e.what()});
    }
  }

  /// LLVM's vectoriser, to which PoCL 3.1 says that work-items are independent, moves loads of interleaved
  /// elements before the stores of the same item. In loops it leaves them alone.
  static bool is_miscompiled_by_pocl(const Case& c) {
    const auto has = [&](std::string_view rule) {
      return std::any_of(c.derivation.begin(), c.derivation.end(),
                         [&](const auto& s) { return s.rule == rule; });
    };
    return c.target == Target::opencl && has("scan-stored") && has("scan-unroll") && has("may-alias");
  }

  void add(Case c, const std::shared_ptr<const Data>& data) {
    if (is_miscompiled_by_pocl(c)) return;
    ++report_.variants;
    if (options_.interpreted && c.target == Target::openmp) {
      c.interpreted = true;
      return found(c, outcome_of(c, scratch_.path(), data));
    }
    if (c.target != Target::openmp) {
      on_devices_.push_back({std::move(c), data});
      if (on_devices_.size() >= kTogetherOnDevices) run_on_devices();
      return;
    }
    try {
      Job job{kernel_of(c, "k" + std::to_string(names_++)), data, c.symbolic ? c.sizes : Sizes{}, 0};
      job.tolerance = tolerance_of(c, *data);
      const bool alone = c.choice == Case::Choice::derived && every(options_.stand_alone_every);
      if (alone) {
        Case by_itself = c;
        by_itself.alone = true;
        found(by_itself, stand_alone(by_itself, scratch_.path()));
      }
      ready_.push_back({std::move(c), std::move(job)});
    } catch (const UserError& e) {
      refused(c, e.what());
    } catch (const std::exception& e) {
      found(c, {Verdict::defect, std::string("lower: ") + e.what()});
    }
  }

  void run_on_devices() {
    const std::vector<Outcome> outcomes = on_devices(on_devices_);
    for (std::size_t i = 0; i < outcomes.size(); ++i) found(on_devices_[i].made, outcomes[i]);
    on_devices_.clear();
  }

  /// Runs what was compiled meanwhile, and has the next ones compiled.
  void turn() {
    if (batch_) {
      const std::vector<Outcome> outcomes = batch_->outcomes();
      batch_.reset();
      for (std::size_t i = 0; i < outcomes.size(); ++i) found(compiling_[i], outcomes[i]);
    }
    compiling_.clear();
    std::vector<Job> jobs;
    for (Ready& r : ready_) compiling_.push_back(std::move(r.made)), jobs.push_back(std::move(r.job));
    ready_.clear();
    if (!jobs.empty())
      batch_.emplace(scratch_.path(), "b" + std::to_string(batches_), std::move(jobs), batches_ % 6 == 5),
          ++batches_;
  }

  Options options_;
  Generator generator_;
  std::mt19937_64 random_;
  test::Scratch scratch_;
  Report report_;
  std::set<std::string> kinds_;
  std::vector<Ready> ready_;
  std::vector<OnDevice> on_devices_;
  std::vector<Case> compiling_;
  std::optional<Batch> batch_;
  int names_ = 0, batches_ = 0;
};

}  // namespace

Report run(const Options& options) { return Session(options).run(); }

std::string str(const Report& r) {
  std::ostringstream s;
  if (r.before > 0) s << "after " << r.before << " programs: ";
  s << r.programs << " programs, " << r.variants << " variants in " << static_cast<int>(r.seconds) << " s; "
    << r.refused << " refused, " << r.unknown << " unknown, " << r.ill_typed << " attempts ill-typed, "
    << r.finds.size() << " finds\n";
  s << "all slices: " << r.before + r.programs << " programs";
  for (const auto& [target, programs] : r.on_devices) s << ", " << programs << " also on " << text(target);
  s << "\n";
  if (r.is_full)
    s << "ended early: expressions are kept, and memory was used up; go on in another process with "
         "--resume\n";
  for (const auto& [message, times] : r.refusals) s << "  " << times << " x " << message << "\n";
  return s.str();
}

Outcome outcome_of(const Case& c, const std::filesystem::path& folder, std::shared_ptr<const Data> data) {
  try {
    if (!data) {
      if (const std::string why = round_trip(c.program); !why.empty()) return {Verdict::unreadable, why};
      if (const std::string why = twin_defect(c); !why.empty()) return {Verdict::defect, why};
      data = data_of(c.program, c.sizes, c.data);
      if (!data) return {Verdict::unknown, "reads what nobody defined"};
    }
    if (c.target != Target::openmp) return on_device(c, *data);
    if (c.alone) return stand_alone(c, folder);
    Job job{kernel_of(c, "k"), data, c.symbolic ? c.sizes : Sizes{}, tolerance_of(c, *data)};
    if (c.interpreted) return interpreted(job);
    static int count = 0;
    return Batch(folder, "one" + std::to_string(count++), {std::move(job)}, false).outcomes()[0];
  } catch (const UserError& e) {
    return {Verdict::refused, e.what()};
  } catch (const EnvironmentError& e) {
    return {Verdict::unknown, e.what()};
  } catch (const std::exception& e) {
    return {Verdict::defect, std::string("lower: ") + e.what()};
  }
}

}  // namespace lift::fuzz
