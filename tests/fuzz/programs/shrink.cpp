// Reduction of a failing case: parts of the program are replaced by smaller ones, sizes become smaller,
// decisions are taken back, as long as it fails in the same way.
#include <algorithm>
#include <chrono>

#include "ir/error.hpp"
#include "rewrite/engine/rule.hpp"
#include "tests/fuzz/programs/session.hpp"

namespace lift::fuzz {
namespace {

constexpr double kSeconds = 60;  ///< for one case

std::string beginning(const Outcome& o) {
  if (o.verdict == Verdict::wrong || o.verdict == Verdict::crashed) return "";
  return o.detail.substr(0, 24);
}

class Shrinker {
 public:
  Shrinker(Case c, const Outcome& o, const std::filesystem::path& folder)
      : best_(std::move(c)), wanted_(o), folder_(folder) {}

  Case run() {
    simplest_choice();
    for (bool progress = true; progress && in_time();) {
      progress = smaller_program();
      progress = smaller_sizes() || progress;
      progress = fewer_decisions() || progress;
    }
    return best_;
  }

 private:
  bool in_time() const {
    return std::chrono::steady_clock::now() - start_ < std::chrono::duration<double>(kSeconds);
  }

  bool fails(const Case& c) {
    if (!in_time()) return false;
    const Outcome o = outcome_of(c, folder_);
    return o.verdict == wanted_.verdict && beginning(o) == beginning(wanted_);
  }
  bool take(const Case& c) {
    if (!fails(c)) return false;
    best_ = c;
    return true;
  }

  void simplest_choice() {
    Case c = best_;
    c.choice = Case::Choice::written, c.derivation = {};
    if (c.symbolic) {
      c.symbolic = false;
      if (take(c)) return;
      c.symbolic = true;
    }
    if (best_.choice != Case::Choice::written) take(c);
    c = best_;
    if (c.symbolic && c.choice == Case::Choice::derived) {
      c.symbolic = false;
      if (rederive(c)) take(c);
    }
  }

  /// The derivation of the same configuration for another program, or of one near it.
  static bool rederive(Case& c) {
    if (c.choice != Case::Choice::derived) return true;
    try {
      const Space space(subject(c), space_options(c));
      Configuration next;
      for (const Parameter& p : space.parameters()) {
        const Settings values = space.allowed(next, *p.key);
        const Setting* wish = c.configuration.find(*p.key);
        next.set(*p.key, wish != nullptr && contains(values, *wish) ? *wish : values.front());
      }
      for (const Parameter& p : space.comparisons())
        if (const Setting* wish = c.configuration.find(*p.key); wish != nullptr && contains(p.values, *wish))
          next.set(*p.key, *wish);
      c.configuration = next;
      c.derivation = space.derive(next);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  bool try_body(const Expr& body) {
    Case c = best_;
    c.program.body = body;
    c.program.results.clear();
    c.program.arguments = params_of(body);
    std::erase_if(c.program.overwritable, [&](const std::string& name) {
      return std::none_of(c.program.arguments.begin(), c.program.arguments.end(),
                          [&](const Expr& a) { return param_name(a) == name; });
    });
    try {
      Sizes kept;
      for (const NatAtom* v : size_variables(c.program)) kept[v->name] = best_.sizes.at(v->name);
      c.sizes = kept;
      results_of(c.program);
    } catch (const std::exception&) {
      return false;
    }
    return rederive(c) && take(c);
  }

  /// What may stand in place of a part: simpler, of the same type.
  static std::vector<Expr> smaller(const Expr& e) {
    std::vector<Expr> all;
    const Type& t = e.type();
    const auto consider = [&](const Expr& x) {
      if (x.type() == t && std::find(all.begin(), all.end(), x) == all.end()) all.push_back(x);
    };
    if (t.is_scalar() && !e.is(Op::Literal))
      all.push_back(literal(1, t.scalar())), all.push_back(literal(0, t.scalar()));
    for (const Expr& child : e.children())
      if (!child.is(Op::Lambda)) {
        consider(child);
        for (const Expr& below : child.children())
          if (!below.is(Op::Lambda)) consider(below);
      } else if (e.is(Op::Let) && child.is(Op::Lambda)) {
        const std::vector<Expr> value{e.child(0)};
        try {
          consider(instantiate(child, value));
        } catch (const std::exception&) {
        }
      }
    return all;
  }

  void places(const Expr& e, Place& at, std::vector<Place>& all) const {
    all.push_back(at);
    for (std::size_t i = 0; i < e.children().size(); ++i) {
      at.push_back(static_cast<int>(i));
      places(e.child(i), at, all);
      at.pop_back();
    }
  }

  bool smaller_program() {
    bool any = false;
    // The result may be any closed part.
    for (bool again = true; again;) {
      again = false;
      for (const Expr& child : best_.program.body.children()) {
        if (child.is(Op::Lambda) || child.type().is_function()) continue;
        if (try_body(child)) {
          any = again = true;
          break;
        }
      }
      if (!again && best_.program.body.is(Op::Let)) {
        const std::vector<Expr> value{best_.program.body.child(0)};
        try {
          if (try_body(instantiate(best_.program.body.child(1), value))) any = again = true;
        } catch (const std::exception&) {
        }
      }
    }
    for (bool again = true; again && in_time();) {
      again = false;
      std::vector<Place> all;
      Place at;
      places(best_.program.body, at, all);
      for (const Place& p : all) {
        const Expr part = part_at(best_.program.body, p);
        for (const Expr& other : smaller(part)) {
          try {
            if (try_body(replaced_at(best_.program.body, p, other))) {
              any = again = true;
              break;
            }
          } catch (const std::exception&) {  // ill-typed
          }
        }
        if (again || !in_time()) break;
      }
    }
    for (std::size_t i = 0; i < best_.program.overwritable.size();) {
      Case c = best_;
      c.program.overwritable.erase(c.program.overwritable.begin() + static_cast<std::ptrdiff_t>(i));
      if (rederive(c) && take(c))
        any = true;
      else
        ++i;
    }
    return any;
  }

  bool smaller_sizes() {
    bool any = false;
    for (const auto& entry : Sizes(best_.sizes))
      for (std::int64_t value = 1; value < best_.sizes[entry.first]; ++value) {
        Case c = best_;
        c.sizes[entry.first] = value;
        try {
          (void)with_sizes(c.program, c.sizes);
        } catch (const std::exception&) {
          continue;
        }
        if (rederive(c) && take(c)) {
          any = true;
          break;
        }
      }
    return any;
  }

  bool fewer_decisions() {
    if (best_.choice != Case::Choice::derived) return false;
    bool any = false;
    for (const auto& entry : Configuration(best_.configuration)) {
      Case c = best_;
      c.configuration.erase(*entry.key);
      if (rederive(c) && c.derivation.size() < best_.derivation.size() && take(c)) any = true;
    }
    for (std::size_t i = best_.derivation.size(); i-- > 0;) {
      Case c = best_;
      c.derivation.erase(c.derivation.begin() + static_cast<std::ptrdiff_t>(i));
      if (take(c)) any = true;
    }
    return any;
  }

  Case best_;
  Outcome wanted_;
  std::filesystem::path folder_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Case shrunk(const Case& c, const Outcome& outcome, const std::filesystem::path& folder) {
  return Shrinker(c, outcome, folder).run();
}

}  // namespace lift::fuzz
