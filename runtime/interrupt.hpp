// Signals that ask the process to end (INT, TERM, HUP, QUIT, PIPE, XCPU) as a flag that long work looks at
// between steps.
#pragma once

namespace lift {

/// While one exists, the first of these signals sets the flag; a second one, half a second later or more,
/// is the former handler's, which ends the process unless the host program has one (but for PIPE and XCPU,
/// which repeat by themselves). SIGXFSZ is ignored: the write that was too long says so. The outermost scope
/// clears the flag when it begins and when it ends, and puts the former handlers back.
class InterruptScope {
 public:
  /// With `hurry`, and while no scope without it exists, the process is ended two seconds after the first
  /// signal: for commands whose work looks at the flag at few places.
  explicit InterruptScope(bool hurry = false);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  bool hurry_;
};

/// Whether a signal came, or request_interrupt was called, since the outermost scope began.
bool interrupted();
/// The signal; 0 when there was none.
int interrupting_signal();

/// Sets the flag as a signal would; for callers that stop work from another thread.
void request_interrupt();

}  // namespace lift
