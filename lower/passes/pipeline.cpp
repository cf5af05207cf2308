#include "lower/passes/pipeline.hpp"

#include <fmt/format.h>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "ir/verify_mode.hpp"

namespace lift {

void run_passes(Kernel& k, const std::vector<Pass>& passes, Form form) {
  using Clock = std::chrono::steady_clock;
  const char* wanted = std::getenv("LIFTGEN_PRINT_AFTER");
  const bool times = std::getenv("LIFTGEN_TIME_PASSES") != nullptr;
  for (const Pass& p : passes) {
    const auto start = Clock::now();
    p.run(k);
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    form = p.makes.value_or(form);
    if (wanted && (std::string(wanted) == "all" || p.name == wanted))
      std::cerr << "-- after " << p.name << "\n" << str(k);
    if (times)
      std::cerr << "-- " << p.name << " of " << k.name << ": " << fmt::format("{:g} ms\n", taken.count());
    if (verify_steps()) verify(k, form, p.name);
  }
}

}  // namespace lift
