#include "tuning/database/platform.hpp"

#include "ir/error.hpp"
#include "rewrite/engine/catalogue.hpp"
#include "runtime/affinity.hpp"
#include "runtime/cuda.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "runtime/vault.hpp"

namespace lift {
namespace {

std::string flags_text() {
  std::string s;
  for (const std::string& flag : default_flags()) s += " " + flag;
  return s;
}

}  // namespace

const std::string& rules_version() {
  static const auto& version = *new std::string([] {
    std::string all;
    for (const Rule& r : all_rules()) all += r.name + "\n" + r.maths + "\n" + r.when + "\n";
    return hash_text(all).substr(0, 12);
  }());
  return version;
}

std::string rules_version(const OwnRules& own) {
  if (!own || own->empty()) return rules_version();
  std::string all;
  for (const Rule& r : *own) all += r.name + "\n" + r.maths + "\n" + r.when + "\n";
  return rules_version() + "+" + hash_text(all).substr(0, 6);
}
bool are_present_rules(const std::string& version) {
  return version == rules_version() || version.starts_with(rules_version() + "+");
}

Platform platform_of(Target target, const Machine& machine, int threads, const GridDeviceInfo* device,
                     const OwnRules& rules) {
  Platform p;
  p.backend = text(target), p.rules = rules_version(rules);
  if (device != nullptr) {
    p.device = device->name;
    p.architecture = device->platform + " " + (device->cpu ? machine.simd : device->version);
    p.compiler = device->version + ", driver " + device->driver;
    p.threads = device->cpu ? threads : 0;
  } else if (!is_grid(target)) {
    p.device = machine.device, p.architecture = machine.simd;
    p.compiler = machine.compiler + flags_text(), p.threads = threads;
  }
  return p;
}

std::optional<GridDeviceInfo> device_for(Target target, int index, int threads) {
  if (!is_grid(target)) return std::nullopt;
  const OriginalAffinity affinity;  // for the driver's workers
  if (target == Target::opencl) opencl::configure_pocl(threads);
  try {
    const std::vector<GridDeviceInfo> all = target == Target::opencl ? opencl::devices() : cuda::devices();
    if (index >= 0) {
      if (static_cast<std::size_t>(index) < all.size()) return all[static_cast<std::size_t>(index)];
      return std::nullopt;
    }
    if (target == Target::opencl)
      for (const GridDeviceInfo& d : all)
        if (d.gpu) return d;
    if (!all.empty()) return all.front();
  } catch (const EnvironmentError&) {  // to emit a kernel, none is needed
  }
  return std::nullopt;
}

}  // namespace lift
