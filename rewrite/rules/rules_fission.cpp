// Scans of several values, one of which follows from itself alone: elimination with constant coefficients
// has its factors, and they are the same for all columns. What is the same for all is computed once.
#include <algorithm>
#include <map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/replaced.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

/// What the components of a tuple are, names that it begins with put where they are used.
std::vector<Expr> components(const Expr& e) {
  if (e.is(Op::Let)) return components(instantiate(e.child(1), std::vector<Expr>{e.child(0)}));
  if (e.is(Op::Tuple)) return {e.children().begin(), e.children().end()};
  std::vector<Expr> all;
  for (std::size_t i = 0; i < e.type().parts().size(); ++i) all.push_back(get(static_cast<int>(i), e));
  return all;
}

/// Whether a term mentions a variable that is bound by one of the `depth` lambdas around it.
bool mentions_bound(const Expr& e, int depth, int within = 0) {
  if (e.loose() <= within) return false;
  if (e.is(Op::Bound)) return bound_depth(e) - within < depth;
  return std::any_of(e.children().begin(), e.children().end(), [&](const Expr& c) {
    return mentions_bound(c, depth, within + (e.is(Op::Lambda) ? 1 : 0));
  });
}

/// Uses of the element before in a step of a scan.
struct Before {
  Expr acc;
  int component = 0;                                ///< the one that follows from itself
  mutable std::map<std::uint32_t, bool> only = {};  ///< what is known of terms
  bool is_it(const Expr& e) const {
    return e.is(Op::Get) && e.child(0) == acc && tuple_index(e) == component;
  }
  /// Whether e is made of that component and of what is the same in all columns.
  bool only_it(const Expr& e, const Expr& x, int depth) const {
    if (const auto known = only.find(e.id()); known != only.end()) return known->second;
    const auto made_of_it = [&] {
      if (is_it(e)) return true;
      if (e == acc || e == x) return false;
      if (e.is(Op::Bound)) return bound_depth(e) >= depth;
      if (e.is(Op::Lambda))
        return !contains(e, [&](const Expr& c) { return c == acc || c == x; }) && !mentions_bound(e, depth);
      return std::all_of(e.children().begin(), e.children().end(),
                         [&](const Expr& c) { return only_it(c, x, depth); });
    };
    return only[e.id()] = made_of_it();
  }
};

/// A scan in two: `alone`, the component that follows from itself, and what the rest makes of it alone, both
/// as they stand outside of the functions around the scan; `rest` uses them by name, and `whole` is
/// what the scan in one was, of the rest.
struct Fission {
  Expr alone, factors, rest, alone_name, factors_name;
  std::function<Expr(const Expr&)> whole;
};

/// Of a scan below so many lambdas.
class Split {
 public:
  Split(const Expr& scan, int depth) : scan_(scan), depth_(depth), back_(scan.is(Op::ScanBack)) {}

  std::optional<Fission> run() {
    if (!scan_.child(1).type().is_tuple()) return {};
    std::vector<Expr> v;
    const Expr body = open(scan_.child(0), v);
    x_ = v.at(1);
    steps_ = components(body), starts_ = components(scan_.child(1));
    if (steps_.size() < 2) return {};
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      before_ = {v[0], static_cast<int>(k)};
      const bool same = steps_[k].type().is_scalar() && before_.only_it(steps_[k], x_, depth_) &&
                        !mentions_bound(starts_[k], depth_);
      if (same && uses_element(k)) return split(k);
    }
    return {};
  }

 private:
  Expr to(const Expr& fn, const Expr& init, const Expr& array) const {
    return back_ ? scan_back(fn, init, array) : scan(fn, init, array);
  }
  /// Else all of the scan is the same in all columns.
  bool uses_element(std::size_t but) const {
    for (std::size_t j = 0; j < steps_.size(); ++j)
      if (j != but && (!before_.only_it(steps_[j], x_, depth_) || mentions_bound(starts_[j], depth_)))
        return true;
    return false;
  }
  /// Terms of that component alone become names.
  Expr with_factors(const Expr& e) {
    if (const auto known = named_.find(e.id()); known != named_.end()) return known->second;
    const Expr r = named_factors(e);
    return named_.emplace(e.id(), r).first->second;
  }
  Expr named_factors(const Expr& e) {
    if (!contains(e, [&](const Expr& c) { return before_.is_it(c); })) return e;
    if (!e.is(Op::Lambda) && e.type().is_scalar() && before_.only_it(e, x_, depth_)) {
      const auto known = std::find(terms_.begin(), terms_.end(), e);
      const auto n = static_cast<std::size_t>(known - terms_.begin());
      if (known == terms_.end()) terms_.push_back(e), names_.push_back(fresh_param("k", e.type()));
      return names_[n];
    }
    return map_children(e, [&](const Expr& c) {
      if (!c.is(Op::Lambda)) return with_factors(c);
      return replaced(
          c, [&](const Expr& y) { return before_.is_it(y) ? std::optional(with_factors(y)) : std::nullopt; });
    });
  }

  std::optional<Fission> split(std::size_t k) {
    const Nat n = shape_of(scan_.type(), 1).at(0);
    const Expr c = fresh_param("c", steps_[k].type()), i = fresh_param("i", Type(i32));
    const auto of_it = [&](const Expr& e) {
      return shift(
          replaced(e, [&](const Expr& y) { return before_.is_it(y) ? std::optional(c) : std::nullopt; }),
          -depth_);
    };
    Fission r;
    const Expr start = shift(starts_[k], -depth_);
    r.alone = to(lambda({c, i}, of_it(steps_[k])), start, iota(n));

    std::vector<Expr> others, starts;  // of the rest
    for (std::size_t j = 0; j < steps_.size(); ++j)
      if (j != k) others.push_back(with_factors(steps_[j])), starts.push_back(starts_[j]);
    r.alone_name = fresh_param("alone", r.alone.type());
    const Expr padded = pad({back_ ? 0 : 1}, {back_ ? 1 : 0}, Boundary::constant, r.alone_name, start);
    const Expr before = drop({back_ ? 1 : 0}, {back_ ? 0 : 1}, padded);
    std::vector<Expr> terms;
    for (const Expr& t : terms_) terms.push_back(of_it(t));
    Expr elements = scan_.child(2);
    if (!terms.empty()) {
      r.factors = map_with(Op::Map, 1, lambda({c}, one(terms)), before);
      r.factors_name = fresh_param("factors", r.factors.type());
      elements = zip({r.factors_name, elements});
    }

    const Expr d = fresh_param("d", one(starts).type()), t = fresh_param("t", element_of(elements.type(), 1));
    const Expr x = terms.empty() ? t : get(1, t);
    for (Expr& e : others) {
      e = replaced(e, [&](const Expr& y) -> std::optional<Expr> {
        if (y == x_) return x;
        const auto name = std::find(names_.begin(), names_.end(), y);
        if (name != names_.end())
          return terms.size() == 1 ? get(0, t) : get(static_cast<int>(name - names_.begin()), get(0, t));
        if (!y.is(Op::Get) || !(y.child(0) == before_.acc)) return std::nullopt;
        const auto j = static_cast<std::size_t>(tuple_index(y));
        return others.size() == 1 ? d : get(static_cast<int>(j > k ? j - 1 : j), d);
      });
      if (contains(e, [&](const Expr& y) { return y == before_.acc; })) return {};
    }
    r.rest = to(lambda({d, t}, one(others)), one(starts), elements);
    r.whole = [k, n = steps_.size(), alone = r.alone_name](const Expr& rest) {
      if (n == 2) return k == 0 ? zip({alone, rest}) : zip({rest, alone});
      return map_n(
          1,
          [&](Expr both) {
            std::vector<Expr> all;
            for (std::size_t j = 0; j < n; ++j)
              all.push_back(j == k ? get(0, both) : get(static_cast<int>(j > k ? j - 1 : j), get(1, both)));
            return tuple(all);
          },
          zip({alone, rest}));
    };
    return r;
  }
  static Expr one(const std::vector<Expr>& parts) { return parts.size() == 1 ? parts[0] : tuple(parts); }

  const Expr scan_;
  const int depth_;
  const bool back_;
  Expr x_;
  std::vector<Expr> steps_, starts_, terms_, names_;
  std::map<std::uint32_t, Expr> named_;
  Before before_;
};

bool is_plain_scan(const Expr& e) { return e.is(Op::Scan) || e.is(Op::ScanBack); }

/// The first scan within a function of e that falls in two, and e with what is left of it.
class Apart {
 public:
  Expr operator()(const Expr& e, int depth = 0, bool in_map = false) {
    if (found || !contains(e, is_plain_scan)) return e;
    if (in_map && is_plain_scan(e)) {
      found = Split(e, depth).run();
      if (found) return found->whole(found->rest);
    }
    if (in_map && e.is(Op::Let) && is_plain_scan(e.child(0))) {
      found = Split(e.child(0), depth).run();
      if (found) {  // what is stored of it is the rest
        const Expr x = fresh_param("x", found->rest.type());
        return make(Op::Let,
                    {found->rest, lambda({x}, instantiate(e.child(1), std::vector{found->whole(x)}))});
      }
    }
    return map_children(e, [&](const Expr& c) {
      const bool lambda = c.is(Op::Lambda);
      return (*this)(c, depth + (e.is(Op::Lambda) ? 1 : 0), in_map || (lambda && e.is(Op::Map)));
    });
  }
  std::optional<Fission> found;
};

Result<Expr> scan_fission(const Site& site, const Arguments&) {
  Apart apart;
  const Expr rest = apart(site.e);
  if (!apart.found)
    return Failure{"needs a scan within a map, of several values, one of which depends on itself only"};
  const Fission& f = *apart.found;
  const Expr with_factors =
      f.factors ? make(Op::Let, {f.factors, lambda({f.factors_name}, rest)}, {}, origin(site.e)) : rest;
  return make(Op::Let, {f.alone, lambda({f.alone_name}, with_factors)}, {}, origin(site.e));
}

}  // namespace

std::vector<Rule> fission_rules() {
  return {
      constructed(
          "scan-fission",
          "map (\\x. b (scan (\\(c, d) y. {f c, g c d y}) {c0, d0} ys)) xs = let cs = scan (\\c y. f c) c0 "
          "ys in map (\\x. b (zip cs (scan (\\d (c, y). g c d y) d0 (zip (c0, cs) ys)))) xs",
          scan_fission)
          .says("what a scan makes of itself alone, the same for all columns, is computed once before them"),
  };
}

}  // namespace lift
