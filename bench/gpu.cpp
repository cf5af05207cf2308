// Every operator on a GPU, within a given time: best kernels against the device's own copy bandwidth, and
// beside kernels written by hand. See bench/README.md; the script bench/gpu starts it.
//   bench_gpu [--budget SECONDS] [--json FILE] [--only TEXT] [--yardstick PROGRAM] [--list] [--tiny]
//   [--dry-run]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "ir/error.hpp"
#include "patterns/operators.hpp"
#include "runtime/apart_device.hpp"
#include "runtime/cuda.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/file.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "tuning/explore.hpp"

using namespace lift;
using Json = nlohmann::ordered_json;

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  double budget = 400;
  std::filesystem::path json = "gpu.json";
  std::vector<std::string> only;
  std::string yardstick;
  bool list = false, dry_run = false, tiny = false;
};

/// One exploration to do.
struct Item {
  Target target = Target::cuda;
  const Pattern* pattern = nullptr;
  Problem problem;
  double weight = 1;  ///< of the time that is left

  std::string name() const {
    std::string s = pattern->name;
    for (const auto& [key, value] : problem.choices) s += " " + key + "=" + value;
    return s;
  }
  std::string key() const {
    return fmt::format("{} {} {} {}x{} T={}", text(target), name(), text(problem.type), problem.boxes,
                       problem.box, problem.sweeps);
  }
  double cells() const {
    return std::pow(static_cast<double>(problem.box), 3) * static_cast<double>(problem.boxes);
  }
};

/// Of the arrays; programs over columns have three.
int dimension(const Pattern& p) { return p.name.ends_with("1d") ? 1 : p.name.ends_with("2d") ? 2 : 3; }

/// Interior cells a dimension of one box with about side^3 cells, an even number.
std::int64_t box_of(int dim, int side, bool tiny) {
  if (tiny) return dim == 3 ? 8 : 16;
  const double cells = std::pow(side, 3);
  return 2 * static_cast<std::int64_t>(std::round(std::pow(cells, 1.0 / dim) / 2));
}

using Choices = std::map<std::string, std::string>;

Item item(Target target, const Pattern& p, Choices choices, Scalar type, int side, double weight, bool tiny) {
  Item i{target, &p, {}, weight};
  i.problem.box = box_of(dimension(p), side, tiny), i.problem.boxes = 1, i.problem.type = type,
  i.problem.choices = std::move(choices);
  return i;
}

/// Sweeps of a smoother, with as deep a ghost zone as they need.
Item sweeps(const Choices& choices, Scalar type, int side, std::int64_t boxes, int n, double weight,
            bool tiny) {
  Item i = item(Target::cuda, find_pattern("smooth3d"), choices, type, side, weight, tiny);
  i.problem.boxes = tiny ? std::min<std::int64_t>(boxes, 2) : boxes, i.problem.sweeps = i.problem.ghost = n;
  return i;
}

const Choices kGaussSeidel{{"smoother", "gsrb"}},
    kJacobi{{"smoother", "jacobi"}, {"coefficients", "constant"}};

/// What time tiling is about: many small boxes, and a large one.
std::vector<Item> time_tiling(Scalar type, double weight, bool tiny) {
  std::vector<Item> all;
  for (const auto& [side, boxes] : {std::pair{64, 64}, std::pair{256, 1}}) {
    for (const int n : {1, 2, 4}) all.push_back(sweeps(kGaussSeidel, type, side, boxes, n, weight, tiny));
    for (const int n : {1, 2, 4}) all.push_back(sweeps(kJacobi, type, side, boxes, n, weight, tiny));
  }
  return all;
}

/// What a multigrid cycle spends its time in, besides.
std::vector<Item> first_ones(Target target, Scalar type, int side, double weight, bool tiny) {
  std::vector<Item> all;
  for (const auto& [name, choices] :
       std::vector<std::pair<std::string, Choices>>{{"residual3d", {}},
                                                    {"restriction3d", {}},
                                                    {"prolongation3d", {}},
                                                    {"thomas", {}},
                                                    {"smooth3d", kGaussSeidel},
                                                    {"smooth3d", {{"smoother", "jacobi"}}}})
    all.push_back(item(target, find_pattern(name), choices, type, side, weight, tiny));
  return all;
}

/// Everything, the most important first; what takes gigabytes of the host's memory last.
std::vector<Item> items(bool opencl, bool tiny) {
  std::vector<Item> all;
  const auto add = [&](std::vector<Item> more) {
    for (Item& i : more)
      if (std::none_of(all.begin(), all.end(), [&](const Item& x) { return x.key() == i.key(); }))
        all.push_back(std::move(i));
  };
  const auto others = [&](Scalar type, int side, double weight) {
    std::vector<Item> r;
    for (const int dim : {3, 2, 1})
      for (const auto& p : all_patterns())
        if (dimension(*p) == dim && p->name != "smooth3d")
          r.push_back(item(Target::cuda, *p, {}, type, side, dim == 3 ? weight : weight / 2, tiny));
    return r;
  };
  add(time_tiling(f64, 5, tiny));
  add(first_ones(Target::cuda, f64, 256, 2, tiny));
  if (opencl) add(first_ones(Target::opencl, f64, 256, 1, tiny));
  add(time_tiling(f32, 2, tiny));
  add(others(f64, 256, 0.5));
  add(first_ones(Target::cuda, f32, 256, 0.5, tiny));
  add(others(f32, 256, 0.5));
  if (!tiny) add(first_ones(Target::cuda, f64, 512, 2, tiny));
  return all;
}

/// Bytes read and written a second by the device's own copy, in 10^9; the best of some.
double copy_bandwidth(GridDevice& device) {
  const std::size_t bytes = std::min(device.info().emulated ? std::size_t{1} << 20 : std::size_t{1} << 30,
                                     device.info().max_allocation / 2);
  const GridMemory from = device.allocate(bytes), to = device.allocate(bytes);
  device.fill(from, 1.0);
  double best = INFINITY;
  for (int i = 0; i < 12; ++i) {
    const auto begin = Clock::now();
    device.copy(to, from);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return 2 * static_cast<double>(bytes) / best / 1e9;
}

/// When the time is up, what is going on ends as by Ctrl-C.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds)
      : thread_([seconds](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any().wait_for(lock, stop, std::chrono::duration<double>(seconds),
                                                 [] { return false; });
          if (!stop.stop_requested()) request_interrupt();
        }) {}

 private:
  std::jthread thread_;
};

/// A line of the table, of a result as it is written.
std::string row(const Json& r) {
  std::string name = (r.at("backend") == "cuda" ? "" : r.at("backend").get<std::string>() + " ") +
                     r.at("operator").get<std::string>();
  for (const auto& [key, value] : r.at("choices").items()) name += " " + key + "=" + value.get<std::string>();
  const auto number = [&](const char* key, int width, int digits) {
    const bool known = r.contains(key) && r.at(key).is_number();
    return known ? fmt::format("{:>{}.{}f}", r.at(key).get<double>(), width, digits)
                 : fmt::format("{:>{}}", "-", width);
  };
  std::string text = r.value("variant", r.value("message", std::string()));
  if (const int wrong = r.contains("counts") ? r.at("counts").value("wrong", 0) : 0; wrong > 0)
    text += fmt::format("; {} WRONG", wrong);
  if (r.value("interrupted", false)) text += "; the search was interrupted";
  const std::string boxes =
      fmt::format("{}x{}", r.at("boxes").get<std::int64_t>(), r.at("box").get<std::int64_t>());
  return fmt::format("{:<48} {:>4} {:>8} {:>2} {} {} {} {}  {}", name, r.at("type").get<std::string>(), boxes,
                     r.at("sweeps").get<int>(), number("ms", 10, 4), number("caller_ms", 10, 4),
                     number("gbs", 8, 1), number("of_copy", 6, 2), text);
}

class Bench {
 public:
  explicit Bench(const Options& o) : options_(o) {}

  int run() {
    if (!options_.list) open(Target::cuda);
    if (!options_.list && !options_.dry_run) open(Target::opencl);
    if (!options_.list) resume(), measure_yardsticks();
    std::vector<Item> all = items((options_.list && !options_.dry_run) || copy_gbs_.contains(Target::opencl),
                                  options_.dry_run || options_.tiny);
    std::erase_if(all, [&](const Item& i) { return !asked_for(i); });
    if (options_.list) {
      for (const Item& i : all) fmt::print("{}\n", i.key());
      return 0;
    }
    const auto is_known = [&](const Item& i) {
      return results_.contains(i.key()) && !results_.at(i.key()).value("interrupted", false);
    };
    const auto known = std::count_if(all.begin(), all.end(), is_known);
    fmt::print(
        "{} measurements to do{}, {:.0f} s; results go to {}\n\n{:<48} {:>4} {:>8} {:>2} {:>10} {:>10} {:>8} "
        "{:>6}  {}\n",
        all.size() - static_cast<std::size_t>(known),
        known > 0 ? fmt::format(" ({} are known from before)", known) : "", options_.budget,
        options_.json.string(), "operator, ms of one sweep", "type", "boxes", "T", "ms", "as is", "GB/s",
        "copy", "best variant (as is: of those that leave arrays in the caller's layout)");
    for (const Item& i : all)
      if (const auto at = results_.find(i.key()); at != results_.end()) fmt::print("{}\n", row(at->second));
    std::erase_if(all, is_known);
    measure(all);
    save();
    summary();
    const auto good = std::count_if(results_.begin(), results_.end(),
                                    [](const auto& r) { return r.second.value("status", "") == "ok"; });
    fmt::print(
        "\n{} measurements have a verified kernel, {} have none; {} wrong results, {} failures; {} kernels "
        "crashed or hung\n",
        good, static_cast<std::ptrdiff_t>(results_.size()) - good, wrong_, failed_, harmful_);
    if (without_turn_ > 0)
      fmt::print("{}: {} measurements had no turn to their end; the same command goes on with them{}\n",
                 left() > 0 && interrupted() ? "interrupted" : "the time is up", without_turn_,
                 interrupted() && left() > 0 ? "" : " (or use a larger --budget)");
    return wrong_ + failed_ + harmful_ > 0 ? 1 : 0;
  }

 private:
  /// Explorations end some time after what they are given.
  double left() const {
    return options_.budget - std::min(5.0, 0.02 * options_.budget) -
           std::chrono::duration<double>(Clock::now() - began_).count();
  }
  double least() const { return options_.dry_run ? 30 : 6; }  // a dry run ends with its second variant

  bool asked_for(const Item& i) const {
    const auto mentioned = [&](const std::string& part) { return i.key().find(part) != std::string::npos; };
    return options_.only.empty() || std::any_of(options_.only.begin(), options_.only.end(), mentioned);
  }

  /// CUDA has to be there; OpenCL is taken where there is a GPU for it. In a process of its own, as those of
  /// explorations are: a kernel that faults or hangs takes that one along, and no other.
  void open(Target target) {
    std::shared_ptr<GridDevice> device;
    if (options_.dry_run) {
      device = make_cuda_host_device(compiler_);
    } else if (target == Target::cuda) {
      device = open_apart([] { return std::make_unique<cuda::Device>(); }, cuda::is_open());
    } else {
      std::string why = opencl::why_unavailable();
      if (why.empty()) {
        device = open_apart([] { return std::make_unique<opencl::Device>(); }, opencl::is_open());
        if (!device->info().gpu || !device->info().f64) why = device->info().name + " is no GPU with f64";
      }
      if (!why.empty()) {
        fmt::print("opencl: left out: {}\n", why);
        return;
      }
    }
    if (device_name_.empty()) device_name_ = device->info().name;
    copy_gbs_[target] = copy_bandwidth(*device);
    fmt::print("{}: {}, {}, driver {}; copies {:.0f} GB/s{}\n", text(target), device->info().name,
               device->info().version, device->info().driver, copy_gbs_[target],
               options_.dry_run ? "; a dry run on the host: times mean nothing" : "");
  }

  /// Setting up alone may take longer than what is left: as long as that of others, by cells.
  bool has_turn(const Item& i) const {
    return left() > seconds_a_cell_ * i.cells() + (options_.dry_run ? 1 : least());
  }

  void measure(const std::vector<Item>& all) {
    double weights = 0;
    for (const Item& i : all) weights += i.weight;
    for (const Item& i : all) {
      const double share = i.weight / weights;
      weights -= i.weight;
      if (interrupted() || !has_turn(i)) {
        ++without_turn_;
        continue;
      }
      measure(i, std::max(least(), left() * share));
      if (interrupted()) ++without_turn_;
      save();
    }
  }

  void measure(const Item& i, double seconds) {
    ExploreOptions o;
    o.target = i.target, o.emulate = options_.dry_run, o.budget_seconds = seconds, o.plain = false,
    o.rivals = false;
    if (options_.dry_run || options_.tiny) o.configurations = options_.tiny ? 1 : 2;
    Json r{
        {"backend", text(i.target)},    {"operator", i.pattern->name}, {"choices", Json(i.problem.choices)},
        {"type", text(i.problem.type)}, {"box", i.problem.box},        {"boxes", i.problem.boxes},
        {"sweeps", i.problem.sweeps}};
    const auto begin = Clock::now();
    try {
      const ExploreResult e = explore(*i.pattern, i.problem, o);
      if (i.cells() > 1e6) seconds_a_cell_ = std::max(seconds_a_cell_, e.spent.setup / i.cells());
      keep(e, copy_gbs_.at(i.target), r);
    } catch (const std::exception& e) {
      if (interrupted()) return;                                   // ends a compiler that is at work for it
      if (dynamic_cast<const EnvironmentError*>(&e) != nullptr) {  // the device is lost
        save();
        throw;
      }
      r["status"] = "failed", r["message"] = e.what();
      ++failed_;
    }
    r["seconds"] = std::chrono::duration<double>(Clock::now() - begin).count();
    if (interrupted()) {  // what was found is kept, and searched for again next time
      if (r.value("status", "") != "ok") return;
      r["interrupted"] = true;
    }
    fmt::print("{}\n", row(r));
    std::fflush(stdout);
    results_[i.key()] = std::move(r);
  }

  void keep(const ExploreResult& e, double copy_gbs, Json& r) {
    wrong_ += e.counts.wrong, harmful_ += e.counts.crashed + e.counts.hung;
    r["counts"] = {{"configurations", e.counts.configurations},
                   {"timed", e.counts.timed},
                   {"wrong", e.counts.wrong},
                   {"crashed", e.counts.crashed},
                   {"hung", e.counts.hung},
                   {"compile_failed", e.counts.compile_failed},
                   {"impossible", e.counts.impossible}};
    r["bytes"] = e.traffic.bytes, r["status"] = e.best ? "ok" : "nothing verified";
    if (!e.best) {
      std::string why = "nothing was verified in the time";
      for (const Variant& v : e.variants)
        if (!v.message.empty()) why = std::string(text(v.status)) + ": " + v.message;
      r["message"] = why;
      return;
    }
    const Variant& v = e.variants[*e.best];
    const bool timed = v.ms > 0 && !options_.dry_run;
    r["ms"] = timed ? Json(v.ms) : Json(nullptr), r["gbs"] = timed ? Json(v.gbs) : Json(nullptr);
    r["of_copy"] = timed ? Json(v.gbs / copy_gbs) : Json(nullptr);
    if (e.best_caller) {
      const Variant& caller = e.variants[*e.best_caller];
      r["caller_ms"] = timed && caller.ms > 0 ? Json(caller.ms) : Json(nullptr),
      r["caller_variant"] = caller.name;
    }
    r["verified"] = v.verified, r["error"] = v.error, r["variant"] = v.name;
    for (const auto& choice : v.params) r["params"][choice.name()] = choice.text();
    Json steps = Json::array();
    for (const Step& s : v.derivation) steps.push_back(str(s));
    r["derivation"] = steps, r["source"] = v.source;
  }

  /// What an earlier run on the same device measured.
  void resume() {
    if (!std::filesystem::exists(options_.json)) return;
    const Json before = Json::parse(read_file(options_.json), nullptr, false);
    if (before.is_discarded() || before.value("device", "") != device_name_ ||
        before.value("dry_run", false) != options_.dry_run)
      throw UserError(
          "--json " + options_.json.string() +
          ": holds something else than results of this device; remove it, or write to another file");
    for (const auto& [key, r] : before.at("results").items())
      if (r.value("status", "") == "ok") results_[key] = r;
    if (before.contains("yardsticks"))
      for (const Json& y : before.at("yardsticks")) yardsticks_.push_back(y);
  }

  /// Kernels written by hand, timed by a program of their own. It writes a line for each kernel at once: what
  /// it has measured when it fails, or takes too long, is kept.
  void measure_yardsticks() {
    if (options_.yardstick.empty() || !yardsticks_.empty()) return;
    const auto lines =
        std::filesystem::temp_directory_path() / fmt::format("liftgen-yardsticks-{}.jsonl", ::getpid());
    std::filesystem::remove(lines);
    ProcessOptions o;
    o.timeout_seconds = std::max(1.0, std::min(60.0, left() / 4));
    const ProcessResult p = run_process({options_.yardstick, "--json", lines.string()}, o);
    if (std::filesystem::exists(lines)) {
      std::istringstream in(read_file(lines));
      for (std::string line; std::getline(in, line);)
        if (Json y = Json::parse(line, nullptr, false); !y.is_discarded())
          yardsticks_.push_back(std::move(y));
      std::filesystem::remove(lines);
    }
    fmt::print("yardsticks: {} kernels{}\n", yardsticks_.size(),
               p.status == 0 ? ""
                             : fmt::format("; {} ended with status {}: {}", options_.yardstick, p.status,
                                           p.output.substr(0, 500)));
    save();
  }

  /// Sweeps in one pass, beside one sweep a pass and the yardsticks.
  void summary() const {
    const auto ms = [&](const Json& r, const char* key) {
      return r.contains(key) && r.at(key).is_number() ? r.at(key).get<double>() : 0;
    };
    bool said = false;
    for (const auto& [key, r] : results_) {
      if (r.value("operator", "") != "smooth3d" || r.value("sweeps", 1) == 1 || ms(r, "ms") == 0) continue;
      std::string one = key.substr(0, key.rfind("T=")) + "T=1";
      const auto single = results_.find(one);
      if (single == results_.end() || ms(single->second, "ms") == 0) continue;
      const std::string smoother = r.at("choices").value("smoother", "") +
                                   (r.at("choices").contains("coefficients")
                                        ? " " + r.at("choices").at("coefficients").get<std::string>()
                                        : "");
      double by_hand = 0;
      for (const Json& y : yardsticks_)
        if (y.value("smoother", "") == smoother && y.value("type", "") == r.value("type", "") &&
            y.value("box", 0) == r.value("box", 0) && y.value("boxes", 0) == r.value("boxes", 0) &&
            y.value("sweeps", 0) == r.value("sweeps", 0) && y.value("kernel", "") != "untiled" &&
            (by_hand == 0 || ms(y, "ms") < by_hand))
          by_hand = ms(y, "ms");
      if (!std::exchange(said, true))
        fmt::print("\nsweeps in one pass{:<40} {:>8} {:>14} {:>14} {:>10}\n", "", "ms each",
                   "over T=1, as is", "over T=1, best", "of by hand");
      const auto over_one = [&](const char* which) {
        const double one_pass = ms(r, which), each = ms(single->second, which);
        return one_pass > 0 && each > 0 ? fmt::format("{:.2f}x", each / one_pass) : std::string("-");
      };
      fmt::print("{:<58} {:>8.4f} {:>14} {:>14} {}\n", key, ms(r, "ms"), over_one("caller_ms"),
                 over_one("ms"), by_hand > 0 ? fmt::format("{:>9.2f}", by_hand / ms(r, "ms")) : "        -");
    }
  }

  void save() const {
    Json json{{"schema", 2}, {"device", device_name_}, {"dry_run", options_.dry_run}};
    for (const auto& [target, gbs] : copy_gbs_)
      json["copy_gbs"][text(target)] = options_.dry_run ? Json(nullptr) : Json(gbs);
    if (!yardsticks_.empty()) json["yardsticks"] = yardsticks_;
    json["results"] = Json::object();
    for (const auto& [key, r] : results_) json["results"][key] = r;
    write_file_atomically(options_.json, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  const Options& options_;
  const Clock::time_point began_ = Clock::now();
  const InterruptScope interrupt_;
  const TimeLimit limit_{options_.budget};
  NativeCompiler compiler_;
  std::string device_name_;
  std::map<Target, double> copy_gbs_;
  std::map<std::string, Json> results_;
  std::vector<Json> yardsticks_;
  double seconds_a_cell_ = 0;  ///< that setting up took, at most
  int without_turn_ = 0, wrong_ = 0, failed_ = 0, harmful_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Every operator on a GPU, within a given time"};
  Options o;
  app.add_option("--budget", o.budget,
                 "wall seconds for everything; what is being measured then ends as by Ctrl-C")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", o.json, "results; those of an earlier run in it are kept and not measured again")
      ->capture_default_str();
  app.add_option("--only", o.only, "measurements whose names (see --list) contain one of these")
      ->delimiter(',');
  app.add_option(
      "--yardstick", o.yardstick,
      "program that times kernels written by hand (bench/yardstick/gpu); that of the bundle, if there "
      "is one");
  app.add_flag("--list", o.list, "the measurements, the most important first");
  app.add_flag("--tiny", o.tiny, "a rehearsal on the device, at the tiny sizes of --dry-run");
  app.add_flag("--dry-run", o.dry_run,
               "everything on the host at tiny sizes, where there is no GPU: kernels are verified, times "
               "mean nothing");
  app.footer(
      "Ctrl-C ends it; what was measured is in the table and in the file of --json, and the same command "
      "goes on from there.\n"
      "bench/gpu --pack [...] and --bundle-libc are the script's own, see bench/README.md.");
  CLI11_PARSE(app, argc, argv);
  try {
    std::error_code none;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "yardstick";
    if (o.yardstick.empty() && !o.dry_run && std::filesystem::exists(beside, none))
      o.yardstick = beside.string();
    return Bench(o).run();
  } catch (const UserError& e) {
    fmt::print(stderr, "bench_gpu: {}\n", e.what());
    return 2;
  } catch (const EnvironmentError& e) {
    fmt::print(stderr, "bench_gpu: {}; --dry-run does everything on the host\n", e.what());
    return 3;
  }
}
