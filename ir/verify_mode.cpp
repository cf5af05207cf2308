#include "ir/verify_mode.hpp"

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace lift {
namespace {

#ifdef NDEBUG
std::atomic<bool> by_default{false};
#else
std::atomic<bool> by_default{true};
#endif

}  // namespace

bool verify_steps() {
  static const char* const asked = std::getenv("LIFTGEN_VERIFY");
  return asked ? std::string_view(asked) != "0" : by_default.load();
}
void set_verify_steps(bool on) { by_default = on; }

}  // namespace lift
