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
  std::vector<std::string> grids;  ///< their P::launch(); of a loop of the host's, all of it
  std::set<std::string> helpers;   ///< index helpers that they call
  std::string user_functions;
};
template <class P>
class LaunchPrinter {
 public:
  LaunchPrinter(const Kernel& kernel, const std::string& function_qualifier)
      : kernel_(kernel), qualifier_(function_qualifier) {}
  GridText text() {
    text_.grids = grids(kernel_.body);
    return std::move(text_);
  }

 private:
  std::vector<std::string> grids(const Block& b) {
    std::vector<std::string> r;
    for (const Stmt& s : b) {
      if (const auto* l = std::get_if<Launch>(&s.v)) r.push_back(grid(*l));
      if (const auto* f = std::get_if<For>(&s.v))
        r.push_back("for each " + f->var.str() + " in [" + f->lower.str() + ", " + f->upper.str() +
                    "): " + joined(grids(f->body), "; "));
    }
    return r;
  }
  std::string grid(const Launch& l) {
    const Kernel k = one_launch(kernel_, l);
    P one(k, l.range);
    if (printed_.insert(l.name).second) text_.functions += "\n" + one.function();
    text_.helpers.insert(one.helpers().begin(), one.helpers().end());
    text_.user_functions = one.user_functions(qualifier_);
    return one.launch();
  }

  const Kernel& kernel_;
  std::string qualifier_;
  std::set<std::string> printed_;
  GridText text_;
};
/// The type of a kernel's indices.
inline const char* index_type(const Kernel& k) { return k.wide_indices ? "long" : "int"; }

}  // namespace lift
