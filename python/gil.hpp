// The interpreter's lock, given back while kernels run and taken again, as pybind11's gil_scoped_release and
// gil_scoped_acquire do; but a thread that outlives the interpreter (a daemon's) stays where it is. Python
// would end it there, by unwinding frames that cannot be unwound, which ends the process.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

namespace lift::python {

namespace py = pybind11;

/// Around what waits for the lock; does not return where the interpreter is about to go.
class WaitForLock {
 public:
  WaitForLock();
  ~WaitForLock();
  WaitForLock(const WaitForLock&) = delete;
  WaitForLock& operator=(const WaitForLock&) = delete;
};

class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  ~Released() {
    const WaitForLock waiting;
    PyEval_RestoreThread(state_);
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

 private:
  PyThreadState* state_;
};

class Acquired {
 public:
  Acquired() {
    const WaitForLock waiting;
    lock_.emplace();
  }

 private:
  std::optional<py::gil_scoped_acquire> lock_;
};

/// Called once, by the module: from the interpreter's end on, threads are kept from it.
void watch_the_end();

}  // namespace lift::python
