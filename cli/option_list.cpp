#include "cli/option_list.hpp"

#include <algorithm>

#include "cli/command_options.hpp"
#include "compare/peer.hpp"
#include "patterns/box_problem.hpp"
#include "patterns/operators.hpp"
#include "tuning/search/technique.hpp"

namespace lift::cli {
namespace {

constexpr Use kUses[] = {
    {"liftgen smooth3d --explore", "find the fastest variant of an operator here"},
    {"liftgen list [--markdown]", "the operators"},
    {"liftgen show OP --stage S",
     "an operator's expression (high), its low-level form (low), loops, or code"},
    {"liftgen emit OP --out DIR", "a kernel with a header and a caller, the best known, without exploring"},
    {"liftgen run OP", "one verified, timed run"},
    {"liftgen solve poisson --size N", "by multigrid: residuals, factors, times of each level"},
    {"liftgen compare OP", "beside plain loops and polyhedral compilers, in one run"},
    {"liftgen db list", "what exploring has found; also show, export, import, merge, prune"},
    {"liftgen report FILE -o P", "what explore --json has written, as a page to read and print"},
    {"liftgen rules [--lint]", "the rewrite rules"},
    {"liftgen machine", "what this machine is and how fast its memory"},
};

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const Target t : {Target::openmp, Target::opencl, Target::cuda}) names.emplace_back(text(t));
  names.emplace_back(kBestBackend);
  return names;
}

std::vector<std::string> search_names() {
  std::vector<std::string> names;
  for (const TechniqueRow& row : techniques()) names.emplace_back(row.name);
  return names;
}

}  // namespace

std::span<const Use> all_uses() { return kUses; }

std::vector<Entry> entries_of(const CLI::App& app) {
  std::vector<Entry> all;
  for (const CLI::Option* o : app.get_options()) {
    Entry e;
    e.positional = o->get_positional();
    if (e.positional) e.names.push_back(o->get_name(true));
    for (const std::string& n : o->get_snames()) e.names.push_back("-" + n);
    for (const std::string& n : o->get_lnames()) e.names.push_back("--" + n);
    e.takes_value = e.positional || o->get_items_expected_max() > 0;
    e.text = o->get_description(), e.initial = o->get_default_str();
    if (o->get_name() == "--help") e.text = "print this";
    all.push_back(std::move(e));
  }
  return all;
}
std::vector<Entry> entries_of(const std::string& command) {
  CLI::App app;
  Options o;
  Texts t;
  add_options(app, command, o, t, nullptr);
  return entries_of(app);
}

std::string with_initial(const Entry& e) {
  return e.text + (e.initial.empty() || e.initial == "\"\"" ? "" : " (" + e.initial + ")");
}

std::map<std::string, std::vector<std::string>> all_choices() {
  std::map<std::string, std::vector<std::string>> all;
  for (const auto& p : all_patterns())
    for (const auto& [name, values] : p->choices)
      for (const std::string& v : values)
        if (auto& known = all[name]; std::find(known.begin(), known.end(), v) == known.end())
          known.push_back(v);
  return all;
}

std::map<std::string, std::vector<std::string>> values_of_options() {
  std::map<std::string, std::vector<std::string>> all{{"--bc", boundary_names()},
                                                      {"--type", {"f32", "f64"}},
                                                      {"--backend", backend_names()},
                                                      {"--stage", {"high", "low", "loops", "code"}},
                                                      {"--sweeps", {"auto", "1", "2", "4", "8"}},
                                                      {"--search", search_names()},
                                                      {"--with", peer_names()}};
  for (auto& [name, values] : all_choices()) all["--" + name] = values;
  return all;
}

}  // namespace lift::cli
