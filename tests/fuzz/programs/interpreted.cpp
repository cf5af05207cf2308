#include "tests/fuzz/programs/interpreted.hpp"

#include <cstring>

#include "tests/fuzz/programs/stored.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::fuzz {
namespace {

/// An argument's elements as they lie, and back.
std::vector<double> numbers_of(const std::vector<unsigned char>& bytes, Scalar s) {
  std::vector<double> all;
  with_scalar(s == boolean ? u8 : s, [&](auto x) {
    for (std::size_t i = 0; i + sizeof x <= bytes.size(); i += sizeof x)
      std::memcpy(&x, &bytes[i], sizeof x), all.push_back(static_cast<double>(x));
  });
  return all;
}
std::vector<unsigned char> bytes_with(const std::vector<double>& numbers, Scalar s) {
  std::vector<unsigned char> all;
  with_scalar(s == boolean ? u8 : s, [&]<class T>(T) {
    for (const double n : numbers) {
      const T x = static_cast<T>(n);
      const auto* first = reinterpret_cast<const unsigned char*>(&x);
      all.insert(all.end(), first, first + sizeof x);
    }
  });
  return all;
}

}  // namespace

Outcome interpreted(const Job& job) {
  test::LoopRunner loops;
  loops.turns = static_cast<unsigned>(job.kernel.body.size() % 3);
  Interpreter sizes;
  sizes.sizes.insert(job.sizes.begin(), job.sizes.end());
  loops.index.insert(job.sizes.begin(), job.sizes.end());
  std::map<std::string, std::vector<unsigned char>> memory;
  for (const KernelArgument& a : job.kernel.arguments) {
    std::vector<unsigned char>& bytes = memory[a.name];
    bytes.resize(bytes_of(a, sizes));
    Stored{a, sizes, bytes.data()}.fill(*job.data);
    const std::vector<double> numbers = numbers_of(bytes, scalar_of(a));
    if (a.type.is_array())
      loops.arrays[a.name] = numbers;
    else
      loops.scalars[a.name] = numbers.at(0), loops.index[a.name] = static_cast<std::int64_t>(numbers.at(0));
    if (a.type.is_array() && !job.data->arguments.contains(a.name))  // what is left in results
      for (double& x : loops.arrays[a.name])
        if (is_float(scalar_of(a))) x = std::nan("");
  }
  try {
    loops.run(job.kernel);
  } catch (const std::out_of_range& e) {
    return {Verdict::crashed, std::string("an access beyond an array: ") + e.what()};
  } catch (const std::runtime_error& e) {
    return {Verdict::unknown, e.what()};
  }
  if (!loops.races.empty()) return {Verdict::wrong, "a race: " + loops.races.front()};
  for (std::size_t r = 0; r < job.kernel.results.size(); ++r)
    for (const KernelArgument& a : job.kernel.arguments) {
      if (a.name != job.kernel.results[r]) continue;
      std::vector<unsigned char> bytes = bytes_with(loops.arrays.at(a.name), scalar_of(a));
      const std::string fault = Stored{a, sizes, bytes.data()}.fault(job.data->expected.at(r), job.tolerance);
      if (!fault.empty()) return {Verdict::wrong, fault};
    }
  return {Verdict::right};
}

}  // namespace lift::fuzz
