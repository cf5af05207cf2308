#include "tests/fuzz/programs/many.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>
#include <optional>
#include <random>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/hash.hpp"
#include "ir/region.hpp"
#include "tests/fuzz/programs/case.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {
namespace {

/// Of a text, whatever the order of its characters: that of terms in a sum is as they were made first, and
/// where lines are broken follows from it.
std::uint64_t hash_of_any_order(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  std::sort(text.begin(), text.end());
  return std::hash<std::string>{}(text);
}

/// What is in use, and what lies between it: whole pages that are free go back first, so that one large
/// program does not count for all that come after it.
std::size_t resident_bytes() {
  ::malloc_trim(0);
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class Worker {
 public:
  Worker(std::uint64_t seed, Many& many, std::ostream* log)
      : generator_(seed), random_(seed), many_(many), log_(log) {}

  /// Whether a program came about.
  bool one() {
    std::optional<Made> m;
    try {
      m = generator_.make();
    } catch (const UserError&) {
      return false;
    } catch (const std::out_of_range&) {
      return false;
    }
    Case c{m->program, m->sizes};
    if (const std::string why = round_trip(c.program); !why.empty()) throw InternalError(why);
    c.symbolic = below(2) == 0;
    kernel(c);
    c.choice = Case::Choice::defaulted;
    kernel(c);
    c.choice = Case::Choice::derived;
    explored(c);
    c.target = below(2) == 0 ? Target::cuda : Target::opencl, c.symbolic = false;
    explored(c);
    return true;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void explored(Case c) {
    try {
      const Space space(subject(c), space_options(c));
      for (int i = 0; i < 2; ++i) {
        c.configuration = Configuration();
        for (const Parameter& p : space.parameters()) {
          const Settings values = space.allowed(c.configuration, *p.key);
          c.configuration.set(*p.key,
                              values[static_cast<std::size_t>(below(static_cast<int>(values.size())))]);
        }
        c.derivation = space.derive(c.configuration);
        kernel(c);
      }
    } catch (const UserError&) {
      ++many_.refused;
    } catch (const std::bad_alloc&) {
      say_what_fills_memory(c);
      throw;
    }
  }
  void kernel(const Case& c) {
    try {
      const std::string source = emit_source(kernel_of(c, "k"));
      many_.sources = mix(many_.sources, hash_of_any_order(source));
      ++many_.kernels;
    } catch (const UserError&) {
      ++many_.refused;
    } catch (const std::bad_alloc&) {
      say_what_fills_memory(c);
      throw;
    }
  }
  void say_what_fills_memory(const Case& c) {
    if (log_ != nullptr) *log_ << "memory is used up by:\n" << print(c) << std::endl;
  }

  Generator generator_;
  std::mt19937_64 random_;
  Many& many_;
  std::ostream* log_;
};

}  // namespace

Many many_programs(const ManyOptions& o) {
  Many many;
  Worker worker(o.seed, many, o.log);
  const auto began = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return o.seconds <= 0 ||
           std::chrono::steady_clock::now() - began < std::chrono::duration<double>(o.seconds);
  };
  while (many.made < o.programs && in_time()) {
    std::optional<Region> region;
    if (o.regions) region.emplace();
    many.made += worker.one() ? 1 : 0;
    region.reset();
    if (many.made % o.every != 0 || static_cast<int>(many.bytes.size()) == many.made / o.every) continue;
    many.bytes.push_back(resident_bytes());
    const Swept s = swept();
    if (o.log != nullptr)
      *o.log << many.made << " programs: " << (many.bytes.back() >> 20) << " MiB; nodes " << s.may_go
             << ", gone " << s.gone << " in " << s.sweeps << " sweeps" << std::endl;
  }
  return many;
}

}  // namespace lift::fuzz
