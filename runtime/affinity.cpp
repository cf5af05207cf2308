#include "runtime/affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>

#include "ir/number_text.hpp"

namespace lift {
namespace {

constexpr int kMaxCpus = 8192;

struct CpuMask {
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  CpuMask() { CPU_ZERO_S(bytes, set); }
  ~CpuMask() { CPU_FREE(set); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;
};

std::vector<int> current_cpus() {
  CpuMask mask;
  std::vector<int> cpus;
  if (sched_getaffinity(0, mask.bytes, mask.set) != 0) return {0};
  for (int cpu = 0; cpu < kMaxCpus; ++cpu)
    if (CPU_ISSET_S(cpu, mask.bytes, mask.set)) cpus.push_back(cpu);
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<std::vector<int>> group_by_core(const std::vector<int>& cpus) {
  std::map<std::string, std::vector<int>> cores;
  for (int cpu : cpus) {
    std::string siblings =
        first_line("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    if (siblings.empty()) siblings = "cpu" + std::to_string(cpu);
    cores[siblings].push_back(cpu);
  }
  std::vector<std::vector<int>> places;
  for (auto& [siblings, members] : cores) places.push_back(std::move(members));
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// The directories of this process's control groups for `controller` ("" = version 2), innermost first.
std::vector<std::string> cgroup_directories(const std::string& controller) {
  std::ifstream in("/proc/self/cgroup");
  std::vector<std::string> directories;
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::vector<std::string> controllers = split_at_commas(line.substr(first + 1, second - first - 1));
    const bool matches = std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
    if (!matches) continue;
    const std::string root = controller.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    std::string path = line.substr(second + 1);
    while (path.size() > 1) {
      directories.push_back(root + path);
      path.resize(path.rfind('/'));
    }
    directories.push_back(root);
  }
  return directories;
}

double read_quota() {
  double quota = 0;
  const auto limit_by = [&](const std::string& granted, const std::string& each) {
    const double time = leading_number<double>(granted).value_or(0),
                 period = leading_number<double>(each).value_or(0);
    if (time > 0 && period > 0) quota = quota == 0 ? time / period : std::min(quota, time / period);
  };
  for (const auto& directory : cgroup_directories("")) {
    const std::string granted = first_line(directory + "/cpu.max");  // "max 100000" without a limit
    limit_by(granted, granted.substr(std::min(granted.find(' '), granted.size() - 1) + 1));
  }
  for (const auto& directory : cgroup_directories("cpu")) {
    limit_by(first_line(directory + "/cpu.cfs_quota_us"), first_line(directory + "/cpu.cfs_period_us"));
  }
  return quota;
}

// Evaluated before main, hence before any OpenMP run time that is opened later can narrow the mask.
[[maybe_unused]] const bool recorded_before_main = !allowed_cpus().empty();

}  // namespace

const std::vector<int>& allowed_cpus() {
  static const auto& cpus = *new std::vector<int>(current_cpus());
  return cpus;
}

const std::vector<std::vector<int>>& core_places() {
  static const auto& places = *new std::vector<std::vector<int>>(group_by_core(allowed_cpus()));
  return places;
}

double cpu_quota() {
  static const double quota = read_quota();
  return quota;
}

std::size_t memory_quota() {
  std::size_t left = std::numeric_limits<std::size_t>::max();
  const auto limit = [&](const std::string& granted, const std::string& used) {
    const auto bytes = leading_number<std::size_t>(granted);
    if (!bytes) return;  // "max", or no such file
    const std::size_t taken = leading_number<std::size_t>(used).value_or(0);
    left = std::min(left, *bytes > taken ? *bytes - taken : 0);
  };
  for (const auto& directory : cgroup_directories(""))
    limit(first_line(directory + "/memory.max"), first_line(directory + "/memory.current"));
  for (const auto& directory : cgroup_directories("memory"))
    limit(first_line(directory + "/memory.limit_in_bytes"), first_line(directory + "/memory.usage_in_bytes"));
  return left;
}

int default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS"))
    if (const int threads = leading_number<int>(text).value_or(0); threads > 0)
      return std::min(threads, static_cast<int>(allowed_cpus().size()));
  int threads = static_cast<int>(core_places().size());
  if (cpu_quota() > 0) threads = std::min(threads, static_cast<int>(std::ceil(cpu_quota())));
  return std::max(threads, 1);
}

bool should_pin(int threads) {
  if (const char* bind = std::getenv("OMP_PROC_BIND"))
    if (std::string(bind) == "false" || std::string(bind) == "FALSE") return false;
  return threads > 1 && (cpu_quota() == 0 || cpu_quota() >= static_cast<double>(allowed_cpus().size()));
}

const std::vector<int>& place_of_thread(int thread, int threads) {
  const auto& places = core_places();
  const auto count = static_cast<long>(places.size());
  const long index = threads <= count ? thread : static_cast<long>(thread) * count / threads;
  return places[static_cast<std::size_t>(std::clamp(index, 0L, count - 1))];
}

void bind_this_thread(const std::vector<int>& cpus) {
  CpuMask mask;
  for (int cpu : cpus)
    if (cpu >= 0 && cpu < kMaxCpus) CPU_SET_S(cpu, mask.bytes, mask.set);
  (void)sched_setaffinity(0, mask.bytes, mask.set);
}

OriginalAffinity::OriginalAffinity() : before_(current_cpus()) { bind_this_thread(allowed_cpus()); }
OriginalAffinity::~OriginalAffinity() { bind_this_thread(before_); }

}  // namespace lift
