// What OpenCL C and CUDA C++ share: a kernel is the text of one work-item. Grid loops become its ids, with
// exact bounds; what only some work-items have to do is guarded; local arrays stand at the kernel's start;
// the launches of a program are printed into one source. A backend spells.
#pragma once

#include <set>

#include "emit/c_like.hpp"
#include "lower/launches.hpp"

namespace lift {

class GridLike : public CLike {
 public:
  /// `k` is one launch. UserError when an argument's name is one of `words`.
  GridLike(const Kernel& k, Target target, const std::string& index_type,
           const std::vector<std::string>& words);
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
  /// A pragma for loops that are not to be unrolled: how often is a decision.
  virtual std::string as_written() const { return ""; }
  virtual std::string signature() const = 0;
  /// Whether a group copies rows asynchronously all together, rather than each work-item its elements: then
  /// how, from and to the elements given.
  virtual bool copies_rows() const { return false; }
  virtual std::string declarations() const { return ""; }  ///< at the start of a kernel that does
  virtual std::string row_copy(const std::string& /*to*/, const std::string& /*from*/,
                               const std::string& /*elements*/) const {
    return "";
  }

  void statement(const Stmt& s) override;
  void loop(const For& f) override;

  std::size_t groups(int dim) const {
    return range_.global[at(dim)] / std::max<std::size_t>(range_.local[at(dim)], 1);
  }
  std::size_t local_size(int dim) const { return range_.local[at(dim)]; }

 private:
  /// A dimension of the grid of work-items or groups, or of the work-items of a group.
  using Axis = std::pair<LoopKind, int>;
  static std::size_t at(int dim) { return static_cast<std::size_t>(dim); }
  std::size_t extent(const Axis& a) const;
  std::vector<Axis> idle_axes(const Stmt& s) const;
  void grid_loop(const For& f);
  bool row_loop(const For& f);
  void dealt_loop(const For& f, const std::string& lower, const std::string& upper, const std::string& own);
  void open(const std::string& text);
  void close();

  NDRange range_;
  std::vector<Axis> axes_;         ///< those longer than 1
  std::set<Axis> bound_;           ///< those that loops around, or guards, tell apart
  std::set<std::string> private_;  ///< arrays that each work-item has for itself
};

/// The launches of a kernel as text; P is a printer of one, whose body `prepare` makes ready to be printed.
struct GridText {
  std::string functions;           ///< of the launches, in order, an empty line before each
  std::vector<std::string> grids;  ///< their P::launch()
  std::set<std::string> helpers;   ///< index helpers that they call
  std::string index_type;
  std::string user_functions;
};
template <class P>
GridText print_launches(const Kernel& kernel, const std::string& index_type,
                        const std::string& function_qualifier,
                        const std::function<Block(const Kernel&)>& prepare = {}) {
  GridText t;
  t.index_type = index_type;
  for (Kernel& k : launches(kernel)) {
    if (prepare) k.body = prepare(k);
    P one(k, index_type);
    t.functions += "\n" + one.function();
    t.grids.push_back(one.launch());
    t.helpers.insert(one.helpers().begin(), one.helpers().end());
    t.user_functions = one.user_functions(function_qualifier);
  }
  return t;
}

}  // namespace lift
