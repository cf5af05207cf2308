// The rival isl where the library was missing when liftgen was built.
#ifndef LIFTGEN_HAS_ISL
#include "compare/peer.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

class NoIsl : public Peer {
 public:
  std::string name() const override { return "isl"; }
  std::string what() const override { return "isl's schedule and loops"; }
  std::string missing() const override {
    return "liftgen was built without isl; install the package libisl-dev and build again";
  }
  std::vector<PeerChoice> choices(const Course&) const override { return {}; }
  Job make(const Course&, const PeerSettings&) override { throw InternalError("compare: " + missing()); }
};

}  // namespace

std::unique_ptr<Peer> make_isl() { return std::make_unique<NoIsl>(); }
std::unique_ptr<Peer> make_isl_in_time() { return nullptr; }

}  // namespace lift
#endif
