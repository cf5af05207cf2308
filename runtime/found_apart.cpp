#include "runtime/found_apart.hpp"

#include "runtime/worker.hpp"

namespace lift {
namespace {

constexpr double kLimitSeconds = 60;

/// Calls `f` with each text of the description, then with each of the numbers.
template <class Info, class Text, class Number>
void each_part(Info& i, const Text& text, const Number& number) {
  text(i.platform), text(i.name), text(i.version), text(i.driver);
  number(i.index), number(i.gpu), number(i.cpu), number(i.emulated), number(i.f64);
  number(i.compute_units), number(i.warp), number(i.max_work_group), number(i.max_work_items);
  number(i.max_groups), number(i.local_bytes), number(i.max_local_bytes), number(i.local_is_dedicated);
  number(i.registers), number(i.global_bytes), number(i.max_allocation), number(i.chooses_local_size);
  number(i.cache_bytes);
}

}  // namespace

std::string bytes_of_info(const GridDeviceInfo& info) {
  std::string bytes;
  each_part(
      info, [&](const std::string& text) { bytes += bytes_of_text(text); },
      [&](const auto& number) { bytes += bytes_of_value(number); });
  return bytes;
}

GridDeviceInfo take_info(Reader& in) {
  GridDeviceInfo info;
  each_part(
      info, [&](std::string& text) { text = in.take_text(); },
      [&](auto& number) { number = in.take<std::remove_reference_t<decltype(number)>>(); });
  return info;
}

std::vector<GridDeviceInfo> found_apart(const std::function<std::vector<GridDeviceInfo>()>& find,
                                        const char* driver) {
  const auto describe = [&] {
    const std::vector<GridDeviceInfo> found = find();
    std::string bytes = bytes_of_value(found.size());
    for (const GridDeviceInfo& info : found) bytes += bytes_of_info(info);
    return bytes;
  };
  std::string bytes;
  try {
    bytes = run_apart(describe, kLimitSeconds, driver);
  } catch (const WorkerLost& lost) {
    throw EnvironmentError(std::string(lost.what()) + " when it was asked for its devices");
  }
  Reader in(bytes);
  std::vector<GridDeviceInfo> found(in.take<std::size_t>());
  for (GridDeviceInfo& info : found) info = take_info(in);
  return found;
}

}  // namespace lift
