// Decisions: what a variant of a program is decided by. A decision is a file: its key, the settings that the
// facts offer, which of them agree with the choices made before it, the steps that take it, and its words for
// people. It is one for all loops that have it, whatever these are around.
#pragma once

#include <functional>

#include "rewrite/space/keys.hpp"
#include "rewrite/space/loops.hpp"

namespace lift {

/// A decision that is on or off for --grid.
struct SwitchWords {
  const char* title = nullptr;   ///< nullptr: it is no such
  const char* absent = nullptr;  ///< why a program has nothing to decide here
};

struct Decision {
  const Key* key = nullptr;
  std::function<Settings(const NestFacts&)> settings;  ///< all, the plain one first
  /// Whether a setting agrees with the choices before; empty: each does.
  std::function<bool(const NestFacts&, const Configuration&, const Setting&)> admits;
  /// Which settings agree with the choices before, where that is easier said of all together; those of them
  /// that are offered do. Empty: see `admits`.
  std::function<Settings(const NestFacts&, const Configuration&)> among;
  /// What to set where nothing is wished for; empty: the first that is allowed.
  std::function<Setting(const NestFacts&, const Configuration&, const Settings& allowed)> suits;
  /// The steps, at a place that the derivation says.
  std::function<void(NestDeriver&, const NestFacts&, const Configuration&, const Place&)> take;
  /// The decision in words, without numbers: configurations of the same words differ only in numbers.
  std::function<std::string(const NestFacts&, const Configuration&)> words;
  /// False: the plain setting is never worse; others are there to be compared with it. Empty: true.
  std::function<bool(const NestFacts&)> searched;
  /// Where stages may be stored, that form of the program is asked for settings, too.
  bool about_stages = false;
  SwitchWords switched;
};

/// Fills in a decision in terms of the type T of its settings.
template <class T>
struct Deciding : Decision {
  explicit Deciding(const KeyOf<T>& k) { this->key = &k; }
  Deciding& offers(std::function<std::vector<T>(const NestFacts&)> all) {
    this->settings = [all = std::move(all)](const NestFacts& f) {
      Settings r;
      for (const auto& value : all(f)) r.push_back(setting_of<T>(value));
      return r;
    };
    return *this;
  }
  Deciding& admitted(std::function<bool(const NestFacts&, const Configuration&, const T&)> p) {
    this->admits = [p = std::move(p)](const NestFacts& f, const Configuration& c, const Setting& s) {
      return p(f, c, value_of<T>(s));
    };
    return *this;
  }
  /// Instead of `admitted`; none: the setting of nothing, T{}, is.
  Deciding& chosen_among(std::function<std::vector<T>(const NestFacts&, const Configuration&)> some) {
    this->among = [some = std::move(some)](const NestFacts& f, const Configuration& c) {
      Settings r;
      for (T& value : some(f, c)) r.push_back(setting_of(std::move(value)));
      if (r.empty()) r.push_back(setting_of(T{}));
      return r;
    };
    return *this;
  }
  Deciding& taken(
      const std::function<void(NestDeriver&, const NestFacts&, const Configuration&, const Place&)>& steps) {
    this->take = steps;
    return *this;
  }
  /// By one step where the setting is not the plain one, whose argument is a number that is set.
  Deciding& taken_by(const char* rule) {
    return taken(
        [key = this->key, rule](NestDeriver& d, const NestFacts&, const Configuration& c, const Place& at) {
          const Setting* s = c.find(*key);
          if (s == nullptr || is_plain(*key, *s)) return;
          Arguments arguments;
          if (const auto* number = std::get_if<std::int64_t>(s)) arguments.emplace_back(*number);
          d.step(rule, arguments, at);
        });
  }
  Deciding& said(const std::function<std::string(const NestFacts&, const Configuration&)>& w) {
    this->words = w;
    return *this;
  }
  /// Said where the setting is not the plain one.
  Deciding& said(const char* w) {
    return said([key = this->key, w](const NestFacts&, const Configuration& c) -> std::string {
      const Setting* s = c.find(*key);
      return s != nullptr && !is_plain(*key, *s) ? w : "";
    });
  }
  Deciding& suited(const std::function<Setting(const NestFacts&, const Configuration&, const Settings&)>& s) {
    this->suits = s;
    return *this;
  }
  Deciding& for_comparison_if(std::function<bool(const NestFacts&)> never_worse) {
    this->searched = [p = std::move(never_worse)](const NestFacts& f) { return !p(f); };
    return *this;
  }
  Deciding& of_stored_stages_too() {
    this->about_stages = true;
    return *this;
  }
  Deciding& is_switch(const char* title, const char* absent) {
    this->switched = {title, absent};
    return *this;
  }
};
template <class T>
Deciding<T> decide(const KeyOf<T>& key) {
  return Deciding<T>(key);
}

/// Takes a decision, where it has steps.
inline void take(const Decision& decision, NestDeriver& d, const NestFacts& f, const Configuration& c,
                 const Place& place = {}) {
  if (decision.take) decision.take(d, f, c, place);
}

inline void take(std::initializer_list<const Decision*> decisions, NestDeriver& d, const NestFacts& f,
                 const Configuration& c, const Place& place = {}) {
  for (const Decision* x : decisions) take(*x, d, f, c, place);
}

/// The settings, of all that are offered, that agree with the choices before.
Settings allowed(const Decision& d, const Settings& all, const NestFacts& f, const Configuration& c);

/// A decision about one program.
struct BoundDecision {
  const Key* key = nullptr;
  Settings settings;
  std::function<Settings(const Configuration&)> allowed;  ///< that agree with the choices before
  std::function<Setting(const Configuration&, const Settings& allowed)> suits;
  bool searched = true;
};

}  // namespace lift
