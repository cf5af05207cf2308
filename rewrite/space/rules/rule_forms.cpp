// Rules of one's own as decisions: each makes other programs of one, and every one of these has the decisions
// of its own, which come later.
#include <algorithm>
#include <range/v3/view/zip.hpp>

#include "ir/error.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/rule_keys.hpp"
#include "rewrite/space/variants.hpp"

namespace lift {
namespace {

constexpr std::size_t kPlaces = 4;     ///< of a rule that are tried by themselves
constexpr std::size_t kPrograms = 48;  ///< that rules make of one

/// What a rule makes of a program.
struct Form {
  Choice setting;
  std::string words;
  Rewriting made;
};

/// Every place of an expression, what lies inside before what is around it.
void visit_places(const Expr& e, Place& at, const std::function<void(const Place&)>& f) {
  for (std::size_t i = 0; i < e.children().size(); ++i) {
    at.push_back(static_cast<int>(i));
    visit_places(e.child(i), at, f);
    at.pop_back();
  }
  f(at);
}

std::optional<Program> applied(const Rule& r, const Program& p, const Place& place, const Arguments& a) {
  auto after = apply(r, p, place, a);
  if (!after || after->body == p.body) return std::nullopt;
  return *after;
}

/// Where a rule applies, innermost first.
std::vector<Place> places_of(const Rule& r, const Program& p, const Arguments& a) {
  if (r.on_program) return applied(r, p, {}, a) ? std::vector<Place>{{}} : std::vector<Place>{};
  std::vector<Place> all;
  Place at;
  visit_places(p.body, at, [&](const Place& place) {
    if (applied(r, p, place, a)) all.push_back(place);
  });
  return all;
}

Rewriting at_place(const Rule& r, const Rewriting& start, const Place& place, const Arguments& a) {
  Rewriting next = start;
  next.program = *applied(r, start.program, place, a);
  next.steps.push_back({r.name, a, place});
  return next;
}

/// At every place, innermost first, and again as long as the places become fewer: a rule may apply to what it
/// has made itself.
Rewriting everywhere(const Rule& r, Rewriting now, const Arguments& a) {
  std::size_t before = static_cast<std::size_t>(-1);
  for (std::vector<Place> places = places_of(r, now.program, a); !places.empty() && places.size() < before;
       places = places_of(r, now.program, a)) {
    before = places.size();
    for (const Place& place : places) {  // those around it stay where they are
      try {
        if (!applied(r, now.program, place, a)) continue;
      } catch (const UserError&) {  // the place is gone
        continue;
      }
      now = at_place(r, now, place, a);
    }
  }
  return now;
}

/// All choices of a rule's parameters.
std::vector<Arguments> arguments_of(const Rule& r) {
  std::vector<Arguments> all{{}};
  for (const RuleParameter& p : r.parameters) {
    std::vector<Arguments> longer;
    for (const Arguments& a : all)
      for (const std::int64_t n : p.choices) {
        longer.push_back(a);
        longer.back().emplace_back(n);
      }
    all = std::move(longer);
  }
  return all;
}

std::vector<Form> forms_of(const Rule& r, const Rewriting& start, bool by_place) {
  std::vector<Form> forms{{Choice{static_cast<int>(RuleUse::nowhere), {}}, "", start}};
  const auto add = [&](RuleUse use, std::vector<std::int64_t> numbers, std::string words, Rewriting made) {
    for (const Form& f : forms)
      if (f.made.program.body == made.program.body) return;
    forms.push_back({Choice{static_cast<int>(use), std::move(numbers)}, std::move(words), std::move(made)});
  };
  for (const Arguments& a : arguments_of(r)) {
    const std::vector<Place> places = places_of(r, start.program, a);
    if (places.empty()) continue;
    std::vector<std::int64_t> numbers;
    std::string words = r.name;
    for (const Argument& n : a) numbers.push_back(n.number()), words += " " + n.str();
    add(RuleUse::everywhere, numbers, words, everywhere(r, start, a));
    if (!by_place || places.size() == 1) continue;
    for (std::size_t i = 0; i < std::min(places.size(), kPlaces); ++i) {
      std::vector<std::int64_t> here = numbers;
      here.insert(here.begin(), static_cast<std::int64_t>(i + 1));
      add(RuleUse::at, here, words + " at " + std::to_string(i + 1), at_place(r, start, places[i], a));
    }
  }
  return forms;
}

/// The variants of another one, as they are but for what is said otherwise.
class Wrapped : public Variants {
 public:
  explicit Wrapped(std::unique_ptr<Variants> variants) : variants_(std::move(variants)) {}
  const std::vector<BoundDecision>& decisions() const override { return variants_->decisions(); }
  std::string words(const Configuration& c) const override { return variants_->words(c); }
  std::vector<Wishes> first_guesses() const override { return variants_->first_guesses(); }
  Rewriting derive(const Configuration& c) const override { return variants_->derive(c); }

 private:
  std::unique_ptr<Variants> variants_;
};

/// Of what steps have made of a program: their derivations begin with these.
class After : public Wrapped {
 public:
  After(Derivation steps, std::unique_ptr<Variants> variants)
      : Wrapped(std::move(variants)), steps_(std::move(steps)) {}
  Rewriting derive(const Configuration& c) const override {
    Rewriting r = Wrapped::derive(c);
    r.steps.insert(r.steps.begin(), steps_.begin(), steps_.end());
    return r;
  }

 private:
  Derivation steps_;
};

/// The guesses of its programs in turns: a budget that is short has seen a few of each.
class InTurns : public Wrapped {
 public:
  InTurns(const Key& key, std::unique_ptr<Variants> variants) : Wrapped(std::move(variants)), key_(key) {}
  std::vector<Wishes> first_guesses() const override {
    std::vector<std::pair<Setting, std::vector<Wishes>>> groups;
    for (Wishes& w : Wrapped::first_guesses()) {
      const Setting& s = *w.find(key_);
      auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == s; });
      if (at == groups.end()) at = groups.insert(groups.end(), {s, {}});
      at->second.push_back(std::move(w));
    }
    std::vector<Wishes> all;
    for (std::size_t i = 0, added = 1; added > 0; ++i) {
      added = 0;
      for (auto& group : groups)
        if (i < group.second.size()) all.push_back(std::move(group.second[i])), ++added;
    }
    return all;
  }

 private:
  const Key& key_;
};

/// Variants whose decisions are told from those of the program without the rule, by their names.
class Under : public Variants {
 public:
  Under(const std::string& rule, std::unique_ptr<Variants> variants) : variants_(std::move(variants)) {
    for (const BoundDecision& own : variants_->decisions()) {
      keys_.push_back(is_of_whole(*own.key) ? own.key : &key_under_rule(*own.key, rule));
      BoundDecision d = own;
      d.key = keys_.back();
      d.allowed = [this, &own](const Configuration& c) { return own.allowed(told(c)); };
      d.suits = [this, &own](const Configuration& c, const Settings& allowed) {
        return own.suits(told(c), allowed);
      };
      decisions_.push_back(std::move(d));
    }
  }
  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override { return variants_->words(told(c)); }
  Rewriting derive(const Configuration& c) const override { return variants_->derive(told(c)); }
  std::vector<Wishes> first_guesses() const override {
    std::vector<Wishes> all;
    for (const Wishes& own : variants_->first_guesses()) {
      Wishes& w = all.emplace_back();
      for (const auto& [key, decision] : ranges::views::zip(keys_, variants_->decisions()))
        if (const Setting* s = own.find(*decision.key)) w.set(*key, *s);
    }
    return all;
  }

 private:
  /// Asked for of any program, and in the same order in all.
  static bool is_of_whole(const Key& k) {
    return k.name == std::string_view(key::layout.name) || k.name == std::string_view(key::in_place.name);
  }
  Configuration told(const Configuration& c) const {
    Configuration own;
    for (const auto& [key, decision] : ranges::views::zip(keys_, variants_->decisions()))
      if (const Setting* s = c.find(*key)) own.set(*decision.key, *s);
    return own;
  }

  std::unique_ptr<Variants> variants_;
  std::vector<const Key*> keys_;  ///< in the order of its decisions
  std::vector<BoundDecision> decisions_;
};

class Maker {
 public:
  Maker(const SpaceOptions& options, const MakeVariants& make) : options_(options), make_(make) {}

  std::unique_ptr<Variants> made(const Program& program) {
    for (const bool by_place : {true, false}) {
      programs_ = 0, by_place_ = by_place;
      count({program, {}}, 0);
      if (programs_ <= kPrograms) return of({program, {}}, 0);
    }
    throw UserError(program.name + ": the rules make more than " + std::to_string(kPrograms) +
                    " programs of it; give fewer rules at a time, or fewer values of their parameters");
  }

 private:
  const Rule& rule(std::size_t i) const { return (*options_.rules)[i]; }

  void count(const Rewriting& start, std::size_t i) {
    if (programs_ > kPrograms) return;
    if (i == options_.rules->size())
      ++programs_;
    else
      for (const Form& f : forms_of(rule(i), start, by_place_)) count(f.made, i + 1);
  }

  std::unique_ptr<Variants> of(const Rewriting& start, std::size_t i) {
    if (i == options_.rules->size())
      return std::make_unique<After>(start.steps, make_(start.program, options_));
    std::vector<VariantsOfForm> forms;
    std::vector<const Key*> order;
    for (Form& f : forms_of(rule(i), start, by_place_)) {
      std::unique_ptr<Variants> variants;
      try {
        variants = of(f.made, i + 1);
      } catch (const UserError&) {  // no loops can be decided about
        if (forms.empty()) throw;
        continue;
      }
      if (!merge_order(order, variants->decisions())) {
        variants = std::make_unique<Under>(rule(i).name, std::move(variants));
        merge_order(order, variants->decisions());
      }
      forms.push_back({f.setting, std::move(f.words), std::move(variants)});
    }
    if (forms.size() == 1) return std::move(forms.front().variants);
    const Key& key = key_of_rule(rule(i).name);
    return std::make_unique<InTurns>(key, by_form(key, std::move(forms)));
  }

  const SpaceOptions& options_;
  const MakeVariants& make_;
  bool by_place_ = true;
  std::size_t programs_ = 0;
};

}  // namespace

std::unique_ptr<Variants> variants_by_rules(const Program& program, const SpaceOptions& options,
                                            const MakeVariants& make) {
  return Maker(options, make).made(program);
}

}  // namespace lift
