#include "ir/verify_mode.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace lift {
namespace {

#ifdef LIFTGEN_VERIFY_STEPS  // debug builds
std::atomic<bool> by_default{true};
#else
std::atomic<bool> by_default{false};
#endif

}  // namespace

bool verify_steps() {
  static const char* const asked = std::getenv("LIFTGEN_VERIFY");
  return asked ? std::string_view(asked) != "0" : by_default.load();
}
void set_verify_steps(bool on) { by_default = on; }

}  // namespace lift
