// liftgen list, liftgen rules, liftgen machine, liftgen manual, liftgen completion.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/manual.hpp"
#include "cli/operator_reference.hpp"
#include "cli/output.hpp"
#include "cli/primitive_reference.hpp"
#include "ir/error.hpp"
#include "ir/text/near.hpp"
#include "ir/text/printable.hpp"
#include "patterns/operators.hpp"
#include "rewrite/own/check_rule.hpp"
#include "rewrite/rules/rules.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cuda.hpp"
#include "runtime/machine.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"
#include "tuning/traffic.hpp"

namespace lift::cli {
namespace {

/// The devices of a backend, or why there are none; whether there are.
bool print_devices(const std::string& backend, std::vector<GridDeviceInfo> (*list)()) try {
  for (const GridDeviceInfo& d : list())
    print(fmt::format("{:<9} --device {}: {} ({}), {}, {:.1f} GiB, {} KiB local memory", backend, d.index,
                      d.name,
                      d.platform == "NVIDIA CUDA" ? d.version + ", driver of " + d.driver : d.platform,
                      d.f64 ? "f32 and f64" : "f32 only", static_cast<double>(d.global_bytes) / (1 << 30),
                      std::max(d.local_bytes, d.max_local_bytes) / 1024));
  return true;
} catch (const EnvironmentError& error) {
  print(fmt::format("{:<9} none: {}", backend, error.what()));
  return false;
}

}  // namespace

int list(const Options& o) {
  if (o.markdown) {
    std::fputs(operator_page().c_str(), stdout);
    return 0;
  }
  if (o.primitives) {
    std::fputs(primitive_page().c_str(), stdout);
    return 0;
  }
  if (!o.argument.empty()) {
    std::fputs(operator_lines(find_pattern(o.argument)).c_str(), stdout);
    return 0;
  }
  for (const auto& pattern : all_patterns()) std::fputs(operator_lines(*pattern).c_str(), stdout);
  return 0;
}

namespace {

/// Of one's own, each with how many random instances it has held on.
int own_rules(const Options& o) {
  for (const Rule& rule : o.own_rules)
    print_fitted(fmt::format("{}: {}; holds{}, on {} random instances", rule.name, rule.maths,
                             rule.exact ? "" : " to rounding", check_rule(rule)));
  return 0;
}

}  // namespace

int rules(const Options& o) {
  if (!o.rules.empty()) return own_rules(o);
  if (o.lint) {
    const std::vector<std::string> faults = lint(all_rules());
    for (const std::string& fault : faults) print(fault);
    if (faults.empty()) print(fmt::format("{} rules, nothing wrong with them", all_rules().size()));
    return faults.empty() ? 0 : 1;
  }
  for (const Rule& rule : all_rules()) {
    print(fmt::format("{:<34} {}", rule.name, rule.maths));
    if (!rule.when.empty()) print(fmt::format("{:<34}   when {}", "", rule.when));
    if (!rule.exact) print(fmt::format("{:<34}   reassociates floating point", ""));
  }
  return 0;
}

void check_traced_rules() {
  const char* traced = std::getenv("LIFTGEN_TRACE");
  if (traced == nullptr) return;
  std::vector<std::string> names{"all"};
  for (const auto& some : {all_rules(), kept_rules()})
    for (const Rule& rule : some) names.push_back(rule.name);
  std::istringstream text(traced);
  for (std::string name; std::getline(text, name, ',');) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string meant = nearest(name, names);
    std::fprintf(stderr, "liftgen: LIFTGEN_TRACE: there is no rule '%s'%s; liftgen rules lists them\n",
                 printable(name).c_str(), meant.empty() ? "" : ("; did you mean '" + meant + "'?").c_str());
  }
}

int manual(const Options&) {
  std::fputs(manual_page().c_str(), stdout);
  return 0;
}

int completion(const Options& o) {
  std::fputs(completion(o.argument).c_str(), stdout);
  return 0;
}

int machine(const Options& o) {
  const int threads = configure_openmp(o.threads);
  NativeCompiler compiler;
  compiler.describe();
  const Machine m = probe(compiler, threads, true);
  print(fmt::format("device    {}\ncores     {} allowed, {} threads used, {} memory node{}", m.device,
                    m.cores, m.threads, m.memories, m.memories == 1 ? "" : "s"));
  for (const CacheLevel& c : m.caches)
    print(fmt::format("cache L{}  {} KiB, shared by {} core{}, {} of them", c.level, c.bytes / 1024,
                      c.shared_by, c.shared_by == 1 ? "" : "s", c.count));
  print(fmt::format("memory    {:.1f} GiB\nvectors   {}, {} bytes\ncompiler  {}",
                    static_cast<double>(m.memory_bytes) / (1 << 30), m.simd, m.vector_bytes, m.compiler));
  print(m.triad_gbs > 0 ? fmt::format("triad     {:.1f} GB/s (ordinary stores {:.1f}, streaming {:.1f})",
                                      m.triad_gbs, m.triad_ordinary_gbs, m.triad_streaming_gbs)
                        : "triad     not measured: " + m.triad_error);
  print_devices("opencl", opencl::devices);
  if (print_devices("cuda", cuda::devices))
    if (const std::string missing = cuda::why_unavailable(); !missing.empty())
      print("          but " + missing);
  return 0;
}

}  // namespace lift::cli
