#include "tuning/database/memory.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "tuning/database/platform.hpp"
#include "tuning/database/program_key.hpp"
#include "tuning/disturbance.hpp"

namespace lift {
namespace {

constexpr std::size_t kFirst = 3;  ///< configurations that an exploration begins with

Record record_of(const Occasion& occasion, const ProgramKey& key, const std::string& text, const Variant& v) {
  Record r;
  r.program = key, r.text = text;
  r.platform =
      platform_of(occasion.target, occasion.machine, occasion.threads, occasion.device, occasion.rules);
  r.caller_layout = v.layout.empty(), r.layout = v.layout;
  r.type = lift::text(occasion.problem.type), r.name = occasion.pattern.name, r.variant = v.name;
  for (const auto& entry : v.params) r.parameters += entry.name() + "=" + entry.text() + "\n";
  r.derivation = str(v.derivation);
  r.sweeps = v.sweeps, r.ms = v.ms, r.speedup = v.speedup, r.roofline = v.roofline;
  if (!is_possible(r.roofline, r.sweeps)) r.roofline = 0;  // of a few microseconds, which say nothing
  r.when =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  return r;
}

}  // namespace

std::vector<Record> records_of(const Occasion& occasion, const ExploreResult& result) {
  std::vector<Record> records;
  if (!result.best && !result.best_caller) return records;
  if (!result.disturbed.empty()) return records;
  std::string text;
  const ProgramKey key = program_key(occasion.pattern, occasion.problem, &text);
  if (result.best) records.push_back(record_of(occasion, key, text, result.variants[*result.best]));
  if (result.best_caller && result.best_caller != result.best)
    records.push_back(record_of(occasion, key, text, result.variants[*result.best_caller]));
  std::erase_if(records, [](const Record& r) { return !fault_of(r).empty(); });  // longer than is kept
  return records;
}

Configuration configuration_of(const Record& r) {
  Configuration c;
  std::istringstream lines(r.parameters);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const Key* key = find_key(line.substr(0, equals));
    if (key == nullptr) continue;
    if (auto setting = key->read(line.substr(equals + 1))) c.set(*key, std::move(*setting));
  }
  return c;
}

void DatabaseMemory::once(const Say& say, const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (say && said_.insert(line).second) say(line);
}

std::vector<Configuration> DatabaseMemory::known(const Occasion& occasion) {
  const std::vector<Found> all = known_in(
      file_, program_key(occasion.pattern, occasion.problem),
      platform_of(occasion.target, occasion.machine, occasion.threads, occasion.device, occasion.rules),
      occasion.caller_layout_only, [&](const std::string& line) { once(warn_, line); });
  std::vector<Configuration> configurations;
  for (const Found& f : all) {
    Configuration c = configuration_of(f.record);
    if (f.nearness == Nearness::exact) {
      const std::lock_guard lock(mutex_);
      told_.emplace_back(c, f.record.derivation);
    }
    if (c.empty() || std::find(configurations.begin(), configurations.end(), c) != configurations.end())
      continue;
    if (configurations.empty()) once(tell_, "begins with what is known: " + describe(f));
    configurations.push_back(std::move(c));
    if (configurations.size() == kFirst) break;
  }
  return configurations;
}

void DatabaseMemory::keep(const Occasion& occasion, const ExploreResult& result) try {
  const std::vector<Record> records = records_of(occasion, result);
  if (records.empty()) return;
  std::vector<std::string> measured;
  for (const Variant& v : result.variants)
    if (v.ms > 0 || v.status == Status::wrong || v.status == Status::crashed || v.status == Status::hung)
      measured.push_back(str(v.derivation));
  {  // What was tried, and came to another derivation or to none, claims times that it does not have.
    const std::lock_guard lock(mutex_);
    for (const auto& [configuration, derivation] : told_)
      if (configuration.empty() ||
          std::any_of(result.variants.begin(), result.variants.end(),
                      [&, &c = configuration](const Variant& v) { return v.params == c; }))
        measured.push_back(derivation);
  }
  Database database(file_, Database::Access::write);
  for (const Record& r : records) database.keep(r, measured);
} catch (const DatabaseError& error) {
  once(warn_, std::string(error.what()) + "; what was found is not remembered");
}

std::vector<Found> known_in(const std::filesystem::path& file, const ProgramKey& program,
                            const Platform& platform, bool caller_layout_only, const Say& say) {
  std::error_code error;
  if (file.empty() || !std::filesystem::exists(file, error)) return {};
  try {
    return look_up(Database(file, Database::Access::read), program, platform, caller_layout_only);
  } catch (const DatabaseError& what) {
    if (say) say(std::string(what.what()) + "; going on without it");
    return {};
  }
}

std::optional<Found> first_that_applies(const std::vector<Found>& all,
                                        const std::function<void(const Derivation&)>& attempt,
                                        const Say& say) {
  std::string left_out;
  std::optional<Found> taken;
  std::size_t others = 0;
  for (const Found& f : all) {
    try {
      attempt(parse_derivation(f.record.derivation));
      taken = f;
      break;
    } catch (const EnvironmentError&) {  // no fault of the derivation's
      throw;
    } catch (const std::exception& why) {
      const std::string what = why.what();
      if (left_out.empty())
        left_out = "what is known does not apply here and is left out: " + describe(f) + ": " +
                   what.substr(0, what.find('\n'));
      else
        ++others;
    }
  }
  if (others > 0) left_out += ", and " + std::to_string(others) + " more";
  if (!left_out.empty() && say) say(left_out);
  return taken;
}

}  // namespace lift
