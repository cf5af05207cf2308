// Ctrl-C (SIGINT) and SIGTERM as a flag that long work looks at between steps.
#pragma once

namespace lift {

/// While one exists, the first SIGINT or SIGTERM sets the flag; a second one, half a second later or more,
/// ends the process as usual. The outermost scope clears the flag when it begins and when it ends, and puts
/// the former handlers back.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

/// Whether a signal came, or request_interrupt was called, since the outermost scope began.
bool interrupted();

/// Sets the flag as a signal would; for callers that stop work from another thread.
void request_interrupt();

}  // namespace lift
