// How many steps of an iteration go together: a decision before all others, as each depth is a program of its
// own, with the decisions of its kind.
#include <algorithm>

#include "rewrite/space/kind.hpp"

namespace lift {
namespace {

constexpr KeyOf<std::int64_t> kDepth{{"depth", Domain::ordinal, {}, 1}};

/// Decisions by key, each after those that come before it in any of the kinds; false where two kinds do not
/// agree about that.
bool merge(std::vector<const Key*>& keys, const std::vector<BoundDecision>& decisions) {
  std::vector<const Key*> r = keys;
  std::size_t from = 0;
  for (const BoundDecision& d : decisions) {
    const auto at = std::find(r.begin(), r.end(), d.key);
    if (at == r.end()) {
      r.insert(r.begin() + static_cast<std::ptrdiff_t>(from++), d.key);
      continue;
    }
    const auto n = static_cast<std::size_t>(at - r.begin());
    if (n < from) return false;
    from = n + 1;
  }
  keys = std::move(r);
  return true;
}

const BoundDecision* find(const Kind& kind, const Key& key) {
  for (const BoundDecision& d : kind.decisions())
    if (d.key == &key) return &d;
  return nullptr;
}

class ByDepth : public Kind {
 public:
  explicit ByDepth(std::vector<AtDepth> given) {
    std::vector<const Key*> keys;
    for (AtDepth& x : given)
      if (merge(keys, x.kind->decisions())) kinds_.push_back(std::move(x));
    decisions_.push_back(depth());
    for (const Key* key : keys) decisions_.push_back(of_all(*key));
  }

  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override {
    const std::string s = at(c).words(own(c));
    const std::int64_t depth = c[kDepth];
    return depth == 1 ? s : std::to_string(depth) + " steps together" + (s.empty() ? "" : ", ") + s;
  }
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r;
    for (const AtDepth& x : kinds_)
      for (Wishes w : x.kind->first_guesses()) w.set(kDepth, x.depth), r.push_back(std::move(w));
    return r;
  }
  Rewriting derive(const Configuration& c) const override { return at(c).derive(own(c)); }

 private:
  const Kind& at(const Configuration& c) const {
    const std::int64_t depth = c.find(kDepth) != nullptr ? c[kDepth] : kinds_.front().depth;
    return *std::find_if(kinds_.begin(), kinds_.end(), [&](const AtDepth& x) {
              return x.depth == depth;
            })->kind;
  }
  /// What the kind of this depth is told of a configuration.
  Configuration own(const Configuration& c) const {
    Configuration r;
    for (const auto& entry : c)
      if (find(at(c), *entry.key) != nullptr) r.set(*entry.key, entry.setting);
    return r;
  }

  BoundDecision depth() const {
    BoundDecision d;
    d.key = &kDepth;
    for (const AtDepth& x : kinds_) d.settings.push_back(setting_of(x.depth));
    d.allowed = [all = d.settings](const Configuration&) { return all; };
    d.suits = [](const Configuration&, const Settings& allowed) { return allowed.front(); };
    d.words = [](const Configuration&) { return std::string(); };
    return d;
  }
  /// Where the kind of a depth has no such decision, one setting is as good as another.
  BoundDecision of_all(const Key& key) const {
    BoundDecision d;
    d.key = &key;
    d.searched = false;
    for (const AtDepth& x : kinds_)
      if (const BoundDecision* own = find(*x.kind, key)) {
        for (const Setting& s : own->settings) add_new(d.settings, s);
        d.searched = d.searched || own->searched;
      }
    const Settings any{d.settings.front()};
    d.allowed = [this, &key, any](const Configuration& c) {
      const BoundDecision* now = find(at(c), key);
      return now != nullptr ? now->allowed(own(c)) : any;
    };
    d.suits = [this, &key](const Configuration& c, const Settings& allowed) {
      const BoundDecision* now = find(at(c), key);
      return now != nullptr ? now->suits(own(c), allowed) : allowed.front();
    };
    d.words = [](const Configuration&) { return std::string(); };
    return d;
  }

  std::vector<AtDepth> kinds_;
  std::vector<BoundDecision> decisions_;
};

}  // namespace

std::unique_ptr<Kind> by_depth(std::vector<AtDepth> kinds) {
  return std::make_unique<ByDepth>(std::move(kinds));
}

std::vector<RegisteredDecision> registered_depth_decisions() { return {{&kDepth, {}}}; }

}  // namespace lift
