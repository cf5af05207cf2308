#include "tuning/small_check.hpp"

#include <algorithm>
#include <cstring>

#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/interpret.hpp"
#include "ir/text/parse.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/host_data.hpp"
#include "rewrite/analysis/decided.hpp"
#include "runtime/interrupt.hpp"
#include "tuning/reference.hpp"
#include "tuning/search.hpp"

namespace lift {
namespace {

/// At small sizes, too, threads share what they share at large ones.
LowerOptions shared_by_threads(LowerOptions lowering) {
  lowering.least_shared = 0;
  return lowering;
}

/// Odd first, since that is where remainders go wrong; the even ones for operators that need such.
constexpr std::int64_t kBoxes[] = {5, 6, 8};
constexpr double kLimitSeconds = 20;  ///< for a kernel at such a size
/// Expressions that the interpreter evaluates at such a size: some ten seconds.
constexpr std::int64_t kMostEvaluated = 100'000'000;

/// The work is too much for the interpreter.
struct TooLong {};

/// Whether what rounding does to an argument may come far, in a steep function, or where a real number is
/// compared or becomes an integer: what each element may be off is asked for then, which costs a compilation.
bool magnifies_errors(const Program& p) {
  return contains(p.body, [](const Expr& e) {
    const bool decides = e.type() == Type(boolean) || e.type() == Type(i32);
    const auto real = [](const Expr& c) { return c.type().is_scalar() && is_float(c.type().scalar()); };
    if (decides && is_scalar_op(e.op())) return std::any_of(e.children().begin(), e.children().end(), real);
    return e.op() != Op::Sqrt && elementary(e.op()) != nullptr;
  });
}

/// The program on the thinnest ghost zone that it can be built with, a cell deeper than the sweeps of a
/// stencil of some radius need; at most the problem's own.
Program build_small(const Pattern& pattern, Problem& p) {
  constexpr std::int64_t kWidest = 4;
  const std::int64_t own = p.ghost;
  for (std::int64_t radius = 1; radius <= kWidest; ++radius) try {
      p.ghost = radius * p.sweeps + 1;
      if (p.ghost < own) return pattern.build(p);
    } catch (const UserError&) {  // too thin
    }
  p.ghost = own;
  return pattern.build(p);
}

/// The elements as the interpreter has them.
std::vector<Value> scalars(const HostArray& a) {
  std::vector<Value> all(static_cast<std::size_t>(host::count(a.type)));
  with_scalar(element_of(a.type).scalar(), [&]<class T>(T) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const T x = static_cast<const T*>(a.data)[i];
      if constexpr (std::is_floating_point_v<T>)
        all[i] = {static_cast<double>(x)};
      else if constexpr (std::is_same_v<T, bool>)
        all[i] = {x};
      else
        all[i] = {static_cast<std::int64_t>(x)};
    }
  });
  return all;
}

void store(const std::vector<Value>& all, const HostArray& a) {
  if (static_cast<std::int64_t>(all.size()) != host::count(a.type))
    throw InternalError("verification: the interpreter's result has " + std::to_string(all.size()) +
                        " elements, not " + a.type.str());
  with_scalar(element_of(a.type).scalar(), [&]<class T>(T) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto* whole = std::get_if<std::int64_t>(&all[i].v);
      const double x =
          whole || all[i].is_poison() ? std::numeric_limits<double>::quiet_NaN() : all[i].number();
      static_cast<T*>(a.data)[i] = whole ? static_cast<T>(*whole) : static_cast<T>(x);
    }
  });
}

Value value_of(const HostArray& a) {
  const std::vector<Value> all = scalars(a);
  if (a.type.is_array()) return make_array(all, a.type);
  return a.type.scalar() == boolean ? Value{static_cast<std::int64_t>(all[0].number())} : all[0];
}

}  // namespace

SmallCheck::SmallCheck(const Pattern& pattern, const Problem& problem, Target target, const Machine& machine,
                       const std::optional<LayoutRequest>& only_layout, const GridDeviceInfo* device,
                       int threads,
                       const std::function<std::unique_ptr<Executor>(const ProblemData&)>& make_executor,
                       const OwnRules& rules)
    : problem_(problem) {
  problem_.boxes = std::min<std::int64_t>(problem.boxes, 2);
  for (const std::int64_t box : kBoxes) {
    problem_.box = box, problem_.ghost = problem.ghost;
    for (std::size_t d = 0; d < problem.sides.size(); ++d)  // different from one another
      problem_.sides[d] = box + 2 * static_cast<std::int64_t>(d);
    try {
      program_ = build_small(pattern, problem_);
    } catch (const UserError& error) {
      why_not_ = error.what();
      continue;
    }
    if (decision_in(program_).empty())
      space_.emplace(make_space(program_, target, machine, only_layout, device, rules));
    NativeCompiler compiler;
    for (const std::uint64_t seed : {0, 1}) {
      Data data;
      data.arguments = std::make_unique<ProblemData>(pattern, problem_, program_, threads);
      if (seed != 0) data.arguments->vary(seed);
      data.executor = make_executor(*data.arguments);
      try {
        interpret(data);
        if (magnifies_errors(program_))
          compute_reference(program_, {}, compiler, *data.arguments, data.expected,
                            {.values = false, .limit_seconds = kLimitSeconds, .threads = 1});
      } catch (const TooLong&) {
        why_not_ = "it evaluates more than " + std::to_string(kMostEvaluated / 1'000'000) +
                   " million expressions of this program";
        data_.clear();
        return;
      }
      data.executor->set_limit(kLimitSeconds);
      data_.push_back(std::move(data));
    }
    return;
  }
}

void SmallCheck::interpret(Data& data) const {
  data.expected = ExpectedResults(program_, 1);
  const std::vector<HostArray> results = data.expected.results();
  const auto evaluate = [&] {
    Interpreter interpreter;
    interpreter.on_progress = [](std::int64_t evaluated) {
      if (interrupted()) throw EnvironmentError("interrupted while setting up");
      if (evaluated > kMostEvaluated) throw TooLong();
    };
    for (const HostArray& a : data.arguments->all()) {
      interpreter.params[a.name] = value_of(a);
      if (a.type.is_scalar() && a.type.scalar() == i32)
        interpreter.sizes[a.name] = *static_cast<const std::int32_t*>(a.data);
    }
    std::string bytes;
    const auto values = scalars_of_components(interpreter.eval(program_.body), program_.body.type());
    for (std::size_t n = 0; n < results.size(); ++n) {
      store(values.at(n), results[n]);
      bytes.append(static_cast<const char*>(results[n].data), bytes_of(results[n].type));
    }
    return bytes;
  };
  // C functions of users are called, which may do anything.
  const auto functions = names_of(program_.body).functions;
  if (functions.empty()) {
    evaluate();
  } else {
    std::string bytes;
    try {
      const auto or_nothing = [&] {
        try {
          return evaluate();
        } catch (const TooLong&) {
          return std::string();
        }
      };
      bytes = run_apart(or_nothing, kLimitSeconds);
    } catch (const WorkerLost& lost) {
      throw UserError(program_.name + ": calling its C function " + functions.begin()->first +
                      (functions.size() > 1 ? " (or another one)" : "") + ": " + lost.what());
    }
    if (bytes.empty()) throw TooLong();
    for (const HostArray& r : results) {
      std::memcpy(r.data, bytes.data(), bytes_of(r.type));
      bytes.erase(0, bytes_of(r.type));
    }
  }
  data.expected.measure_magnitudes();
}

std::optional<Candidate> SmallCheck::candidate(const Configuration& c, const std::string& structure,
                                               const LowerOptions& lowering) {
  Configuration near = project(*space_, c);
  for (const Parameter& p : space_->comparisons())  // of which a search takes none
    if (const Setting* s = c.find(*p.key)) near.set(*p.key, *s);
  if (space_->structure(near) != structure) return std::nullopt;
  Candidate made = prepare(*space_, near, shared_by_threads(lowering), *data_.front().executor);
  if (made.variant.status == Status::impossible) return std::nullopt;
  return made;
}

std::optional<Candidate> SmallCheck::candidate(const Derivation& d, const LowerOptions& lowering) {
  Candidate made = prepare(program_, d, shared_by_threads(lowering), *data_.front().executor);
  if (made.variant.status == Status::impossible) return std::nullopt;
  return made;
}

Candidate SmallCheck::reference(const LowerOptions& lowering) {
  return prepare(undecided(program_), Derivation{}, lowering, *data_.front().executor);
}

Difference SmallCheck::compare(const Candidate& c) {
  Difference all;
  for (Data& data : data_)
    all = worse(all, run_and_compare(*data.executor, c.kernel, c.compiled, data.expected.all()).difference);
  return all;
}

std::string SmallCheck::describe() const {
  return "box " + box_text(problem_) + ", boxes " + std::to_string(problem_.boxes) +
         (has_ghost_zone(problem_) ? ", ghost " + std::to_string(problem_.ghost) : "");
}

}  // namespace lift
