#include "tests/fuzz/programs/stored.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace lift::fuzz {

void put(unsigned char* to, Scalar s, double v) {
  with_scalar(s, [&]<class T>(T) {
    const T x = std::is_same_v<T, bool> ? static_cast<T>(v != 0) : static_cast<T>(v);
    std::memcpy(to, &x, sizeof x);
  });
}

double taken(const unsigned char* from, Scalar s) {
  return with_scalar(s == boolean ? u8 : s, [&](auto x) {
    std::memcpy(&x, from, sizeof x);
    return static_cast<double>(x);
  });
}

Scalar scalar_of(const KernelArgument& a) {
  return (a.type.is_array() ? element_of(a.type) : a.type).scalar();
}

std::size_t bytes_of(const KernelArgument& a, Interpreter& sizes) {
  return (a.type.is_array() ? static_cast<std::size_t>(sizes.nat(a.layout.size())) : 1) *
         size_of(scalar_of(a));
}

/// Where element x, row by row, lies.
std::size_t Stored::place(std::size_t x) const {
  if (!argument.type.is_array() || argument.layout.request().kind == LayoutRequest::Kind::Caller) return x;
  const std::vector<Nat> shape = shape_of(argument.type);
  std::vector<Nat> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto n = static_cast<std::size_t>(sizes.nat(shape[d]));
    at[d] = static_cast<std::int64_t>(x % n), x /= n;
  }
  return static_cast<std::size_t>(sizes.nat(argument.layout.index(at)));
}

void Stored::fill(const Data& data) const {
  const auto given = data.arguments.find(argument.name);
  const bool known = given != data.arguments.end();
  std::memset(bytes, known ? kBetween : kPoison, bytes_of(argument, sizes));
  if (!known) return;
  const Scalar s = scalar_of(argument);
  for (std::size_t x = 0; x < given->second.size(); ++x)
    put(bytes + place(x) * size_of(s), s, given->second[x]);
}

std::string Stored::fault(const std::vector<double>& expected, double tolerance) const {
  const Scalar s = scalar_of(argument);
  double scale = 1;
  for (const double e : expected)
    if (std::isfinite(e)) scale = std::max(scale, std::abs(e));
  for (std::size_t x = 0; x < expected.size(); ++x) {
    const double got = taken(bytes + place(x) * size_of(s), s), e = expected[x];
    if (got == e || (std::isnan(got) && std::isnan(e)) || std::abs(got - e) <= tolerance * scale) continue;
    char line[200];
    std::snprintf(line, sizeof line, "%.60s[%zu] of %zu is %.17g, expected %.17g", argument.name.c_str(), x,
                  expected.size(), got, e);
    return line;
  }
  return "";
}

}  // namespace lift::fuzz
