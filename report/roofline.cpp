// Arithmetic and traffic against what the machine was measured to move.
#include <fmt/format.h>

#include "report/html.hpp"
#include "report/section.hpp"

namespace lift::report {

std::string roofline_section(const Result& r, Charts& charts) {
  if (!(r.cells > 0 && r.bytes_per_cell > 0 && r.flops_per_cell > 0 &&
        (r.machine.triad_gbs > 0 || r.twin_gbs > 0)))
    return "";
  const double intensity = r.flops_per_cell / r.bytes_per_cell;
  const auto gflops = [&](double ms) { return r.cells * r.flops_per_cell / (ms * 1e6); };
  Charts data{{"kind", "roofline"},
              {"intensity", intensity},
              {"ceilings", Charts::array()},
              {"points", Charts::array()}};
  const auto ceiling = [&](const std::string& name, double gbs) {
    if (gbs > 0)
      data["ceilings"].push_back({{"name", fmt::format("{}, {:.1f} GB/s", name, gbs)}, {"gbs", gbs}});
  };
  ceiling("memory: triad", r.machine.triad_gbs);
  ceiling("memory: traffic twin", r.twin_gbs);
  const auto point = [&](const std::string& name, const std::string& of, double ms) {
    if (ms > 0) data["points"].push_back({{"name", name}, {"of", of}, {"gflops", gflops(ms)}});
  };
  for (const Variant& v : r.variants)
    if (v.status == "ok") point(v.name, "variant", v.ms);
  for (const Peer& p : r.peers)
    if (p.status == "ok") point(p.name, p.plain ? "plain" : "peer", p.ms);
  if (r.best) point("best: " + r.best->name, "best", r.best->ms);
  if (data["points"].empty()) return "";
  charts["roofline"] = data;
  const std::string text = fmt::format(
      "{} flops over {} bytes a cell, which no variant can avoid, are {:.3g} flops a byte: all variants "
      "stand above "
      "each other there. The lines are what was measured on this machine, with as many threads; of "
      "arithmetic no "
      "ceiling is measured. A point above a line has its data from caches, or shares them among sweeps.",
      plain_number(r.flops_per_cell), plain_number(r.bytes_per_cell), intensity);
  return section("roofline-section", "Roofline",
                 paragraph(text) + canvas("roofline", "Roofline with all variants, plain loops and peers"));
}

}  // namespace lift::report
