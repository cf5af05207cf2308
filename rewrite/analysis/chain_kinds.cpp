// Programs that are chains of one kind: sweeps that each update an array, and stages of one result.
#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/instantiate.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/chain.hpp"

namespace lift {

// ---- sweeps

namespace {

bool is_sweep_before(const Expr& e) { return e.is(Op::Let) && updated_array(e.child(0)).has_value(); }

/// The sweeps before the last, and what follows them; variables stay as they are.
struct Sweeps {
  std::vector<Expr> values;
  Expr last;
  explicit Sweeps(const Expr& body) : last(body) {
    for (; is_sweep_before(last); last = last.child(1).child(0)) values.push_back(last.child(0));
  }
};

}  // namespace

std::vector<Place> sweeps_of(const Expr& body) {
  std::vector<Place> r;
  Place here;
  for (std::size_t n = Sweeps(body).values.size(); n > 0; --n) {
    Place value = here;
    value.push_back(0);
    r.push_back(std::move(value));
    here.push_back(1), here.push_back(0);
  }
  r.push_back(std::move(here));
  return r;
}

Program single_sweep(const Program& program, std::size_t n) {
  const Sweeps sweeps(program.body);
  if (n > sweeps.values.size()) throw InternalError("sweeps: there are fewer");
  std::vector<std::vector<Expr>> arrays;
  for (std::size_t i = 0; i < n; ++i)
    arrays.push_back({instantiate_in(*updated_array(sweeps.values[i]), arrays)});
  Program p = program;
  p.body = instantiate_in(n < sweeps.values.size() ? sweeps.values[n] : sweeps.last, arrays);
  if (n < sweeps.values.size()) p.results.clear();  // they name what the last one gives
  return p;
}

std::string why_not_one_after_the_other(const Program& program) {
  const Sweeps sweeps(program.body);
  std::vector<std::vector<Expr>> names;
  std::vector<Expr> values;
  for (std::size_t i = 0; i < sweeps.values.size(); ++i) {
    values.push_back(instantiate_in(sweeps.values[i], names));
    names.push_back({param("sweep " + std::to_string(i + 1), values.back().type())});
  }
  values.push_back(instantiate_in(sweeps.last, names));
  std::map<std::uint32_t, std::size_t> last_use;  // of what has a name
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const Expr& x : params_of(values[i])) last_use[x.id()] = i;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const Expr base = *updated_array(values[i]);
    const auto uses_base = [&](const Expr& value) {
      return contains(value, [&](const Expr& x) { return x == base; });
    };
    const bool used = base.is(Op::Param) ? last_use.at(base.id()) > i
                                         : std::any_of(values.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                                       values.end(), uses_base);
    if (used) return str(base) + " is used after a sweep that would overwrite it";
  }
  return "";
}

// ---- stages

namespace {

constexpr std::size_t kMostStages = 4;
constexpr std::int64_t kMostReads = 100;  ///< elements of the first stage's input, read for one of the result

bool is_stage(const Expr& e) {
  if (!e.is(Op::Let) || !e.child(0).type().is_array() || !e.type().is_array() ||
      element_of(e.type()).is_tuple())
    return false;
  const auto other = [](const Expr& x) {
    return is_update(x.op()) || is_scan(x.op()) || is_reduce(x.op()) || x.is(Op::Iterate);
  };
  return contains(e.child(0), [](const Expr& x) { return is_map(x.op()); }) && !contains(e, other);
}
/// Of what is gathered from, no two readers are known to read the same: computed where they are read,
/// elements are as many as the product of what the stages gather, and so is the text.
bool is_gathered_from(const Expr& let) {
  std::vector<Expr> names;
  const Expr rest = open(let.child(1), names);
  return contains(rest, [&](const Expr& x) {
    if (!x.is(Op::Gather)) return false;
    const Expr& from = x.child(0);
    return from.loose() > 0 || contains(from, [&](const Expr& y) { return y == names[0]; });
  });
}
/// Elements that a function reads of its argument.
std::int64_t reads_in(const Expr& e) {
  std::int64_t n = 0;
  visit(e, [&](const Expr& x) { n += x.is(Op::At); });
  return std::max<std::int64_t>(n, 1);
}

void find_stages(const Expr& e, Place& at, std::vector<Place>& found) {
  const bool stage = is_stage(e);
  if (stage) found.push_back(at);
  for (std::size_t i = stage ? 1 : 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    find_stages(e.child(i), at, found);
    at.pop_back();
  }
}

}  // namespace

std::vector<Place> stages_of(const Expr& body) {
  std::vector<Place> found;
  Place at;
  find_stages(body, at, found);
  std::int64_t reads = 1;
  for (const Place& p : found) {
    const Expr stage = part_at(body, p);
    if (is_gathered_from(stage)) return {};
    reads = std::min<std::int64_t>(kMostReads + 1, reads * reads_in(stage.child(0)));
  }
  return found.size() > kMostStages || reads > kMostReads ? std::vector<Place>{} : found;
}

Rewriting with_stages_fused(Rewriting start) {
  for (std::vector<Place> stages; !(stages = stages_of(start.program.body)).empty();)
    start = run(use("let-inline"), start, stages.back());
  return start;
}

std::optional<std::int64_t> elements_of_stages(const Expr& body) {
  std::int64_t n = 0;
  for (const Place& p : stages_of(body))
    for (const Type& t : component_arrays(part_at(body, p).child(0).type())) {
      std::int64_t product = 1;
      for (const Nat& length : shape_of(t)) {
        if (!length.is_constant()) return std::nullopt;
        product *= *length.constant();
      }
      n += product;
    }
  return n;
}

}  // namespace lift
