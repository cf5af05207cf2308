// Checks of a space: each configuration gives a derivation that replays from its text and keeps the meaning.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "rewrite/space/space.hpp"
#include "tests/rewrite/fuzz.hpp"

namespace lift::test {

using Values = std::vector<std::string>;

inline SpaceOptions options(Target target = Target::openmp, int vector_bytes = 16) {
  SpaceOptions o;
  o.target = target, o.threads = 2, o.vector_bytes = vector_bytes;
  return o;
}
/// Values of all arguments; index params within their range.
inline std::map<std::string, Value> values_of(const Program& p, unsigned seed) {
  Gen gen(seed);
  std::map<std::string, Value> values;
  for (const Expr& a : p.arguments)
    values[param_name(a)] =
        a.attr().nats.empty() ? gen.value(a.type()) : Value{static_cast<std::int64_t>(seed % 2)};
  return values;
}

inline Configuration random_configuration(const Space& s, std::mt19937& random) {
  Configuration c;
  for (const Parameter& p : s.parameters()) {
    const Settings values = s.allowed(c, *p.key);
    for (const Setting& v : values) {
      CHECK(contains(p.values, v));
      CHECK(p.key->read(p.key->text(v)) == v);
    }
    c.set(*p.key, values[random() % values.size()]);
  }
  return c;
}

/// Derives, replays from text, and interprets both programs.
inline void check_configuration(const Space& s, const Configuration& c, const Value& expected,
                                const std::map<std::string, Value>& values) {
  const Derivation d = s.derive(c);
  const Derivation again = parse_derivation(str(d));
  CHECK(again == d);
  const Program q = replay(s.program(), again);
  CHECK(q.body.type() == s.program().body.type());
  CHECK_MESSAGE(identical(interpret(q.body, values), expected), str(d));
  for (const Step& step : d) CHECK_FALSE(prose(step).empty());
}

inline void check_space(const Program& p, const SpaceOptions& o, int random_ones, std::size_t seeds) {
  const Space s(p, o);
  const auto values = values_of(p, 1);
  const Value expected = interpret(p.body, values);
  CHECK(s.seeds().size() >= seeds);
  for (const Configuration& c : s.seeds()) check_configuration(s, c, expected, values);
  std::mt19937 random(7);
  for (int i = 0; i < random_ones; ++i)
    check_configuration(s, random_configuration(s, random), expected, values);
}

inline const Parameter* find(const Space& s, const std::string& name) {
  for (const Parameter& p : s.parameters())
    if (p.name() == name) return &p;
  return nullptr;
}
inline bool has(const Space& s, const std::string& name, const std::string& value) {
  const Parameter* p = find(s, name);
  return p && contains(p->values, p->key->read(value).value());
}
inline int count(const Derivation& d, const std::string& rule) {
  return static_cast<int>(std::count_if(d.begin(), d.end(), [&](const Step& s) { return s.rule == rule; }));
}

}  // namespace lift::test
