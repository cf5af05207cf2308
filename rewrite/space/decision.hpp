// Decisions: what a variant of a program is decided by. A decision is a file: its key, the settings that the
// facts offer, which of them agree with the choices made before it, the steps that take it, and its words for
// people. It belongs to a kind of program (nests, columns, reductions), whose facts it is told.
#pragma once

#include <functional>

#include "rewrite/space/configuration.hpp"
#include "rewrite/space/deriver.hpp"

namespace lift {

/// A decision that is on or off for --grid.
struct SwitchWords {
  const char* title = nullptr;   ///< nullptr: it is no such
  const char* absent = nullptr;  ///< why a program has nothing to decide here
};

/// The deriver of a kind of program, by its facts.
template <class Facts>
struct DeriverFor {
  using type = Deriver;
};

template <class Facts>
struct Decision {
  using Deriving = typename DeriverFor<Facts>::type;

  const Key* key = nullptr;
  std::function<Settings(const Facts&)> settings;  ///< all, the plain one first
  /// Whether a setting agrees with the choices before; empty: each does.
  std::function<bool(const Facts&, const Configuration&, const Setting&)> admits;
  /// Which settings agree with the choices before, where that is easier said of all together; those of them
  /// that are offered do. Empty: see `admits`.
  std::function<Settings(const Facts&, const Configuration&)> among;
  /// What to set where nothing is wished for; empty: the first that is allowed.
  std::function<Setting(const Facts&, const Configuration&, const Settings& allowed)> suits;
  /// The steps, at a place that the derivation of the kind says.
  std::function<void(Deriving&, const Facts&, const Configuration&, const Place&)> take;
  /// The decision in words, without numbers: configurations of the same words differ only in numbers.
  std::function<std::string(const Facts&, const Configuration&)> words;
  /// False: the plain setting is never worse; others are there to be compared with it. Empty: true.
  std::function<bool(const Facts&)> searched;
  /// Where stages may be stored, that form of the program is asked for settings, too.
  bool about_stages = false;
  SwitchWords switched;
};

/// Fills in a decision in terms of the type T of its settings.
template <class Facts, class T>
struct Deciding : Decision<Facts> {
  using typename Decision<Facts>::Deriving;

  explicit Deciding(const KeyOf<T>& k) { this->key = &k; }
  Deciding& offers(std::function<std::vector<T>(const Facts&)> all) {
    this->settings = [all = std::move(all)](const Facts& f) {
      Settings r;
      for (const auto& value : all(f)) r.push_back(setting_of<T>(value));
      return r;
    };
    return *this;
  }
  Deciding& admitted(std::function<bool(const Facts&, const Configuration&, const T&)> p) {
    this->admits = [p = std::move(p)](const Facts& f, const Configuration& c, const Setting& s) {
      return p(f, c, value_of<T>(s));
    };
    return *this;
  }
  /// Instead of `admitted`; none: the setting of nothing, T{}, is.
  Deciding& chosen_among(std::function<std::vector<T>(const Facts&, const Configuration&)> some) {
    this->among = [some = std::move(some)](const Facts& f, const Configuration& c) {
      Settings r;
      for (T& value : some(f, c)) r.push_back(setting_of(std::move(value)));
      if (r.empty()) r.push_back(setting_of(T{}));
      return r;
    };
    return *this;
  }
  Deciding& taken(std::function<void(Deriving&, const Facts&, const Configuration&, const Place&)> steps) {
    this->take = std::move(steps);
    return *this;
  }
  Deciding& said(std::function<std::string(const Facts&, const Configuration&)> w) {
    this->words = std::move(w);
    return *this;
  }
  /// Said where the setting is not the plain one.
  Deciding& said(const char* w) {
    return said([key = this->key, w](const Facts&, const Configuration& c) -> std::string {
      const Setting* s = c.find(*key);
      return s != nullptr && !is_plain(*key, *s) ? w : "";
    });
  }
  Deciding& suited(std::function<Setting(const Facts&, const Configuration&, const Settings&)> s) {
    this->suits = std::move(s);
    return *this;
  }
  Deciding& for_comparison_if(std::function<bool(const Facts&)> never_worse) {
    this->searched = [p = std::move(never_worse)](const Facts& f) { return !p(f); };
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
template <class Facts, class T>
Deciding<Facts, T> decide(const KeyOf<T>& key) {
  return Deciding<Facts, T>(key);
}

/// Takes a decision, where it has steps.
template <class Facts, class F>
void take(const Decision<Facts>& decision, typename Decision<Facts>::Deriving& d, const F& f,
          const Configuration& c, const Place& place = {}) {
  if (decision.take) decision.take(d, f, c, place);
}

/// The settings, of all that are offered, that agree with the choices before.
template <class Facts>
Settings allowed(const Decision<Facts>& d, const Settings& all, const Facts& f, const Configuration& c) {
  Settings r;
  const Settings some = d.among ? d.among(f, c) : Settings{};
  for (const Setting& s : all)
    if (d.among ? contains(some, s) : !d.admits || d.admits(f, c, s)) r.push_back(s);
  return r;
}

/// A decision about one program.
struct BoundDecision {
  const Key* key = nullptr;
  Settings settings;
  std::function<Settings(const Configuration&)> allowed;  ///< that agree with the choices before
  std::function<Setting(const Configuration&, const Settings& allowed)> suits;
  std::function<std::string(const Configuration&)> words;
  bool searched = true;
};

}  // namespace lift
