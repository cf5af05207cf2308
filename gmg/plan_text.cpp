#include "gmg/plan_text.hpp"

#include <fmt/format.h>

#include <functional>
#include <sstream>

#include "gmg/named.hpp"
#include "ir/number_text.hpp"
#include "rewrite/engine/derivation.hpp"

namespace lift::gmg {
namespace {

// A choice as text and back, by its type.

std::string shown(int x) { return std::to_string(x); }
std::string shown(std::int64_t x) { return std::to_string(x); }
std::string shown(double x) { return fmt::format("{:.17g}", x); }
std::string shown(const std::string& x) { return x; }
std::string shown(bool x) { return x ? "yes" : "no"; }
std::string shown(const std::vector<Ratios>& all) {
  std::string s;
  for (const Ratios& r : all) s += fmt::format("{}{}", s.empty() ? "" : "/", fmt::join(r, ","));
  return s;
}
template <class E>
requires std::is_enum_v<E> std::string shown(E x) { return text(x); }

template <class T>
T number(const std::string& s) {
  const auto x = read_number<T>(s);
  if (!x) throw UserError("'" + s + "' is no number");
  return *x;
}
void read(const std::string& s, int& x) { x = number<int>(s); }
void read(const std::string& s, std::int64_t& x) { x = number<std::int64_t>(s); }
void read(const std::string& s, double& x) { x = number<double>(s); }
void read(const std::string& s, bool& x) {
  if (s != "yes" && s != "no") throw UserError("'" + s + "' is neither yes nor no");
  x = s == "yes";
}
void read(const std::string& s, std::string& x) { x = s; }
void read(const std::string& s, std::vector<Ratios>& all) {
  std::istringstream levels(s);
  for (std::string level; std::getline(levels, level, '/');) {
    all.emplace_back();
    std::istringstream axes(level);
    for (std::string axis; std::getline(axes, axis, ',');) all.back().push_back(number<int>(axis));
  }
}
void read(const std::string& s, CycleKind& x) { x = named("no such cycle; ", s, kCycles); }
void read(const std::string& s, Smoother& x) { x = named("no such smoother; ", s, kSmoothers); }
void read(const std::string& s, Bottom& x) { x = named("no such solver; ", s, kBottoms); }
void read(const std::string& s, Passes& x) { x = named("no such passes; ", s, kPasses); }
void read(const std::string& s, Corrections& x) {
  x = named("no such corrections; ", s,
            {Corrections::automatic, Corrections::whole, Corrections::least_energy});
}

/// f(name, member) for all choices.
void for_choices(const auto& f) {
  f("cycle", &Plan::cycle), f("steps", &Plan::steps), f("smoother", &Plan::smoother), f("down", &Plan::down),
      f("up", &Plan::up);
  f("weight", &Plan::weight), f("ratios", &Plan::ratios), f("bottom", &Plan::bottom);
  f("bottom_cells", &Plan::bottom_cells), f("bottom_sweeps", &Plan::bottom_sweeps);
  f("passes", &Plan::passes), f("corrections", &Plan::corrections), f("mixed", &Plan::mixed);
  f("inner", &Plan::inner), f("full_start", &Plan::full_start);
}

void read_choice(const std::string& name, const std::string& value, Plan& plan) {
  bool known = false;
  for_choices([&](const char* choice, auto member) {
    if (name == choice) read(value, plan.*member), known = true;
  });
  if (!known) throw UserError("there is no such choice");
}

void read_kernel(const std::string& head, std::istringstream& in, Plan& plan) {
  const std::vector<std::string> words = words_of(head);
  if (words.size() != 2) throw UserError("a kernel has a hash and a number of lines");
  std::string derivation;
  for (int n = number<int>(words[1]); n > 0; --n) {
    std::string line;
    if (!std::getline(in, line)) throw UserError("its derivation ends too early");
    derivation += line + "\n";
  }
  (void)parse_derivation(derivation);
  plan.kernels[words[0]] = derivation;
}

}  // namespace

std::string plan_text(const Plan& p) {
  std::string s;
  const Plan usual;
  for_choices([&](const char* name, auto member) {
    if (p.*member != usual.*member) s += std::string(name) + " " + shown(p.*member) + "\n";
  });
  for (const auto& [hash, derivation] : p.kernels)
    s += fmt::format("kernel {} {}\n{}", hash, std::count(derivation.begin(), derivation.end(), '\n'),
                     derivation);
  return s + "end\n";
}

Plan read_plan(const std::string& text) {
  Plan plan;
  std::istringstream in(text);
  std::string line;
  bool ends = false;
  while (!ends && std::getline(in, line)) try {
      const std::size_t space = std::min(line.find(' '), line.size());
      const std::string name = line.substr(0, space), value = line.substr(std::min(space + 1, line.size()));
      if (name == "end")
        ends = true;
      else if (name == "kernel")
        read_kernel(value, in, plan);
      else
        read_choice(name, value, plan);
    } catch (const UserError& e) {
      throw UserError("the line '" + line.substr(0, 80) + "' of a plan: " + e.what());
    }
  if (!ends) throw UserError("a plan without an end");
  check(plan);
  return plan;
}

Plan merged(const Plan& asked, const Plan& found) {
  Plan plan = found;
  const Plan usual;
  for_choices([&](const char*, auto member) {
    if (asked.*member != usual.*member) plan.*member = asked.*member;
  });
  for (const auto& [hash, derivation] : asked.kernels) plan.kernels[hash] = derivation;
  plan.tuned = asked.tuned, plan.database = asked.database, plan.bricks = asked.bricks,
  plan.plain = asked.plain;
  return plan;
}

}  // namespace lift::gmg
