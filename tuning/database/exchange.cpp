#include "tuning/database/exchange.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "ir/error.hpp"
#include "runtime/file.hpp"

namespace lift {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kMostRecords = 100000;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string s;
  for (const std::string& line : lines) s += line + "\n";
  return s;
}

Json json_of(const SolverRecord& r) {
  const Platform& p = r.platform;
  return {{"name", r.name},
          {"expression", r.expression},
          {"backend", p.backend},
          {"device", p.device},
          {"architecture", p.architecture},
          {"compiler", p.compiler},
          {"threads", p.threads},
          {"rules", p.rules},
          {"when", r.when},
          {"plan", lines_of(r.plan)}};
}

Json json_of(const Record& r) {
  const Platform& p = r.platform;
  return {{"name", r.name},
          {"expression", r.program.expression},
          {"sizes", r.program.sizes},
          {"size_names", r.program.size_names},
          {"type", r.type},
          {"backend", p.backend},
          {"device", p.device},
          {"architecture", p.architecture},
          {"compiler", p.compiler},
          {"threads", p.threads},
          {"rules", p.rules},
          {"caller_layout", r.caller_layout},
          {"layout", r.layout},
          {"sweeps", r.sweeps},
          {"ms", r.ms},
          {"speedup", r.speedup},
          {"roofline", r.roofline},
          {"when", r.when},
          {"variant", r.variant},
          {"parameters", lines_of(r.parameters)},
          {"derivation", lines_of(r.derivation)},
          {"program", lines_of(r.text)}};
}

/// A field of the type asked for; the messages of the JSON library speak of its own types.
template <class T>
T field(const Json& record, const char* name) {
  const auto at = record.find(name);
  if (at == record.end()) throw UserError(fmt::format("'{}' is missing", name));
  try {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (!at->is_number_integer() ||
          (at->is_number_unsigned() && at->template get<std::uint64_t>() >> 62 != 0))
        throw UserError(fmt::format("'{}' is no whole number", name));
    }
    return at->template get<T>();
  } catch (const Json::exception&) {
    throw UserError(fmt::format("'{}' is of another type", name));
  }
}

int small(std::int64_t n, const char* name) {
  if (n < 0 || n > 1 << 20) throw UserError(fmt::format("'{}' is no such number", name));
  return static_cast<int>(n);
}

Platform platform_of(const Json& json) {
  const auto text = [&](const char* name) { return field<std::string>(json, name); };
  Platform p;
  p.backend = text("backend"), p.device = text("device"), p.architecture = text("architecture"),
  p.compiler = text("compiler"), p.rules = text("rules");
  p.threads = small(field<std::int64_t>(json, "threads"), "threads");
  return p;
}

SolverRecord solver_of(const Json& json) {
  if (!json.is_object()) throw UserError("it is no object");
  SolverRecord r;
  r.name = field<std::string>(json, "name"), r.expression = field<std::string>(json, "expression");
  r.platform = platform_of(json), r.when = field<std::int64_t>(json, "when");
  r.plan = text_of(field<std::vector<std::string>>(json, "plan"));
  if (const std::string fault = fault_of(r); !fault.empty()) throw UserError(fault);
  return r;
}

Record record_of(const Json& json) {
  if (!json.is_object()) throw UserError("it is no object");
  const auto text = [&](const char* name) { return field<std::string>(json, name); };
  const auto lines = [&](const char* name) { return text_of(field<std::vector<std::string>>(json, name)); };
  Record r;
  r.name = text("name"), r.program.expression = text("expression");
  const Json sizes = field<Json>(json, "sizes");
  if (!sizes.is_array()) throw UserError("'sizes' is of another type");
  for (const Json& n : sizes) r.program.sizes.push_back(field<std::int64_t>(Json{{"sizes", n}}, "sizes"));
  r.program.size_names = field<std::vector<std::string>>(json, "size_names");
  r.type = text("type");
  r.platform = platform_of(json);
  r.caller_layout = field<bool>(json, "caller_layout"), r.layout = text("layout");
  r.sweeps = small(field<std::int64_t>(json, "sweeps"), "sweeps");
  r.ms = field<double>(json, "ms"), r.speedup = field<double>(json, "speedup"),
  r.roofline = field<double>(json, "roofline"), r.when = field<std::int64_t>(json, "when");
  r.variant = text("variant"), r.parameters = lines("parameters"), r.derivation = lines("derivation"),
  r.text = lines("program");
  if (const std::string fault = fault_of(r); !fault.empty()) throw UserError(fault);
  return r;
}

/// A document that we have written, or another version like this one.
Json document(const std::string& text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    throw UserError("it is no JSON: " + std::string(error.what()).substr(0, 200));
  }
  if (!json.is_object() || !json.contains("liftgen_database") || !json.contains("records") ||
      !json["records"].is_array())
    throw UserError("it is nothing that `liftgen db export` has written");
  if (json["liftgen_database"] != kFormat)
    throw UserError(
        "it is of another version than this liftgen reads; export it with a liftgen like this one");
  return json;
}

/// All of a list, by `read`.
template <class R>
std::vector<R> all_of(const Json& list, const char* what, R (*read)(const Json&)) {
  if (!list.is_array()) throw UserError("it is nothing that `liftgen db export` has written");
  if (list.size() > kMostRecords) throw UserError(fmt::format("it has more than {} records", kMostRecords));
  std::vector<R> all;
  for (const Json& each : list) try {
      all.push_back(read(each));
    } catch (const UserError& error) {
      throw UserError(fmt::format("{} {}: {}", what, all.size() + 1, error.what()));
    }
  return all;
}

}  // namespace

std::string export_records(const std::vector<Record>& records, const std::vector<SolverRecord>& solvers) {
  Json json{{"liftgen_database", kFormat}, {"records", Json::array()}};
  for (const Record& r : records) json["records"].push_back(json_of(r));
  for (const SolverRecord& r : solvers) json["solvers"].push_back(json_of(r));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<Record> import_records(const std::string& text) {
  return all_of(document(text)["records"], "record", record_of);
}

std::vector<SolverRecord> import_solvers(const std::string& text) {
  const Json json = document(text);
  return json.contains("solvers") ? all_of(json["solvers"], "solver", solver_of)
                                  : std::vector<SolverRecord>{};
}

std::string read_exchange_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw UserError("cannot read " + path.string() + ": it is no file");
  if (const auto bytes = std::filesystem::file_size(path, error); !error && bytes > kMostBytes)
    throw UserError(fmt::format("cannot read {}: it is larger than {} MiB", path.string(), kMostBytes >> 20));
  return read_file(path);
}

}  // namespace lift
