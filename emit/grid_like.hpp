// What OpenCL C and CUDA C++ share: a launch is the text of one work-item. Grid loops become its ids, with
// exact bounds; the launches of a kernel are printed into one source. A backend spells.
#pragma once

#include <set>

#include "emit/c_like.hpp"
#include "lower/launches.hpp"
#include "lower/passes/grids.hpp"

namespace lift {

class GridLike : public CLike {
 public:
  /// `k` is one launch, `range` its grid.
  GridLike(const Kernel& k, const NDRange& range) : CLike(k), range_(range) {}
  /// The kernel's function.
  std::string function();
  const std::set<std::string>& helpers() const { return helpers_; }
  const NDRange& range() const { return range_; }
  std::string user_functions(const std::string& qualifier) const { return CLike::user_functions(qualifier); }

 protected:
  /// What names this work-item (Glb), its group (Wrg), or it within its group (Lcl) along a dimension: an
  /// index.
  virtual std::string id(LoopKind kind, int dim) const = 0;
  /// The kernel's function up to the opening brace.
  virtual std::string signature() const = 0;
  /// What the text of a kernel refers to, declared at its start.
  virtual std::string declarations() const { return ""; }
  /// What its arrays are parts of.
  virtual std::string declarations_before_arrays() const { return ""; }

  void first(const First& f) override;
  void loop(const For& f) override;

  std::size_t groups(int dim) const { return extent(range_, {LoopKind::Wrg, dim}); }
  std::size_t local_size(int dim) const { return extent(range_, {LoopKind::Lcl, dim}); }

 private:
  void grid_loop(const For& f);
  void dealt_loop(const For& f, const std::string& first);
  void counted_loop(const For& f, const std::string& first);
  void open(const std::string& text);
  void close();

  NDRange range_;
};

/// The launches of a kernel as text; P is a printer of one.
struct GridText {
  std::string functions;           ///< of the launches, in order, an empty line before each
  std::vector<std::string> grids;  ///< their P::launch()
  std::set<std::string> helpers;   ///< index helpers that they call
  std::string user_functions;
};
template <class P>
GridText print_launches(const Kernel& kernel, const std::string& function_qualifier) {
  GridText t;
  std::set<std::string> printed;
  for (Launch& l : launches_in(kernel)) {
    Kernel k = kernel;
    k.name = l.name, k.body = std::move(l.body);
    P one(k, l.range);
    if (printed.insert(l.name).second) t.functions += "\n" + one.function();
    t.grids.push_back(one.launch());
    t.helpers.insert(one.helpers().begin(), one.helpers().end());
    t.user_functions = one.user_functions(function_qualifier);
  }
  return t;
}
/// The type of a kernel's indices.
inline const char* index_type(const Kernel& k) { return k.wide_indices ? "long" : "int"; }

}  // namespace lift
