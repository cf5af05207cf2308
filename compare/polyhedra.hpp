// Loops as sets and relations of isl: iterations, their order, the elements they meet, what depends on what.
// For sources that are compiled where isl is.
#pragma once

#include <isl/cpp.h>

#include <memory>
#include <string>

#include "compare/affine.hpp"

namespace lift {

/// What isl works in; its operations are counted, so that nothing takes for ever.
class IslContext {
 public:
  IslContext();
  ~IslContext();
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;
  isl::ctx get() const { return ctx_; }
  /// From now on, so many more (some ten million a second).
  void allow(unsigned long operations);

 private:
  isl::ctx ctx_;
};

struct Polyhedra {
  affine::Reader reader;  ///< statements in the order of the text; the n-th is Sn
  isl::union_set domain;  ///< { S0[k, j, i] : ...; ... }
  isl::union_map reads, writes;
  isl::schedule schedule;      ///< the order of the text
  isl::union_map flow, order;  ///< which iteration reads what another wrote; which must stay before which
};
/// Throws std::runtime_error or isl::exception for what isl cannot be told.
Polyhedra polyhedra_of(const IslContext& isl, const Kernel& loops);

/// { Sn[...] -> [text, ...] } with texts for each statement, over the domain's iterations; the same in one
/// dimension as a function.
isl::union_map dated(const Polyhedra& p, const std::vector<affine::Texts>& texts);
isl::multi_union_pw_aff one_dimension(const Polyhedra& p, const affine::Texts& texts);

/// The loops as C, for emit_rescheduled. Marks become pragmas of the loop that follows: "parallel", where no
/// loop around it is, and "ivdep".
std::string loops_as_c(const isl::schedule& schedule);

}  // namespace lift
