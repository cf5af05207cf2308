#include "patterns/host_data.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "ir/error.hpp"

namespace lift::host {

void parallel_for(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& f) {
  const auto threads =
      std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, std::max<std::int64_t>(n, 1));
  std::vector<std::jthread> running;
  for (std::int64_t t = 1; t < threads; ++t)
    running.emplace_back([&, t] { f(t * n / threads, (t + 1) * n / threads); });
  f(0, n / threads);
}

std::vector<std::int64_t> lengths(const Type& type) {
  std::vector<std::int64_t> n;
  for (const Nat& length : shape_of(type)) {
    const auto c = length.constant();
    if (!c)
      throw InternalError("patterns: the length " + length.str() + " of " + type.str() +
                          " is not a constant");
    n.push_back(*c);
  }
  return n;
}

std::int64_t count(const Type& type) {
  std::int64_t product = 1;
  for (const std::int64_t n : lengths(type)) product *= n;
  return product;
}

const HostArray& argument(const std::vector<HostArray>& arguments, const std::string& name) {
  for (const HostArray& a : arguments)
    if (a.name == name) return a;
  throw InternalError("patterns: no argument '" + name + "' was passed");
}

double scalar(const std::vector<HostArray>& arguments, const std::string& name) {
  const HostArray& a = argument(arguments, name);
  if (a.type.scalar() == boolean) throw InternalError("patterns: argument '" + name + "' is no number");
  return with_scalar(a.type.scalar(),
                     [&]<class T>(T) { return static_cast<double>(*static_cast<const T*>(a.data)); });
}

void copy(const HostArray& from, const HostArray& to) {
  if (!(from.type == to.type))
    throw InternalError("patterns: " + from.type.str() + " copied to " + to.type.str());
  const auto size = static_cast<std::int64_t>(size_of(element_of(from.type).scalar()));
  parallel_for(count(from.type), [&](std::int64_t begin, std::int64_t end) {
    std::memcpy(static_cast<char*>(to.data) + begin * size,
                static_cast<const char*>(from.data) + begin * size,
                static_cast<std::size_t>((end - begin) * size));
  });
}

}  // namespace lift::host
