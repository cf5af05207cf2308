#include "emit/grid_like.hpp"

#include <algorithm>
#include <utility>

#include "ir/error.hpp"

namespace lift {
namespace {

std::string unrolled(const For& f) {
  return f.unroll == 0            ? ""
         : f.unroll == whole_loop ? "#pragma unroll"
                                  : "#pragma unroll " + std::to_string(f.unroll);
}

}  // namespace

std::string GridLike::function() {
  const auto first = std::find_if(k_.body.begin(), k_.body.end(),
                                  [](const Stmt& s) { return !std::holds_alternative<Allocate>(s.v); });
  if (const std::string declared = declarations_before_arrays(); !declared.empty()) line(declared);
  std::for_each(k_.body.begin(), first, [&](const Stmt& s) { statement(s); });
  const std::string arrays = std::exchange(out_, "");
  std::for_each(first, k_.body.end(), [&](const Stmt& s) { statement(s); });
  const std::string body = std::exchange(out_, "");
  if (const std::string declared = declarations(); !declared.empty()) line(declared);
  return wrapped(signature(), 0) + "\n" + arrays + out_ + body + "}\n";
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
  for (const GridAxis& a : f.axes) here.push_back(id(a.kind, a.dim) + " == 0");
  open("if (" + joined(here, " && ") + ")");
  for (const Stmt& s : f.body) statement(s);
  close();
}

void GridLike::loop(const For& f) {
  if (f.kind == LoopKind::Par) throw InternalError("emit: map_par in a kernel over a grid");
  if (f.kind >= LoopKind::Glb) return grid_loop(f);
  plain_loop(f, unrolled(f));
}

/// The iterations of this work-item.
void GridLike::grid_loop(const For& f) {
  const std::string own = id(f.kind, f.dim),
                    first = (f.lower == Nat(0) ? "" : nat(f.lower).in(6) + " + ") + own;
  if (f.dealt > 0) {
    if (f.surplus) open("if (" + own + " < " + std::to_string(f.dealt) + ")");
    f.unroll == whole_loop ? counted_loop(f, first) : dealt_loop(f, first);
    if (f.surplus) close();
    return;
  }
  const bool scope = f.surplus && !(f.upper - f.lower).is_constant();  // the name is this iteration's
  const std::string upper = nat(f.upper).in(5);
  if (scope) open("");
  const std::string v = declare(f.var);
  line("const " + index_type_ + " " + v + " = " + first + ";");
  if (f.surplus) open("if (" + v + " < " + upper + ")");
  for (const Stmt& s : f.body) statement(s);
  if (f.surplus) close();
  if (scope) close();
}

void GridLike::dealt_loop(const For& f, const std::string& first) {
  const std::string upper = nat(f.upper).in(5);
  open_scope();
  const std::string v = declare(f.var);
  open("for (" + index_type_ + " " + v + " = " + first + "; " + v + " < " + upper + "; " + v +
       " += " + std::to_string(f.dealt) + ")");
  block(f.body);
  close();
  close_scope();
}

/// Trips are counted where a loop is unrolled, as compilers unroll those only; the last may be for some of
/// the work-items.
void GridLike::counted_loop(const For& f, const std::string& first) {
  const auto iterations = (f.upper - f.lower).constant();
  const std::string upper = nat(f.upper).in(5);
  line(unrolled(f));
  open_scope();
  const std::string t = declare(Nat::fresh("trip", 0, f.most_trips - 1));
  open("for (" + index_type_ + " " + t + " = 0; " + t + " < " + std::to_string(f.most_trips) + "; ++" + t +
       ")");
  const std::string v = declare(f.var);
  line("const " + index_type_ + " " + v + " = " + first + " + " + std::to_string(f.dealt) + "*" + t + ";");
  const bool partial = !iterations || *iterations % f.dealt != 0;
  if (partial) open("if (" + v + " < " + upper + ")");
  block(f.body);
  if (partial) close();
  close();
  close_scope();
}

}  // namespace lift
