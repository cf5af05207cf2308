// Forms of a program, of which each is a program of its own, with the decisions of its kind: which one is a
// decision before all others.
#include <algorithm>

#include "rewrite/space/keys.hpp"
#include "rewrite/space/kind.hpp"

namespace lift {

bool merge_order(std::vector<const Key*>& keys, const std::vector<BoundDecision>& decisions) {
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

namespace {

const BoundDecision* find(const Kind& kind, const Key& key) {
  for (const BoundDecision& d : kind.decisions())
    if (d.key == &key) return &d;
  return nullptr;
}

class ByForm : public Kind {
 public:
  ByForm(const Key& key, std::vector<KindOfForm> given) : key_(key) {
    std::vector<const Key*> keys;
    for (KindOfForm& x : given)
      if (merge_order(keys, x.kind->decisions())) kinds_.push_back(std::move(x));
    decisions_.push_back(form());
    for (const Key* k : keys) decisions_.push_back(of_all(*k));
  }

  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override {
    const KindOfForm& form = at(c);
    const std::string s = form.kind->words(own(c));
    return form.words + (s.empty() || form.words.empty() ? "" : ", ") + s;
  }
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r;
    for (const KindOfForm& x : kinds_)
      for (Wishes w : x.kind->first_guesses()) w.set(key_, x.setting), r.push_back(std::move(w));
    return r;
  }
  Rewriting derive(const Configuration& c) const override { return at(c).kind->derive(own(c)); }

 private:
  const KindOfForm& at(const Configuration& c) const {
    const Setting* form = c.find(key_);
    return *std::find_if(kinds_.begin(), kinds_.end(), [&](const KindOfForm& x) {
      return x.setting == (form != nullptr ? *form : kinds_.front().setting);
    });
  }
  /// What the kind of this form is told of a configuration.
  Configuration own(const Configuration& c) const {
    Configuration r;
    for (const auto& entry : c)
      if (find(*at(c).kind, *entry.key) != nullptr) r.set(*entry.key, entry.setting);
    return r;
  }

  BoundDecision form() const {
    BoundDecision d;
    d.key = &key_;
    for (const KindOfForm& x : kinds_) d.settings.push_back(x.setting);
    d.allowed = [all = d.settings](const Configuration&) { return all; };
    d.suits = [](const Configuration&, const Settings& allowed) { return allowed.front(); };
    return d;
  }
  /// Where the kind of a form has no such decision, one setting is as good as another.
  BoundDecision of_all(const Key& key) const {
    BoundDecision d;
    d.key = &key;
    d.searched = false;
    for (const KindOfForm& x : kinds_)
      if (const BoundDecision* own = find(*x.kind, key)) {
        for (const Setting& s : own->settings) add_new(d.settings, s);
        d.searched = d.searched || own->searched;
      }
    const Settings any{d.settings.front()};
    d.allowed = [this, &key, any](const Configuration& c) {
      const BoundDecision* now = find(*at(c).kind, key);
      return now != nullptr ? now->allowed(own(c)) : any;
    };
    d.suits = [this, &key](const Configuration& c, const Settings& allowed) {
      const BoundDecision* now = find(*at(c).kind, key);
      return now != nullptr ? now->suits(own(c), allowed) : allowed.front();
    };
    return d;
  }

  const Key& key_;
  std::vector<KindOfForm> kinds_;
  std::vector<BoundDecision> decisions_;
};

}  // namespace

std::unique_ptr<Kind> by_form(const Key& key, std::vector<KindOfForm> kinds) {
  return std::make_unique<ByForm>(key, std::move(kinds));
}

}  // namespace lift
