#include "tests/fuzz/programs/interpreted.hpp"

#include "tests/fuzz/programs/stored.hpp"
#include "tests/lower/run_loops.hpp"

namespace lift::fuzz {

Outcome interpreted(const Job& job) {
  test::LoopRunner loops;
  loops.turns = 1;  // iterations that threads take in turns: later ones as soon as they may
  Interpreter sizes;
  sizes.sizes.insert(job.sizes.begin(), job.sizes.end());
  loops.index.insert(job.sizes.begin(), job.sizes.end());
  std::map<std::string, std::vector<unsigned char>> memory;
  for (const KernelArgument& a : job.kernel.arguments) {
    std::vector<unsigned char>& bytes = memory[a.name];
    bytes.resize(bytes_of(a, sizes));
    Stored{a, sizes, bytes.data()}.fill(*job.data);
    const Scalar s = scalar_of(a);
    std::vector<double> numbers;
    for (std::size_t at = 0; at < bytes.size(); at += size_of(s)) numbers.push_back(taken(&bytes[at], s));
    if (a.type.is_array())
      loops.arrays[a.name] = numbers;
    else
      loops.scalars[a.name] = numbers.at(0), loops.index[a.name] = static_cast<std::int64_t>(numbers.at(0));
    if (a.type.is_array() && !job.data->arguments.contains(a.name))  // what is left in results
      for (double& x : loops.arrays[a.name])
        if (is_float(s)) x = std::nan("");
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
      const Scalar s = scalar_of(a);
      std::vector<unsigned char>& bytes = memory[a.name];
      for (std::size_t at = 0; at < bytes.size(); at += size_of(s))
        put(&bytes[at], s, loops.arrays.at(a.name)[at / size_of(s)]);
      const std::string fault = Stored{a, sizes, bytes.data()}.fault(job.data->expected.at(r), job.tolerance);
      if (!fault.empty()) return {Verdict::wrong, fault};
    }
  return {Verdict::right};
}

}  // namespace lift::fuzz
