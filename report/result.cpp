#include "report/result.hpp"

#include <algorithm>
#include <cmath>

#include "ir/error.hpp"
#include "report/field.hpp"

namespace lift::report {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

/// Counts and sizes: whatever is written there, a number that fits.
int whole(const Field& f) { return static_cast<int>(std::clamp(f.number(), -1e9, 1e9)); }

std::map<std::string, std::string> scalars(const Field& f) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : f.entries()) all[name] = value.scalar();
  return all;
}

Peer peer(const Field& f, const std::string& baseline) {
  Peer p{f["name"].text(), f["what"].text(), f["status"].text(), f["ms"].number(), f["gbs"].number(), false};
  p.plain = f["baseline"].flag() || p.name == baseline;
  return p;
}

Variant variant(const Field& f) {
  return {f["name"].text(),         f["structure"].text(),     f["layout"].text(),
          f["status"].text(),       scalars(f["params"]),      f["ms"].number(),
          f["explored_s"].number(), f["explored_ms"].number(), f["final_round"].flag()};
}

std::optional<Best> best(const Field& f) {
  if (!f.known()) return std::nullopt;
  Best b{f["name"].text(),    f["layout"].text(),      f["source"].text(),     {},
         f["ms"].number(),    f["gbs"].number(),       f["roofline"].number(), f["speedup"].number(),
         f["error"].number(), f["convert_ms"].number()};
  for (const Field& step : f["derivation"].items()) b.derivation.push_back(step.text());
  return b;
}

Depth depth(const Field& f) {
  return {whole(f["sweeps"]),   f["ms"].number(),       f["speedup"].number(), f["roofline"].number(),
          f["memory"].number(), f["computed"].number(), f["name"].text(),      f["why_not"].text()};
}

std::optional<Explanation> explanation(const Field& f) {
  if (!f.known()) return std::nullopt;
  Explanation e{f["high"].text(), f["low"].text(), f["loops"].text(), f["code"].text(), {}};
  for (const Field& s : f["steps"].items())
    e.steps.push_back({s["step"].text(), s["prose"].text(), s["after"].text()});
  return e;
}

Machine machine(const Field& f) {
  Machine m;
  m.device = f["device"].text(), m.processor = f["processor"].text(), m.compiler = f["compiler"].text();
  m.simd = f["simd"].text(), m.threads = whole(f["threads"]), m.cores = whole(f["cores"]);
  m.triad_gbs = f["triad_gbs"].number(), m.triad_ordinary_gbs = f["triad_ordinary_gbs"].number();
  m.triad_streaming_gbs = f["triad_streaming_gbs"].number(), m.memory_bytes = f["memory_bytes"].number();
  for (const Field& c : f["caches"].items())
    m.caches.push_back({whole(c["level"]), whole(c["count"]), c["bytes"].number()});
  return m;
}

void read_problem(const Field& f, Result& r) {
  r.name = f["operator"].text(), r.file = f["file"].text(), r.backend = f["backend"].text();
  r.type = f["type"].text(), r.reference = f["reference"].text(), r.boundary = f["boundary"].text();
  r.command = f["command"].text(), r.emit_command = f["emit_command"].text();
  r.choices = scalars(f["choices"]);
  for (const Field& side : f["sides"].items()) r.sides.push_back(side.number());
  r.box = f["box"].number(), r.boxes = f["boxes"].number(), r.ghost = f["ghost"].number();
  r.cells = f["cells"].number(), r.bytes_per_cell = f["bytes_per_cell"].number();
  r.flops_per_cell = f["flops_per_cell"].number(), r.sweeps = std::max(1, whole(f["sweeps"]));
}

Result read(const Field& f) {
  if (f["schema"].number() != 1 || f["operator"].text().empty() || !f["variants"].known())
    throw UserError(
        "it is no result that liftgen explore --json has written: no schema 1, operator and "
        "variants are in it");
  Result r;
  read_problem(f, r);
  r.machine = machine(f["machine"]);
  r.emulated = f["emulated"].flag(), r.interrupted = f["interrupted"].flag();
  r.twin_name = f["twin"]["name"].text(), r.twin_ms = f["twin"]["ms"].number();
  r.twin_gbs = f["twin"]["gbs"].number();
  r.baseline_ms = f["baseline"]["ms"].number(), r.baseline_what = f["baseline"]["what"].text();
  r.best = best(f["best"]), r.best_caller = best(f["best_caller"]);
  for (const auto& [name, count] : f["counts"].entries()) r.counts[name] = count.number();
  r.total_s = f["spent"]["total_s"].number();
  for (const Field& p : f["rivals"].items()) r.peers.push_back(peer(p, f["baseline"]["name"].text()));
  for (const Field& v : f["variants"].items()) r.variants.push_back(variant(v));
  r.depths_boxes = f["depths"]["boxes"].number();
  for (const Field& d : f["depths"]["tried"].items()) r.depths.push_back(depth(d));
  r.explanation = explanation(f["explanation"]);
  return r;
}

}  // namespace

Result read_result(const std::string& json) {
  if (json.size() > kMostBytes) throw UserError("it is larger than any result of liftgen");
  const Field::Json parsed = Field::Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) throw UserError("it is no JSON, as liftgen explore --json writes it");
  return read({&parsed, ""});
}

}  // namespace lift::report
