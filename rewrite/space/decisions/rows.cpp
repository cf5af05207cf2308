// Rows that a scan makes, each of the one before: how many go along their columns together, each a step
// behind the one before, so that what they wait for is waited for at once; and how many columns of each a
// step has. Where there are several threads, these take such rows in turns: one row at once is enough then.
#include "rewrite/space/decisions/decisions.hpp"

namespace lift {
namespace {

/// Where there is no loop for threads, they take tiles of the columns: as many, in whole steps.
bool goes_in_turns(const NestFacts& f) { return f.options.threads > 1 && f.made_rows.right == 0; }
std::int64_t columns_of_tile(const NestFacts& f, const Configuration& c) {
  constexpr std::int64_t unknown = 4096;  // of all tiles
  const std::int64_t all = f.made_rows.columns > 0 ? f.made_rows.columns : unknown, step = c[key::columns],
                     each = (all + f.options.threads - 1) / f.options.threads;
  return (each + step - 1) / step * step;
}

/// Widths of steps: what a row reads of the one before lies at most one step to the right.
std::vector<std::int64_t> steps_of_columns(const NestFacts& f) {
  constexpr std::int64_t few = 2;  // steps of a row
  std::vector<std::int64_t> r;
  if (!f.made_rows.abreast || !(f.made_rows.chains || goes_in_turns(f))) return r;
  for (const std::int64_t n : {64, 32, 128, 256, 16})
    if (n >= f.made_rows.right && (f.made_rows.columns == 0 || few * n <= f.made_rows.columns || n == 16))
      r.push_back(n);
  return r;
}

bool admits_rows(const NestFacts&, const Configuration& c, const std::int64_t& rows) {
  return rows == 0 || c.find(key::parallel) == nullptr || c[key::parallel].names.empty();
}

bool admits_columns(const NestFacts&, const Configuration& c, const std::int64_t& columns) {
  return (columns == 0) == (c[key::rows] == 0);
}

}  // namespace

namespace decisions {

const Decision& rows() {
  constexpr std::int64_t few_arrays = 2;
  static const auto& d = *new Decision(
      decide(key::rows)
          .offers([](const NestFacts& f) {
            std::vector<std::int64_t> r;
            const bool many = f.made_rows.arrays > few_arrays;  // each array of each row is a stream
            if (steps_of_columns(f).empty()) return r;
            if (f.made_rows.chains) r = {0, many ? 2 : 4, many ? 4 : 2, 8};
            if (goes_in_turns(f)) {
              if (r.empty()) r.push_back(0);
              r.push_back(1);
            }
            return r;
          })
          .admitted(admits_rows)
          .taken([](NestDeriver& d, const NestFacts& f, const Configuration& c, const Place& scan) {
            if (c.find(key::rows) == nullptr || c[key::rows] == 0) return;
            d.step("rows-abreast", {c[key::rows], c[key::columns]}, scan);
            if (goes_in_turns(f)) d.step("rows-in-turns", {columns_of_tile(f, c)}, scan);
          })
          .said([](const NestFacts& f, const Configuration& c) -> std::string {
            if (c.find(key::rows) == nullptr || c[key::rows] == 0) return "";
            const std::string rows = c[key::rows] > 1 ? "rows abreast" : "",
                              turns = goes_in_turns(f) ? "columns in turns" : "";
            return rows + (rows.empty() || turns.empty() ? "" : ", ") + turns;
          }));
  return d;
}

const Decision& columns() {
  static const auto& d = *new Decision(decide(key::columns)
                                           .offers([](const NestFacts& f) {
                                             std::vector<std::int64_t> r = steps_of_columns(f);
                                             if (!r.empty()) r.insert(r.begin(), 0);
                                             return r;
                                           })
                                           .admitted(admits_columns));
  return d;
}

}  // namespace decisions
}  // namespace lift
