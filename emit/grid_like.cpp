#include "emit/grid_like.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

bool is_grid_loop(const For& f) { return f.kind >= LoopKind::Glb; }

}  // namespace

std::string GridLike::function() {
  const bool copies = holds(k_.body, [](const Stmt& s) { return std::holds_alternative<CopyRow>(s.v); });
  bool declared = !copies;
  for (const Stmt& s : k_.body) {
    if (!declared && !std::holds_alternative<Allocate>(s.v)) line(declarations()), declared = true;
    statement(s);
  }
  return wrapped(signature(), 0) + "\n" + out_ + "}\n";
}

void GridLike::open(const std::string& text) {
  line(text.empty() ? "{" : text + " {");
  ++indent_;
  open_scope();
}
void GridLike::close() {
  close_scope();
  --indent_;
  line("}");
}

void GridLike::first(const First& f) {
  std::vector<std::string> here;
  for (const Axis& a : f.axes) here.push_back(id(a.kind, a.dim) + " == 0");
  open("if (" + joined(here, " && ") + ")");
  for (const Stmt& s : f.body) statement(s);
  close();
}

void GridLike::loop(const For& f) {
  if (f.kind == LoopKind::Par) throw InternalError("emit: map_par in a kernel over a grid");
  if (is_grid_loop(f)) return grid_loop(f);
  if (f.kind == LoopKind::Unroll) {
    const auto trips = (f.upper - f.lower).constant();
    return plain_loop(f, f.width > 1 ? "#pragma unroll " + std::to_string(f.width)
                         : trips     ? "#pragma unroll"
                                     : "#pragma unroll 4");
  }
  if (f.kind == LoopKind::Seq && f.width > 1)
    return plain_loop(f, "#pragma unroll " + std::to_string(f.width));
  constexpr std::int64_t few =
      16;  // arrays that such loops go through are registers only when they are unrolled
  plain_loop(f, (f.upper - f.lower).constant().value_or(few + 1) > few ? as_written() : "");
}

/// One iteration a work-item where there are enough of them, else a loop over those dealt to this one.
void GridLike::grid_loop(const For& f) {
  const Nat trips = f.upper - f.lower;
  const auto exact = trips.constant();
  const std::size_t items = extent(range_, {f.kind, f.dim});
  const std::string own = id(f.kind, f.dim), lower = f.lower == Nat(0) ? "" : nat(f.lower).in(6) + " + ",
                    upper = nat(f.upper).in(5);
  if (f.items > 0 && !(exact && *exact <= f.items)) {
    // All work-items of a launch take part where the grid is larger, but a group's own are told apart by
    // number.
    const bool fewer = f.kind == LoopKind::Lcl && static_cast<std::size_t>(f.items) < items;
    if (fewer) open("if (" + own + " < " + std::to_string(f.items) + ")");
    dealt_loop(f, lower, upper, own);
    if (fewer) close();
    return;
  }
  const bool guarded = !exact || static_cast<std::size_t>(*exact) < items;
  if (guarded && !exact) open("");  // the name is this iteration's
  const std::string v = declare(f.var);
  line("const " + index_type_ + " " + v + " = " + lower + own + ";");
  if (guarded) open("if (" + v + " < " + upper + ")");
  for (const Stmt& s : f.body) statement(s);
  if (guarded) close();
  if (guarded && !exact) close();
}

/// A few trips are counted, so that compilers unroll them; the last may be for some of the work-items only.
void GridLike::dealt_loop(const For& f, const std::string& lower, const std::string& upper,
                          const std::string& own) {
  constexpr std::int64_t few = 8;
  const auto step = static_cast<std::int64_t>(f.kind == LoopKind::Lcl ? static_cast<std::size_t>(f.items)
                                                                      : extent(range_, {f.kind, f.dim}));
  const auto exact = (f.upper - f.lower).constant();
  if (exact && *exact <= few * step && f.kind != LoopKind::Wrg) {
    line("#pragma unroll");
    open_scope();
    const Nat trip = Nat::fresh("trip", 0, few - 1);
    const std::string t = declare(trip);
    open("for (" + index_type_ + " " + t + " = 0; " + t + " < " + std::to_string((*exact + step - 1) / step) +
         "; ++" + t + ")");
    const std::string v = declare(f.var);
    line("const " + index_type_ + " " + v + " = " + lower + own + " + " + std::to_string(step) + "*" + t +
         ";");
    if (*exact % step != 0) open("if (" + v + " < " + upper + ")");
    block(f.body);
    if (*exact % step != 0) close();
    close();
    return close_scope();
  }
  open_scope();
  const std::string v = declare(f.var);
  open("for (" + index_type_ + " " + v + " = " + lower + own + "; " + v + " < " + upper + "; " + v +
       " += " + std::to_string(step) + ")");
  block(f.body);
  close();
  close_scope();
}

}  // namespace lift
