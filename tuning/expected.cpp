#include "tuning/expected.hpp"

#include "patterns/host_data.hpp"
#include "tuning/difference.hpp"

namespace lift {

ExpectedResults::ExpectedResults(const Program& program, int threads) : threads_(threads) {
  for (const ProgramResult& r : results_of(program)) {
    One one;
    one.result = OwnedArray(r.name, r.type, threads);
    one.staging = OwnedArray(r.name, r.type, threads);
    all_.push_back(std::move(one));
  }
}

void ExpectedResults::measure_magnitudes() {
  for (One& one : all_) {
    const HostArray& r = one.result.view();
    one.mean = mean_magnitude(r);
    const std::int64_t n = host::count(r.type);
    const Difference own = difference(element_of(r.type).scalar(), r.data, r.data, nullptr, n, one.mean, 0);
    one.no_numbers = n > 0 && own.no_numbers == n;
  }
}

float* ExpectedResults::make_bounds(std::size_t n) {
  One& one = all_.at(n);
  const auto count = static_cast<std::size_t>(host::count(one.result.view().type));
  one.bounds.emplace(count * sizeof(float), BufferOptions{threads_, -1});
  return one.bounds->as<float>().data();
}

std::vector<HostArray> ExpectedResults::results() const {
  std::vector<HostArray> r;
  for (const One& one : all_) r.push_back(one.result.view());
  return r;
}

std::vector<Expected> ExpectedResults::all() const {
  std::vector<Expected> r;
  for (const One& one : all_)
    r.push_back({one.result.view(), one.staging.view(), one.mean,
                 one.bounds ? static_cast<const float*>(one.bounds->data()) : nullptr, one.no_numbers});
  return r;
}

}  // namespace lift
