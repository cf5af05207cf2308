// What was found, in one sentence and a few numbers.
#include <fmt/format.h>

#include <algorithm>

#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {
namespace {

std::string backend_name(const std::string& backend) {
  if (backend == "openmp") return "OpenMP";
  if (backend == "opencl") return "OpenCL";
  return backend == "cuda" ? "CUDA" : backend;
}

std::string subject(const Result& r) {
  std::string s = r.name;
  if (!r.file.empty()) return fmt::format("{} ({}; {})", s, r.file, backend_name(r.backend));
  for (const auto& [name, value] : r.choices) s += fmt::format(", {} {}", name, value);
  std::string cells;
  for (const double side : r.sides) cells += (cells.empty() ? "" : " x ") + plain_number(side);
  cells = r.sides.empty() ? plain_number(r.box) + " cells a dimension" : cells + " cells";
  return fmt::format("{} ({} boxes of {}, {}; {})", s, plain_number(r.boxes), cells, r.type,
                     backend_name(r.backend));
}

std::string compared(double best, double other) {
  return best <= other ? fmt::format("{} as fast as", times_text(other / best))
                       : fmt::format("{} as slow as", times_text(best / other));
}

const Peer* fastest_peer(const Result& r) {
  const Peer* best = nullptr;
  for (const Peer& p : r.peers)
    if (!p.plain && p.status == "ok" && p.ms > 0 && (best == nullptr || p.ms < best->ms)) best = &p;
  return best;
}

}  // namespace

std::string sentence(const Result& r) {
  std::string s = subject(r);
  if (!r.best || !(r.best->ms > 0)) return s + ": no variant was verified and timed.";
  s += fmt::format(" takes {} ms", ms_text(r.best->ms));
  if (r.sweeps > 1) s += fmt::format(" a sweep, {} of them in a call,", r.sweeps);
  s += " on " + r.machine.device;
  if (r.machine.threads > 0)
    s += fmt::format(" with {} thread{}", r.machine.threads, r.machine.threads == 1 ? "" : "s");
  std::vector<std::string> ratios;
  if (r.baseline_ms > 0)
    ratios.push_back(
        fmt::format("{} plain loops ({} ms)", compared(r.best->ms, r.baseline_ms), ms_text(r.baseline_ms)));
  if (const Peer* p = fastest_peer(r))
    ratios.push_back(
        fmt::format("{} the best peer, {} ({} ms)", compared(r.best->ms, p->ms), p->name, ms_text(p->ms)));
  if (r.best->roofline > 0)
    ratios.push_back(fmt::format("at {} of the roofline", percent_text(r.best->roofline)));
  for (std::size_t i = 0; i < ratios.size(); ++i)
    s += (i == 0 ? ": " : i + 1 == ratios.size() ? ", and " : ", ") + ratios[i];
  return s + ".";
}

std::string summary_section(const Result& r) {
  std::string html = "<p class=\"lead\">" + paragraph(sentence(r)).substr(3);
  if (r.emulated) html += paragraph("The device was emulated on the host: the times mean nothing.");
  if (r.interrupted) html += paragraph("The exploration was interrupted: this is what was found until then.");
  const auto count = [&](const char* name) {
    const auto at = r.counts.find(name);
    return at == r.counts.end() ? 0.0 : at->second;
  };
  if (r.best) {
    std::string text = "The best variant is: " + r.best->name + ".";
    if (!r.best->layout.empty() && r.best->layout != "caller") {
      text += fmt::format(
          " Its arrays are in layout '{}'; converting them there and the result back takes {} ms.",
          r.best->layout, ms_text(r.best->convert_ms));
      if (r.best_caller && r.best_caller->ms > 0)
        text += fmt::format(" In the caller's layout the best takes {} ms.", ms_text(r.best_caller->ms));
    }
    html += paragraph(text);
  }
  if (!r.counts.empty())
    html +=
        paragraph(fmt::format("{} configurations were derived and {} timed, each verified before{}; {} gave "
                              "a wrong result, {} did not "
                              "compile{}.{}",
                              plain_number(count("configurations")), plain_number(count("timed")),
                              count("aborted") > 0 ? fmt::format(" ({} not to the end, being far behind)",
                                                                 plain_number(count("aborted")))
                                                   : "",
                              plain_number(count("wrong")), plain_number(count("compile_failed")),
                              r.total_s > 0 ? fmt::format("; {:.0f} s in all", r.total_s) : "",
                              r.reference.empty() ? "" : " Results are held against " + r.reference + "."));
  return section("result", "Result", html);
}

}  // namespace lift::report
