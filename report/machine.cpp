// Where this was measured, and how to do it again.
#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {
namespace {

std::string bytes_text(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"KiB", "MiB", "GiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024, unit = larger;
  }
  return fmt::format("{:.4g} {}", bytes, unit);
}

struct Entries {
  std::string html;
  void add(const std::string& name, const std::string& value) {
    if (!value.empty()) html += "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
  }
  void add_gbs(const std::string& name, double gbs) {
    if (gbs > 0) add(name, fmt::format("{:.1f} GB/s", gbs));
  }
};

std::string caches(const Machine& m) {
  std::string text;
  for (const Cache& c : m.caches)
    text += fmt::format("{}L{} {}{}", text.empty() ? "" : ", ", c.level,
                        c.count > 1 ? fmt::format("{} \u00d7 ", c.count) : "", bytes_text(c.bytes));
  return text;
}

std::string again(const Result& r) {
  std::string html;
  if (!r.command.empty()) html += paragraph("The exploration:") + code_block(escaped(r.command));
  if (!r.emit_command.empty() && r.best) {
    std::string steps;
    for (const std::string& step : r.best->derivation) steps += step + "\n";
    html += paragraph("The best kernel alone, without exploring; FILE has the lines below:") +
            code_block(escaped(r.emit_command)) + code_block(escaped(steps));
  }
  return html.empty() ? "" : "<h3>To do it again</h3>\n" + html;
}

}  // namespace

std::string machine_section(const Result& r) {
  const Machine& m = r.machine;
  Entries e;
  e.add("device", m.device);
  if (m.processor != m.device) e.add("processor", m.processor);
  if (m.threads > 0) e.add("threads", std::to_string(m.threads));
  if (m.cores > 0) e.add("cores granted", std::to_string(m.cores));
  e.add("vectors", m.simd);
  e.add("caches", caches(m));
  if (m.memory_bytes > 0) e.add("memory", bytes_text(m.memory_bytes));
  e.add_gbs("triad, ordinary stores", m.triad_ordinary_gbs);
  e.add_gbs("triad, streaming stores", m.triad_streaming_gbs);
  if (m.triad_ordinary_gbs == 0 && m.triad_streaming_gbs == 0) e.add_gbs("triad", m.triad_gbs);
  e.add("traffic twin", r.twin_name);
  e.add("compiler", m.compiler);
  e.add("plain loops", r.baseline_what);
  for (const Peer& p : r.peers)
    if (!p.plain) e.add("peer: " + p.name, p.what);
  if (r.file.empty()) {
    e.add("boundary", r.boundary == "ghost" ? "ghost zones of " + plain_number(r.ghost) : r.boundary);
    if (r.sweeps > 1) e.add("sweeps in a call", std::to_string(r.sweeps));
  }
  return section("machine", "Machine, compiler and how to do it again",
                 "<dl>\n" + e.html + "</dl>\n" + again(r));
}

}  // namespace lift::report
