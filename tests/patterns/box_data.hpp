// A box problem with its data, and its result by the interpreter, the reference and the plain loops.
#pragma once

#include <algorithm>

#include "ir/error.hpp"
#include "ir/expr/interpret.hpp"
#include "lower/lower.hpp"
#include "patterns/host_data.hpp"
#include "tuning/executor.hpp"
#include "tuning/rivals.hpp"

namespace lift::testing {

/// Elements of an f32, f64 or i32 array or scalar.
inline std::vector<double> numbers(const HostArray& a) {
  std::vector<double> r(static_cast<std::size_t>(host::count(a.type)));
  for (std::size_t i = 0; i < r.size(); ++i) {
    switch (element_of(a.type).scalar()) {
      case Scalar::f32:
        r[i] = static_cast<const float*>(a.data)[i];
        break;
      case Scalar::f64:
        r[i] = static_cast<const double*>(a.data)[i];
        break;
      default:
        r[i] = static_cast<const std::int32_t*>(a.data)[i];
        break;
    }
  }
  return r;
}
/// With these arguments.
inline Interpreter interpreter_of(const std::vector<HostArray>& arguments) {
  Interpreter in;
  for (const HostArray& a : arguments) {
    if (a.type.is_array())
      in.params[a.name] = make_array(numbers(a), a.type);
    else if (is_float(a.type.scalar()))
      in.params[a.name] = {numbers(a)[0]};
    else
      in.params[a.name] = {static_cast<std::int64_t>(numbers(a)[0])};
  }
  return in;
}
inline void assign(const HostArray& a, const std::vector<double>& values) {
  REQUIRE(static_cast<std::int64_t>(values.size()) == host::count(a.type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (element_of(a.type).scalar()) {
      case Scalar::f32:
        static_cast<float*>(a.data)[i] = static_cast<float>(values[i]);
        break;
      case Scalar::f64:
        static_cast<double*>(a.data)[i] = values[i];
        break;
      default:
        static_cast<std::int32_t*>(a.data)[i] = static_cast<std::int32_t>(values[i]);
        break;
    }
  }
}

class BoxData {
 public:
  BoxData(const Pattern& pattern, const Problem& problem)
      : pattern_(pattern),
        problem_(problem),
        program(pattern.build(problem)),
        data_(pattern, problem, program, 1) {}

  const HostArray& argument(const std::string& name) const { return host::argument(data_.all(), name); }
  bool has(const std::string& name) const {
    return std::any_of(data_.all().begin(), data_.all().end(),
                       [&](const HostArray& a) { return a.name == name; });
  }
  std::vector<double> values(const std::string& name) const { return numbers(argument(name)); }
  OwnedArray result() const { return OwnedArray("result", results_of(program).at(0).type, 1); }

  OwnedArray by_interpreter() const {
    Interpreter in = interpreter_of(data_.all());
    const Value v = in.eval(program.body);
    CHECK(!contains_poison(v));
    OwnedArray r = result();
    assign(r.view(), flatten(v));
    return r;
  }

  OwnedArray by_reference() const {
    OwnedArray r = result();
    pattern_.reference(problem_, data_.all(), {r.view()});
    return r;
  }

  /// One result for each way of compiling the plain loops (with and without omp simd).
  std::vector<OwnedArray> by_plain_loops(NativeCompiler& compiler) const {
    const auto executor = make_native_executor(compiler, data_, 2);
    std::vector<OwnedArray> results;
    for (const RivalJob& rival : rival_jobs(pattern_, problem_, program, false, 2)) {
      const std::vector<Compiled> compiled = executor->compile(std::vector{rival.job}, {});
      REQUIRE(compiled.at(0).error == "");
      const auto run = executor->bind(rival.job.kernel, compiled[0]);
      executor->restore(rival.job.kernel);
      run();
      results.push_back(result());
      const HostArray got = executor->fetch(rival.job.kernel, 0, results.back().view());
      if (got.data != results.back().view().data) host::copy(got, results.back().view());
    }
    return results;
  }

 private:
  const Pattern& pattern_;
  Problem problem_;

 public:
  Program program;

 private:
  ProblemData data_;
};

/// The message of the UserError that f throws; empty when it throws none.
template <class F>
std::string user_error(F&& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace lift::testing
