#include "tuning/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/number_text.hpp"
#include "tuning/cost/cost_model.hpp"

namespace lift {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
/// Times and ratios that were not measured are 0 in the result, and null in JSON.
Json measured(double value) { return value > 0 ? number(value) : Json(nullptr); }

Json params(const Configuration& c) {
  Json json = Json::object();
  for (const auto& entry : c) {
    const std::string value = entry.text();
    const auto n = read_number<long>(value);
    json[entry.name()] = n ? Json(*n) : Json(value);
  }
  return json;
}

std::string layout_text(const Variant& v) { return v.layout.empty() ? "caller" : v.layout; }

Json steps_of(const Variant& v) {
  Json steps = Json::array();
  for (const Step& step : v.derivation) steps.push_back(str(step));
  return steps;
}

Json full_variant(const Variant& v, const std::string& source) {
  return {{"name", v.name},
          {"structure", v.structure},
          {"params", params(v.params)},
          {"derivation", steps_of(v)},
          {"ms", measured(v.ms)},
          {"gbs", measured(v.gbs)},
          {"roofline", measured(v.roofline)},
          {"speedup", measured(v.speedup)},
          {"error", number(v.error)},
          {"verified", v.verified},
          {"source", source},
          {"sweeps", v.sweeps},
          {"layout", layout_text(v)},
          {"convert_ms", number(v.convert_ms)}};
}

Json short_variant(const Variant& v) {
  Json json{{"name", v.name},           {"structure", v.structure},       {"params", params(v.params)},
            {"ms", measured(v.ms)},     {"status", text(v.status)},       {"layout", layout_text(v)},
            {"error", number(v.error)}, {"compile_s", v.compile_seconds}, {"prepare_ms", v.prepare_ms}};
  json["explored_s"] = measured(v.explored_s), json["explored_ms"] = measured(v.explored_ms);
  json["expected_ms"] = measured(v.expected_ms);
  json["final_round"] = v.final_round;
  json["derivation"] = steps_of(v);
  if (!v.message.empty()) json["message"] = v.message;
  return json;
}

Json rival(const Rival& r) {
  Json json{{"name", r.name},         {"what", r.what},           {"ms", measured(r.ms)},
            {"gbs", measured(r.gbs)}, {"status", text(r.status)}, {"error", number(r.error)}};
  json["baseline"] = r.baseline;
  if (r.tried > 0) json["tried"] = r.tried, json["tried_wrong"] = r.wrong;
  if (!r.settings.empty()) json["settings"] = r.settings;
  if (!r.message.empty()) json["message"] = r.message;
  return json;
}

Json baseline(const ExploreResult& r) {
  if (!r.baseline) return nullptr;
  const Rival& b = r.rivals[*r.baseline];
  return {{"ms", b.ms},
          {"gbs", b.gbs},
          {"name", b.name},
          {"what", "plain OpenMP loops (the faster of with and without omp simd), " + r.machine.compiler +
                       " -O3 -march=native"}};
}

Json counts(const Counts& n) {
  return {{"derivations", n.derivations},
          {"structures", n.structures},
          {"configurations", n.configurations},
          {"compiled", n.compiled},
          {"timed", n.timed},
          {"compile_failed", n.compile_failed},
          {"wrong", n.wrong},
          {"aborted", n.aborted},
          {"impossible", n.impossible},
          {"crashed", n.crashed},
          {"hung", n.hung},
          {"too_few_items", n.too_few_items}};
}

Json spent(const Spent& s) {
  return {{"total_s", s.total},         {"setup_s", s.setup},         {"preparing_s", s.preparing},
          {"compiling_s", s.compiling}, {"verifying_s", s.verifying}, {"measuring_s", s.measuring}};
}

Json machine(const ExploreResult& r) {
  const Machine& m = r.machine;
  Json json{{"threads", r.threads},
            {"triad_gbs", measured(m.triad_gbs)},
            {"device", r.device},
            {"compiler", m.compiler},
            {"simd", m.simd},
            {"processor", m.device},
            {"cores", m.cores},
            {"memory_bytes", m.memory_bytes},
            {"triad_ordinary_gbs", measured(m.triad_ordinary_gbs)},
            {"triad_streaming_gbs", measured(m.triad_streaming_gbs)},
            {"caches", Json::array()}};
  for (const CacheLevel& c : m.caches)
    json["caches"].push_back(
        {{"level", c.level}, {"bytes", c.bytes}, {"shared_by", c.shared_by}, {"count", c.count}});
  return json;
}

Json depths(const Depths& all) {
  Json json{{"boxes", all.boxes}, {"tried", Json::array()}};
  for (const Depth& d : all.tried) {
    Json one{{"sweeps", d.problem.sweeps}, {"memory", number(d.memory)}, {"computed", number(d.computed)}};
    if (d.result.best) {
      const Variant& v = d.result.variants[*d.result.best];
      one["ms"] = measured(v.ms), one["gbs"] = measured(v.gbs), one["speedup"] = measured(v.speedup);
      one["roofline"] = measured(v.roofline), one["name"] = v.name;
    }
    if (!d.why_not.empty()) one["why_not"] = d.why_not;
    json["tried"].push_back(std::move(one));
  }
  return json;
}

Json explanation(const Explanation& e) {
  Json json{{"high", e.high}, {"steps", Json::array()}, {"low", e.low}, {"loops", e.loops}, {"code", e.code}};
  for (const ExplainedStep& s : e.steps)
    json["steps"].push_back({{"step", s.step}, {"prose", s.prose}, {"after", s.after}});
  return json;
}

Json switches(const SwitchGrid& g) {
  Json json{{"switches", Json::array()}, {"combinations", Json::array()}};
  for (std::size_t s = 0; s < g.switches.size(); ++s) {
    const Switch& x = g.switches[s];
    const SwitchEffect& e = g.effects[s];
    json["switches"].push_back({{"name", x.name()},
                                {"off", x.off_text()},
                                {"on", x.on_text()},
                                {"title", x.title},
                                {"off_ms", measured(e.off_ms)},
                                {"on_ms", measured(e.on_ms)},
                                {"effect", measured(e.factor)},
                                {"least_effect", measured(e.least)},
                                {"most_effect", measured(e.most)},
                                {"pairs", e.pairs},
                                {"best_on_ms", measured(e.best_on)},
                                {"best_off_ms", measured(e.best_off)}});
  }
  json["not_available"] = Json::array();
  for (const MissingSwitch& m : g.missing)
    json["not_available"].push_back({{"name", m.name}, {"title", m.title}, {"why", m.why}});
  json["around"] = {
      {"params", params(g.around)}, {"structure", g.around_structure}, {"of_the_fastest", g.around_fastest}};
  for (const SwitchRun& r : g.runs) {
    Json run{{"on", Json::array()},
             {"params", params(r.params)},
             {"ms", measured(r.ms)},
             {"verified", r.verified}};
    for (std::size_t s = 0; s < g.switches.size(); ++s)
      if (r.on[s]) run["on"].push_back(g.switches[s].name());
    if (!r.note.empty()) run["note"] = r.note;
    json["combinations"].push_back(std::move(run));
  }
  return json;
}

}  // namespace

std::string json_report(const ExploreResult& r, const std::string& source_path, const ReportExtras& extras) {
  const auto variant = [&](const std::optional<std::size_t>& at) {
    if (!at) return Json(nullptr);
    return full_variant(r.variants[*at], at == r.best ? source_path : "");
  };
  Json json{{"schema", 1},
            {"operator", r.pattern},
            {"backend", text(r.target)},
            {"reference", r.reference},
            {"type", text(r.problem.type)},
            {"box", r.problem.box},
            {"boxes", r.problem.boxes},
            {"ghost", r.problem.ghost},
            {"sweeps", r.problem.sweeps},
            {"boundary", r.problem.boundary},
            {"choices", Json(r.problem.choices)},
            {"cells", r.traffic.cells},
            {"bytes_per_cell", r.traffic.bytes_per_cell()},
            {"flops_per_cell", r.traffic.flops_per_cell()},
            {"machine", machine(r)}};
  if (!r.problem.sides.empty()) json["sides"] = r.problem.sides;
  if (r.emulated) json["emulated"] = true;  // its times mean nothing
  json["twin"] =
      r.twin_ms > 0 ? Json{{"ms", r.twin_ms}, {"gbs", r.twin_gbs}, {"name", r.twin_name}} : Json(nullptr);
  json["baseline"] = baseline(r);
  json["best"] = variant(r.best);
  json["cache_flushed"] = r.cache_flushed;
  json["launch_ms"] = measured(r.launch_ms);
  json["best_caller"] = variant(r.best_caller);
  json["counts"] = counts(r.counts);
  json["interrupted"] = r.interrupted;
  if (!r.disturbed.empty()) json["disturbed"] = r.disturbed;
  if (!extras.file.empty()) json["file"] = extras.file;
  if (!extras.command.empty()) json["command"] = extras.command;
  if (!extras.emit_command.empty()) json["emit_command"] = extras.emit_command;
  if (extras.depths != nullptr) json["depths"] = depths(*extras.depths);
  if (extras.explanation != nullptr) json["explanation"] = explanation(*extras.explanation);
  if (!r.switches.empty()) json["grid"] = switches(r.switches);
  json["spent"] = spent(r.spent);
  json["cost_model"] = {{"rank_correlation", number(cost_model_correlation(r))}};
  json["rivals"] = Json::array();
  for (const Rival& other : r.rivals) json["rivals"].push_back(rival(other));
  json["variants"] = Json::array();
  for (const Variant& v : r.variants) json["variants"].push_back(short_variant(v));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Configuration> configurations_in(const std::string& json_report, std::size_t most) {
  std::vector<Configuration> found;
  try {
    const Json report = Json::parse(json_report);
    for (const Json& variant : report.at("variants")) {
      if (found.size() == most || variant.at("status") != text(Status::ok)) continue;
      Configuration& c = found.emplace_back();
      for (const auto& [name, value] : variant.at("params").items()) {
        const Key* key = find_key(name);  // of a decision that another version had, nothing is taken over
        if (key == nullptr) continue;
        if (auto s = key->read(value.is_string() ? value.get<std::string>() : value.dump()))
          c.set(*key, std::move(*s));
      }
    }
  } catch (const Json::exception&) {
    throw UserError("it is no report that liftgen explore --json has written");
  }
  return found;
}

Kernel documented(Kernel kernel, const Program& program, const Derivation& derivation,
                  const std::string& command) {
  const auto add = [&](const std::string& title, const std::string& text) {
    kernel.header.push_back("");
    kernel.header.push_back(title);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) kernel.header.push_back("  " + line);
  };
  add("Expression:", pretty(program.body));
  std::string steps;
  for (const Step& s : derivation) steps += str(s) + "\n";
  add("Derivation" + (command.empty() ? "" : ", to be replayed by `" + command + "`") + ":", steps);
  add("That is:", prose(derivation));
  kernel.needs = preconditions(program);
  return kernel;
}

std::string about_times(const ExploreResult& r) {
  constexpr double kManyLaunches = 20;
  if (!r.best) return "";
  const Variant& best = r.variants[*r.best];
  std::string s;
  const auto add = [&](const std::string& sentence) { s += (s.empty() ? "" : "\n") + sentence; };
  if (!r.disturbed.empty())
    add("these times were taken beside other work, and are not remembered: " + r.disturbed +
        "; explore again when the machine is quiet");
  if (!r.no_host_compiler.empty())
    add("arrays in the caller's layout only, and no plain loops beside them: " + r.no_host_compiler);
  if (r.cache_flushed)
    add("the device's cache is flushed before each run, as the arrays fit into it or nearly");
  if (r.launch_ms > 0 && best.ms * best.sweeps < kManyLaunches * r.launch_ms)
    add(fmt::format("a kernel that does nothing takes {:.1f} us", 1e3 * r.launch_ms));
  return s;
}

double cost_model_correlation(const ExploreResult& r) {
  std::vector<double> expected, measured_ms;
  for (const Variant& v : r.variants)
    if (v.explored_ms > 0 && v.expected_ms > 0)
      expected.push_back(v.expected_ms), measured_ms.push_back(v.explored_ms);
  return rank_correlation(expected, measured_ms);
}

namespace {

/// Why variants could not be made, the most frequent reasons first: a line each. Numbers make no other
/// reason.
std::string reasons(const ExploreResult& r, std::size_t most) {
  std::map<std::string, std::pair<int, std::string>> counts;
  for (const Variant& v : r.variants) {
    if (v.status != Status::impossible) continue;
    std::string kind = v.message;
    std::erase_if(kind, is_digit);
    auto& [count, example] = counts[kind];
    if (count++ == 0) example = v.message.substr(0, v.message.find('\n'));
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [kind, entry] : counts) order.push_back(entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string s;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    s += fmt::format("\nimpossible, {} of {}: {}", order[i].first, r.counts.impossible, order[i].second);
  return s;
}

}  // namespace

std::string summary(const ExploreResult& r, bool verbose) {
  const Counts& n = r.counts;
  std::string s = fmt::format(
      "{} configurations, {} compiled, {} timed ({} of them given up early) of {} derivations, {} "
      "structures; "
      "{} wrong, {} did not compile, {} impossible; {:.1f} s",
      n.configurations, n.compiled, n.timed, n.aborted, n.derivations, n.structures, n.wrong,
      n.compile_failed, n.impossible, r.spent.total);
  constexpr std::size_t kReasons = 3;
  s += reasons(r, verbose ? r.variants.size() : kReasons);
  if (!verbose) return s;
  double prepare_ms = 0, compile_s = 0;
  int compiled = 0;
  for (const Variant& v : r.variants) {
    prepare_ms += v.prepare_ms, compile_s += v.compile_seconds;
    compiled += v.compile_seconds > 0;
  }
  const auto share = [&](double seconds) { return r.spent.total > 0 ? 100 * seconds / r.spent.total : 0; };
  s += fmt::format(
      "\ncompiling {:.1f} s ({:.0f} %), {:.2f} s a variant ({} of {} from the cache); measuring {:.1f} s "
      "({:.0f} %); "
      "interpreter {:.1f} s ({:.0f} %); setting up {:.1f} s; rewriting, lowering and printing {:.2f} s "
      "({:.1f} %), {:.1f} ms a variant",
      r.spent.compiling, share(r.spent.compiling), compiled > 0 ? compile_s / compiled : 0,
      n.compiled - compiled, n.compiled, r.spent.measuring, share(r.spent.measuring), r.spent.verifying,
      share(r.spent.verifying), r.spent.setup, r.spent.preparing, share(r.spent.preparing),
      r.variants.empty() ? 0 : prepare_ms / static_cast<double>(r.variants.size()));
  s += fmt::format("\ncost model: rank correlation {:.2f} with what was measured", cost_model_correlation(r));
  return s;
}

}  // namespace lift
