#include "tuning/search/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "patterns/box_problem.hpp"

namespace lift {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

double rounded(double x, int digits = 5) {
  return x > 0 ? *read_number<double>(fmt::format("{:.{}g}", x, digits)) : x;
}

Json json_of_problem(const Problem& p) {
  Json json{{"box", p.box},       {"boxes", p.boxes},     {"ghost", p.ghost},
            {"sweeps", p.sweeps}, {"type", text(p.type)}, {"boundary", p.boundary}};
  if (!p.sides.empty()) json["sides"] = p.sides;
  json["choices"] = Json::object();
  for (const auto& [name, value] : p.choices) json["choices"][name] = value;
  return json;
}

Problem problem_in(const Json& json) {
  Problem p;
  p.box = json.at("box"), p.boxes = json.at("boxes"), p.ghost = json.at("ghost"),
  p.sweeps = json.at("sweeps");
  if (json.contains("sides")) p.sides = json.at("sides").get<std::vector<std::int64_t>>();
  p.type = json.at("type") == "f32" ? f32 : f64, p.boundary = json.at("boundary");
  for (const auto& [name, value] : json.at("choices").items()) p.choices[name] = value;
  return p;
}

Json json_of_decisions(const std::vector<Parameter>& decisions) {
  Json all = Json::array();
  for (const Parameter& p : decisions) {
    Json settings = Json::array();
    for (const Setting& s : p.values) settings.push_back(p.key->text(s));
    all.push_back({{"name", p.name()}, {"settings", settings}});
  }
  return all;
}

std::vector<Parameter> decisions_in(const Json& json) {
  std::vector<Parameter> all;
  for (const Json& decision : json) {
    const std::string name = decision.at("name");
    Parameter p{find_key(name), {}};
    if (p.key == nullptr) throw UserError("there is no decision '" + name + "' any more; record it again");
    for (const std::string text : decision.at("settings")) {
      auto s = p.key->read(text);
      if (!s)
        throw UserError("the decision '" + name + "' has no setting '" + text +
                        "' any more; record it again");
      p.values.push_back(std::move(*s));
    }
    if (p.values.empty()) throw UserError("the decision '" + name + "' has no settings");
    all.push_back(std::move(p));
  }
  return all;
}

/// Decisions that have their first setting are left out.
Json json_of_tried(const std::vector<Parameter>& decisions, const TriedConfiguration& t) {
  Json settings = Json::object();
  for (const Parameter& p : decisions)
    if (const Setting* s = t.configuration.find(*p.key); s != nullptr && *s != p.values.front())
      settings[p.name()] = p.key->text(*s);
  Json json{{"settings", settings}};
  if (t.same_as) json["same_as"] = *t.same_as;
  if (t.first_guess) json["first_guess"] = true;
  if (t.same_as) return json;
  json["status"] = t.status;
  if (t.ms > 0) json["ms"] = rounded(t.ms), json["relative"] = rounded(t.relative);
  if (!t.verified) json["verified"] = false;
  for (const double cost : t.costs) json["costs"].push_back(rounded(cost, 4));
  return json;
}

TriedConfiguration tried_in(const Json& json, const Recording& r) {
  TriedConfiguration t;
  const Json& settings = json.at("settings");
  for (const Parameter& p : r.decisions) {
    const auto given = settings.find(p.name());
    auto s = given == settings.end() ? p.values.front() : p.key->read(given->get<std::string>());
    if (!s || !contains(p.values, *s))
      throw UserError("the decision '" + p.name() + "' has no setting " + given->dump());
    t.configuration.set(*p.key, std::move(*s));
  }
  t.first_guess = json.value("first_guess", false);
  if (json.contains("same_as")) {
    t.same_as = json["same_as"].get<std::size_t>();
    if (*t.same_as >= r.tried.size() || r.tried[*t.same_as].same_as)
      throw UserError("same_as names no configuration before it that was compiled");
    return t;
  }
  t.status = json.at("status"), t.ms = json.value("ms", 0.0), t.relative = json.value("relative", 0.0);
  t.verified = json.value("verified", true);
  if (json.contains("costs")) t.costs = json["costs"].get<std::vector<double>>();
  if (!t.costs.empty() && t.costs.size() != r.costs.size())
    throw UserError(fmt::format("it has {} costs, and the exploration {}", t.costs.size(), r.costs.size()));
  return t;
}

Json json_of_subject(const Recording& r) {
  Json json{{"liftgen_recording", kFormat}, {"program", r.program}};
  if (!r.file.empty()) json["file"] = r.file, json["sizes"] = r.sizes;
  json["problem"] = json_of_problem(r.problem);
  json["backend"] = r.backend, json["device"] = r.device, json["machine"] = r.machine;
  json["threads"] = r.threads, json["vector_bytes"] = r.vector_bytes;
  json["caller_layout_only"] = r.caller_layout_only;
  json["decisions"] = json_of_decisions(r.decisions);
  if (!r.costs.empty()) json["costs"] = r.costs;
  return json;
}

Recording subject_in(const Json& json) {
  if (json.at("liftgen_recording") != kFormat)
    throw UserError("it is of format " + json["liftgen_recording"].dump() +
                    ", which this version does not read");
  Recording r;
  r.program = json.at("program");
  r.file = json.value("file", "");
  if (json.contains("sizes")) r.sizes = json["sizes"].get<std::map<std::string, std::int64_t>>();
  r.problem = problem_in(json.at("problem"));
  r.backend = json.at("backend"), r.device = json.at("device"), r.machine = json.at("machine");
  r.threads = json.at("threads"), r.vector_bytes = json.at("vector_bytes");
  r.caller_layout_only = json.at("caller_layout_only");
  r.decisions = decisions_in(json.at("decisions"));
  if (json.contains("costs")) r.costs = json["costs"].get<std::vector<std::string>>();
  return r;
}

}  // namespace

std::string Recording::title() const {
  std::string s = program;
  for (const auto& [name, value] : problem.choices) s += " " + name + "=" + value;
  if (file.empty()) {
    s += fmt::format(" {} {} x {}", text(problem.type), problem.boxes,
                     box_size(problem, find_pattern(program).dimensions));
    if (problem.sweeps > 1) s += fmt::format(" x {} sweeps", problem.sweeps);
  }
  return s + " " + backend;
}

std::string text_of(const Recording& r) {
  const auto line = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  };
  std::string s = line(json_of_subject(r));
  for (const TriedConfiguration& t : r.tried) s += line(json_of_tried(r.decisions, t));
  return s;
}

std::vector<Recording> recordings_in(const std::string& text) {
  std::vector<Recording> all;
  std::istringstream in(text);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      const Json json = Json::parse(line);
      if (json.contains("liftgen_recording"))
        all.push_back(subject_in(json));
      else if (all.empty())
        throw UserError("it does not begin with what was explored");
      else
        all.back().tried.push_back(tried_in(json, all.back()));
    } catch (const UserError& error) {
      throw UserError(fmt::format("line {}: {}", number, error.what()));
    } catch (const Json::exception&) {
      throw UserError(
          fmt::format("line {}: it is nothing that liftgen explore --record has written", number));
    }
  }
  return all;
}

Recording merged(const std::vector<Recording>& all) {
  Recording r = all.at(0);
  std::map<Configuration, std::size_t> kernels;
  for (std::size_t i = 0; i < r.tried.size(); ++i) kernels[r.tried[i].configuration] = r.kernel_of(i);
  for (const Recording& other : all) {
    if (other.title() != r.title() || other.decisions.size() != r.decisions.size())
      throw UserError(other.title() + ": the others are of " + r.title());
    for (std::size_t i = 0; i < other.tried.size(); ++i) {
      const TriedConfiguration& t = other.tried[other.kernel_of(i)];
      const auto at = kernels.find(other.tried[i].configuration);
      if (at == kernels.end() || !t.is_timed()) continue;
      TriedConfiguration& kept = r.tried[at->second];
      if (kept.is_timed() && kept.ms <= t.ms) continue;
      kept.status = t.status, kept.ms = t.ms, kept.relative = t.relative, kept.verified = t.verified;
    }
  }
  // Times that nothing disturbed need no other kernel to be held against.
  double least = 0;
  for (const TriedConfiguration& t : r.tried)
    if (t.is_timed() && (least == 0 || t.ms < least)) least = t.ms;
  for (TriedConfiguration& t : r.tried)
    if (t.is_timed()) t.relative = t.ms / least;
  return r;
}

void Recorder::begin(Recording about) {
  about.file = file_, about.sizes = sizes_;
  all_.push_back(std::move(about));
}

std::size_t Recorder::add(TriedConfiguration tried) {
  all_.back().tried.push_back(std::move(tried));
  return all_.back().tried.size() - 1;
}

std::string Recorder::text() const {
  std::string s;
  for (const Recording& r : all_) s += text_of(r);
  return s;
}

RecordedSpace::RecordedSpace(const Recording& r) : recording_(&r) {
  for (std::size_t i = 0; i < r.tried.size(); ++i) {
    Node* at = &root_;
    for (const Parameter& p : r.decisions) {
      const Setting& s = *r.tried[i].configuration.find(*p.key);
      auto next = std::find_if(at->next.begin(), at->next.end(), [&](const auto& n) { return n.first == s; });
      if (next == at->next.end()) next = at->next.insert(next, {s, std::make_unique<Node>()});
      at = next->second.get();
    }
    at->index = i;
  }
  if (r.tried.empty()) throw UserError(r.title() + ": nothing was tried");
}

const RecordedSpace::Node* RecordedSpace::descend(const Configuration& c, std::size_t decisions) const {
  const Node* at = &root_;
  for (std::size_t i = 0; i < decisions; ++i) {
    const Setting* s = c.find(*parameters()[i].key);
    const auto next = std::find_if(at->next.begin(), at->next.end(),
                                   [&](const auto& n) { return s != nullptr && n.first == *s; });
    if (next == at->next.end())
      throw InternalError("a configuration that was not recorded: " + parameters()[i].name());
    at = next->second.get();
  }
  return at;
}

Settings RecordedSpace::allowed(const Configuration& chosen, const Key& decision) const {
  std::size_t before = 0;
  while (before < parameters().size() && parameters()[before].key->name != std::string_view(decision.name))
    ++before;
  if (before == parameters().size())
    throw UserError("no decision '" + std::string(decision.name) + "' was recorded");
  Settings r;
  for (const auto& next : descend(chosen, before)->next) r.push_back(next.first);
  return r;
}

std::vector<Configuration> RecordedSpace::seeds() const {
  std::vector<Configuration> r;
  for (const TriedConfiguration& t : recording_->tried)
    if (t.first_guess) r.push_back(t.configuration);
  return r;
}

std::size_t RecordedSpace::find(const Configuration& c) const {
  return descend(c, parameters().size())->index;
}

}  // namespace lift
