// Forms of a program, of which each is a program of its own, with decisions of its own: which one is a
// decision before all others.
#include <algorithm>

#include "rewrite/space/keys.hpp"
#include "rewrite/space/variants.hpp"

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

const BoundDecision* find(const Variants& variants, const Key& key) {
  for (const BoundDecision& d : variants.decisions())
    if (d.key == &key) return &d;
  return nullptr;
}

class ByForm : public Variants {
 public:
  ByForm(const Key& key, std::vector<VariantsOfForm> given) : key_(key) {
    std::vector<const Key*> keys;
    for (VariantsOfForm& x : given)
      if (merge_order(keys, x.variants->decisions())) forms_.push_back(std::move(x));
    decisions_.push_back(form());
    for (const Key* k : keys) decisions_.push_back(of_all(*k));
  }

  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override {
    const VariantsOfForm& form = at(c);
    const std::string s = form.variants->words(own(c));
    return form.words + (s.empty() || form.words.empty() ? "" : ", ") + s;
  }
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> r;
    for (const VariantsOfForm& x : forms_)
      for (Wishes w : x.variants->first_guesses()) w.set(key_, x.setting), r.push_back(std::move(w));
    return r;
  }
  Rewriting derive(const Configuration& c) const override { return at(c).variants->derive(own(c)); }

 private:
  const VariantsOfForm& at(const Configuration& c) const {
    const Setting* form = c.find(key_);
    return *std::find_if(forms_.begin(), forms_.end(), [&](const VariantsOfForm& x) {
      return x.setting == (form != nullptr ? *form : forms_.front().setting);
    });
  }
  /// What this form is told of a configuration.
  Configuration own(const Configuration& c) const {
    Configuration r;
    for (const auto& entry : c)
      if (find(*at(c).variants, *entry.key) != nullptr) r.set(*entry.key, entry.setting);
    return r;
  }

  BoundDecision form() const {
    BoundDecision d;
    d.key = &key_;
    for (const VariantsOfForm& x : forms_) d.settings.push_back(x.setting);
    d.allowed = [all = d.settings](const Configuration&) { return all; };
    d.suits = [](const Configuration&, const Settings& allowed) { return allowed.front(); };
    return d;
  }
  /// Where a form has no such decision, one setting is as good as another.
  BoundDecision of_all(const Key& key) const {
    std::vector<const BoundDecision*> all;
    for (const VariantsOfForm& x : forms_)
      if (const BoundDecision* own = find(*x.variants, key)) all.push_back(own);
    BoundDecision d = united(key, all);
    const Settings any{d.settings.front()};
    d.allowed = [this, &key, any](const Configuration& c) {
      const BoundDecision* now = find(*at(c).variants, key);
      return now != nullptr ? now->allowed(own(c)) : any;
    };
    d.suits = [this, &key](const Configuration& c, const Settings& allowed) {
      const BoundDecision* now = find(*at(c).variants, key);
      return now != nullptr ? now->suits(own(c), allowed) : allowed.front();
    };
    return d;
  }

  const Key& key_;
  std::vector<VariantsOfForm> forms_;
  std::vector<BoundDecision> decisions_;
};

}  // namespace

std::unique_ptr<Variants> by_form(const Key& key, std::vector<VariantsOfForm> forms) {
  return std::make_unique<ByForm>(key, std::move(forms));
}

}  // namespace lift
