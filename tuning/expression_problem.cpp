#include "tuning/expression_problem.hpp"

#include <algorithm>
#include <cmath>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "patterns/host_data.hpp"
#include "tuning/data_files.hpp"

namespace lift {
namespace {

constexpr std::int64_t kSmallElements = 20000;  ///< that the interpreter computes in about a second

std::string argument_names(const Program& p) {
  std::string s;
  for (const Expr& a : p.arguments) s += (s.empty() ? "" : ", ") + param_name(a);
  return s;
}

std::int64_t largest_array(const Program& p) {
  std::int64_t n = 1;
  for (const Expr& a : p.arguments) n = std::max(n, host::count(a.type()));
  return n;
}

/// Numbers near `box` that the variables admit, different from each other where box is odd, so that confused
/// dimensions show.
Sizes small_sizes(const Program& p, std::int64_t box) {
  Sizes sizes;
  std::int64_t next = box;
  for (const NatAtom* v : size_variables(p)) {
    std::int64_t n = std::max(next, with_sizes(v->lower, sizes).constant().value_or(1));
    while (v->modulus > 1 && (n - v->residue) % v->modulus != 0) ++n;
    sizes[v->name] = n;
    if (box != 8) next += 2;
  }
  return sizes;
}

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Calls f with a null pointer to the elements' C++ type.
template <class F>
void with_elements(const HostArray& a, const F& f) {
  with_scalar(element_of(a.type).scalar(), [&]<class T>(T) { f(static_cast<T*>(a.data)); });
}

/// a[x] = value(x), x counting elements in row-major order.
template <class Value>
void fill_with(const HostArray& a, const Value& value) {
  with_elements(a, [&]<class T>(T* data) {
    host::parallel_for(host::count(a.type), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t x = begin; x < end; ++x) {
        const double v = value(x);
        if constexpr (std::is_same_v<T, bool>)
          data[x] = v >= 1;
        else if constexpr (std::is_integral_v<T>)
          data[x] = static_cast<T>(std::floor(v));
        else
          data[x] = static_cast<T>(v);
      }
    });
  });
}

void fill_uniform(const HostArray& a, const ArgumentData& d) {
  const std::uint64_t seed = mixed(d.seed ^ std::hash<std::string>{}(a.name));
  fill_with(a, [&](std::int64_t x) {
    const double unit = static_cast<double>(mixed(seed + static_cast<std::uint64_t>(x)) >> 40) *
                        0x1p-24;  // [0, 1), also as f32
    return d.low + (d.high - d.low) * unit;
  });
}

void fill_smooth(const HostArray& a, const ArgumentData& d) {
  const std::vector<std::int64_t> shape = host::lengths(a.type);
  const double middle = (d.low + d.high) / 2,
               half = (d.high - d.low) / 2 / std::max<double>(1, static_cast<double>(shape.size()));
  fill_with(a, [&](std::int64_t x) {
    double sum = 0;
    for (std::size_t k = shape.size(); k-- > 0; x /= shape[k])
      sum += std::sin(0.1 * static_cast<double>((x % shape[k]) * static_cast<std::int64_t>(k + 1)) +
                      static_cast<double>(d.seed) + static_cast<double>(k));
    return middle + half * sum;
  });
}

void check_data(const ExpressionProblem& p) {
  for (const auto& [name, d] : p.data) {
    if (std::none_of(p.program.arguments.begin(), p.program.arguments.end(),
                     [&, n = name](const Expr& a) { return param_name(a) == n; }))
      throw UserError(p.program.name + ": data is given for '" + name +
                      "', which is no argument; its arguments are " + argument_names(p.program));
    if (d.kind == ArgumentData::Kind::given && !d.fill)
      throw UserError(p.program.name + ": the data of '" + name +
                      "' is to be given by a function, but there is none");
  }
}

}  // namespace

void fill_argument(const HostArray& a, const Expr& param, ArgumentData d, bool whole) {
  if (is_index_param(param) && d.low == d.high && d.kind != ArgumentData::Kind::constant)
    d.low = d.high = static_cast<double>(index_lower(param).constant().value_or(0)),
    d.kind = ArgumentData::Kind::constant;
  else if (d.low == d.high && d.kind != ArgumentData::Kind::constant) {
    const bool real = is_float(element_of(a.type).scalar());
    d.low = real ? 0.5 : 0, d.high = real ? 1.5 : 10;
  }
  switch (d.kind) {
    case ArgumentData::Kind::uniform:
      return fill_uniform(a, d);
    case ArgumentData::Kind::smooth:
      return fill_smooth(a, d);
    case ArgumentData::Kind::constant:
      return fill_with(a, [&](std::int64_t) { return d.low; });
    case ArgumentData::Kind::file:
    case ArgumentData::Kind::npy:
      return read_data_file(d.path, d.kind == ArgumentData::Kind::npy, a, whole);
    case ArgumentData::Kind::given: {
      const OutsideRegions outside;  // the caller's own function, which may keep what it makes
      return d.fill(a);
    }
  }
}

PatternProblem pattern_of(const ExpressionProblem& p) {
  Program whole = with_sizes(p.program, p.sizes);
  check_data(p);
  Problem problem;
  problem.box = 1, problem.boxes = 1, problem.ghost = 0, problem.boundary = "built in";
  for (const auto& size : p.sizes) problem.box = std::max(problem.box, size.second);
  if (p.sizes.empty()) problem.box = largest_array(whole);
  problem.type = element_of(results_of(whole).at(0).type).scalar();

  Pattern pattern;
  pattern.name = p.program.name;
  pattern.summary = p.summary.empty() ? "an expression" : p.summary;
  pattern.build = [p, whole, full = problem.box](const Problem& q) {
    if (q.symbolic && !p.why_not_symbolic.empty())
      throw UserError("--symbolic: " + p.program.name + " is one program at these sizes only: " +
                      p.why_not_symbolic + "\nleave out --symbolic, or say more of the sizes (where ...)");
    if (q.symbolic) return p.program;
    if (q.box == full) return whole;
    if (p.sizes.empty() && largest_array(whole) > kSmallElements)
      throw UserError(p.program.name +
                      ": all lengths are numbers, so there is no smaller problem to check it on; make "
                      "lengths symbolic (a size n)");
    return p.sizes.empty() ? whole : with_sizes(p.program, small_sizes(p.program, q.box));
  };
  pattern.fill = [p, full = problem.box](const Problem& q, const HostArray& a) {
    for (const Expr& param : p.program.arguments) {
      if (param_name(param) != a.name) continue;
      const auto d = p.data.find(a.name);
      return fill_argument(a, param, d == p.data.end() ? ArgumentData{} : d->second, q.box == full);
    }
    throw InternalError("expression problem: no argument " + a.name);
  };
  return {std::move(pattern), problem};
}

}  // namespace lift
