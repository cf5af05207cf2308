#include "python/gil.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace lift::python {
namespace {

std::atomic<bool> ending{false};
std::atomic<int> waiting{0};
std::thread::id last_thread;  ///< which ends the interpreter, and may go on; written before `ending`

}  // namespace

WaitForLock::WaitForLock() {
  ++waiting;
  if (!ending || std::this_thread::get_id() == last_thread) return;
  --waiting;
  while (true) ::pause();
}
WaitForLock::~WaitForLock() { --waiting; }

void watch_the_end() {
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    last_thread = std::this_thread::get_id();
    ending = true;
    const py::gil_scoped_release for_those_who_wait;
    while (waiting > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }));
}

}  // namespace lift::python
