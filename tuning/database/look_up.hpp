// Which of the records of an expression speaks for a problem, best first.
#pragma once

#include "tuning/database/database.hpp"

namespace lift {

/// How near a record is to what was asked for.
///   exact         the same sizes and platform
///   platform      the same sizes and device; another compiler, number of threads or version of the rules
///   size          the same device, other sizes: the nearest first
///   architecture  another device, of the same architecture where it is known
enum class Nearness : std::uint8_t { exact, platform, size, architecture };

struct Found {
  Record record;
  Nearness nearness = Nearness::exact;
  double factor =
      1;  ///< by how much the sizes differ, all together: 8 for boxes twice as large, four times as many
};

/// Taken without being measured beside the default: not what was fastest for problems of quite another size.
/// One thread is enough for a small one.
bool near_enough(const Found& f);

/// The records for the same expression and backend, nearest first; of those equally near the fastest first.
/// Devices of another architecture are left out, unless there is no device to ask here. `caller_layout_only`:
/// those whose arrays lie as the caller has them. DatabaseError.
std::vector<Found> look_up(const Database& database, const ProgramKey& program, const Platform& platform,
                           bool caller_layout_only);

/// What it is and how near, in a line: "in place, strided vec, 1.52x the plain loops, of 2026-11-23 09:12,
/// found for this problem on this machine".
std::string describe(const Found& f);

}  // namespace lift
