#include "gmg/seams.hpp"

#include <algorithm>

namespace lift::gmg {
namespace {

/// f(where a row of the part begins in the array, its length), row after row.
void for_rows(const Box& whole, const Box& part, const auto& f) {
  if (count(part) == 0) return;
  const std::size_t last = part.size() - 1;
  std::vector<std::int64_t> at;
  for (const Range& r : part) at.push_back(r.begin);
  while (true) {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < at.size(); ++d) flat = flat * whole[d].length() + at[d] - whole[d].begin;
    f(static_cast<std::size_t>(flat), static_cast<std::size_t>(part[last].length()));
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == part[d - 1].end) at[d - 1] = part[d - 1].begin, --d;
    if (d == 0) return;
  }
}

/// Those `width` cells (or faces) beyond what is owned, or, of the neighbour's, which it owns.
Range border(const Range& own, bool faces, std::int64_t width, bool high, bool of_neighbour) {
  if (of_neighbour)
    return high ? Range{own.begin + faces, own.begin + faces + width} : Range{own.end - width, own.end};
  return high ? Range{own.end + faces, own.end + faces + width} : Range{own.begin - width, own.begin};
}

}  // namespace

std::int64_t count(const Box& box) {
  std::int64_t n = 1;
  for (const Range& r : box) n *= r.length();
  return n;
}

Box with_faces(Box box, std::optional<std::size_t> dimension) {
  if (dimension) ++box[*dimension].end;
  return box;
}

std::vector<double> packed(std::span<const double> array, const Box& whole, const Box& part) {
  std::vector<double> message;
  message.reserve(static_cast<std::size_t>(count(part)));
  for_rows(whole, part, [&](std::size_t begin, std::size_t n) {
    const auto from = array.subspan(begin, n);
    message.insert(message.end(), from.begin(), from.end());
  });
  return message;
}

void unpack(std::span<const double> message, std::span<double> array, const Box& whole, const Box& part) {
  std::size_t next = 0;
  for_rows(whole, part, [&](std::size_t begin, std::size_t n) {
    std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(next), n,
                array.begin() + static_cast<std::ptrdiff_t>(begin));
    next += n;
  });
}

void refresh_seams(const Partition& partition, std::size_t level,
                   const std::vector<std::span<double>>& arrays, std::optional<std::size_t> faces,
                   std::int64_t width) {
  const std::size_t rank = partition.bricks().size();
  for (std::size_t d = 0; d < rank; ++d)
    for (const bool high : {false, true}) {
      // Along dimensions that are done already, borders have their ghost zones, too.
      const auto part = [&](std::size_t brick, bool of_neighbour) {
        const Box around = with_faces(partition.around(level, brick), faces);
        const Box own = partition.own(level, brick);
        Box box = with_faces(own, faces);
        for (std::size_t e = 0; e < d; ++e) box[e] = around[e];
        box[d] = border(own[d], faces == d, width, high, of_neighbour);
        return box;
      };
      const auto whole = [&](std::size_t brick) { return with_faces(partition.around(level, brick), faces); };
      std::vector<std::vector<double>> messages(arrays.size());
      for (std::size_t b = 0; b < arrays.size(); ++b)
        if (const auto from = partition.neighbour(b, d, high))
          messages[b] = packed(arrays[*from], whole(*from), part(*from, true));
      for (std::size_t b = 0; b < arrays.size(); ++b)
        if (partition.neighbour(b, d, high)) unpack(messages[b], arrays[b], whole(b), part(b, false));
    }
}

}  // namespace lift::gmg
