// Emitted kernels of grid transfer: shuffled loads, interleaved and streaming stores, against the
// interpreter, under the sanitizers, and without warnings in every compiler at hand.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <regex>

#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "runtime/opencl.hpp"
#include "runtime/parallel.hpp"
#include "runtime/process.hpp"
#include "tests/lower/vector_sample.hpp"
#include "tests/spelled.hpp"

using namespace lift;
using namespace lift::test;

namespace transfer_test {
namespace {

struct Sample {
  Program program;
  VectorDecisions decisions;
  Kernel kernel;
};

std::vector<Sample> samples(int dim, std::int64_t m, Scalar t, const VectorDecisions& d, int bytes = 32) {
  std::vector<Sample> all;
  LowerOptions options;
  options.vector_bytes = bytes;
  for (const Program& p : transfer_programs(dim, m, t)) {
    Sample s{p, d, lower(with_vectors(in_place(p), d), options)};
    s.kernel.name = p.name + std::to_string(dim) + "_" + std::string(text(t)) + "_" +
                    std::to_string(d.width) + (d.late ? "l" : "") + (d.stream ? "s" : "");
    all.push_back(std::move(s));
  }
  return all;
}
std::vector<Sample> all_samples() {
  std::vector<Sample> all;
  const auto add = [&](std::vector<Sample> more) { all.insert(all.end(), more.begin(), more.end()); };
  add(samples(1, 21, f64, {4, false, true, false, 0}));
  add(samples(1, 21, f32, {8, true, false, false, 16}));
  add(samples(2, 11, f64, {8, false, false, true, 0}));
  add(samples(2, 12, f32, {4, false, true, true, 0}));
  add(samples(3, 5, f64, {4, true, false, true, 0}));
  add(samples(3, 9, f32, {8, false, true, true, 0}));
  return all;
}

/// Kernels in one translation unit: helper functions and types of each have names of their own.
std::string together(const std::vector<Sample>& all, bool trampolines) {
  static const std::regex helper(
      "\\b(\\w*(f32|f64|i32)x\\d+(_any)?|mask\\d+|index_(div|mod|min|max)|store_fence)\\b");
  std::string code;
  for (std::size_t i = 0; i < all.size(); ++i) {
    code += std::regex_replace(test::openmp_of(all[i].kernel), helper, "$1_" + std::to_string(i));
    if (trampolines)
      code += std::regex_replace(emit_trampoline(all[i].kernel, all[i].kernel.name),
                                 std::regex("liftgen_call"), "call_" + std::to_string(i));
  }
  return code;
}

/// Storage of the arguments, aligned to 64 bytes, and its pointers; a new result is filled with -999.
struct Storage {
  std::vector<std::vector<unsigned char>> bytes;
  std::vector<void*> pointers;
  Storage(const Sample& s, const std::vector<std::vector<double>>& data) {
    for (const KernelArgument& a : s.kernel.arguments) {
      std::size_t from = 0;
      while (from < data.size() && param_name(s.program.arguments[from]) != a.name) ++from;
      const bool single = element_of(a.type).scalar() == f32;
      const std::size_t n = elements(a.type);
      bytes.emplace_back(n * (single ? 4 : 8) + 64);
      void* p = bytes.back().data();
      std::size_t room = bytes.back().size();
      pointers.push_back(std::align(64, room - 64, p, room));
      for (std::size_t i = 0; i < n; ++i) {
        const double x = from < data.size() ? data[from][i] : -999;
        if (single)
          static_cast<float*>(pointers.back())[i] = static_cast<float>(x);
        else
          static_cast<double*>(pointers.back())[i] = x;
      }
    }
  }
  std::vector<double> result(const Kernel& k) const {
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      const KernelArgument& a = k.arguments[i];
      if (a.name != k.results.at(0)) continue;
      std::vector<double> r;
      for (std::size_t x = 0; x < elements(a.type); ++x)
        r.push_back(element_of(a.type).scalar() == f32 ? static_cast<const float*>(pointers[i])[x]
                                                       : static_cast<const double*>(pointers[i])[x]);
      return r;
    }
    return {};
  }
};

struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("liftgen-transfer-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
};

/// A main() that calls each kernel on arrays of exactly its size, which begin and end where the sanitizer
/// sees it.
std::string driver(const std::vector<Sample>& all) {
  std::string s = "#include <stdlib.h>\nint main(void) {\n";
  for (const Sample& x : all) {
    std::string call, release;
    s += "  {\n";
    for (const KernelArgument& a : x.kernel.arguments) {
      const std::string type = element_of(a.type).scalar() == f32 ? "float" : "double",
                        n = std::to_string(elements(a.type));
      s += "    " + type + " *" + a.name + "; if (posix_memalign((void **)&" + a.name + ", 64, " + n +
           " * sizeof(" + type + "))) return 9;\n    for (long x = 0; x < " + n + "; ++x) " + a.name +
           "[x] = 1;\n";
      call += (call.empty() ? "" : ", ") + a.name, release += " free(" + a.name + ");";
    }
    s += "    " + x.kernel.name + "(" + call + ");" + release + "\n  }\n";
  }
  return s + "  return 0;\n}\n";
}

}  // namespace

TEST_CASE("kernels of grid transfer give the interpreter's result") {
  configure_openmp(2);
  const std::vector<Sample> all = all_samples();
  NativeCompiler compiler;
  const CompileResult compiled =
      compiler.compile({together(all, true),
                        {"-std=gnu11", "-O1", "-march=native", "-fopenmp", "-Wall", "-Wextra", "-Werror"},
                        "",
                        "c"});
  REQUIRE_MESSAGE(compiled.library, compiled.error);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto data = sample_data(all[i].program);
    const Storage storage(all[i], data);
    auto pointers = storage.pointers;
    compiled.library->function<void(void**)>("call_" + std::to_string(i))(pointers.data());
    INFO(all[i].kernel.name << "\n" << test::openmp_of(all[i].kernel));
    CHECK(storage.result(all[i].kernel) == interpreted(all[i].program, data));
  }
}

TEST_CASE("kernels of grid transfer: no access outside an array, no undefined behaviour, no warning") {
  const Scratch scratch;
  const std::vector<Sample> all = all_samples();
  const std::string source = (scratch.path / "k.c").string(), exe = (scratch.path / "k").string();
  write_file_atomically(source, together(all, false) + driver(all));
  const ProcessResult built =
      run_process({"gcc", "-std=gnu11", "-O0", "-g1", "-march=native", "-fsanitize=address,undefined",
                   "-fno-sanitize-recover=all", source, "-lm", "-o", exe});
  REQUIRE_MESSAGE(built.status == 0, built.output);
  const ProcessResult ran = run_process({exe});
  CHECK_MESSAGE(ran.status == 0, ran.output);
  const std::vector<std::vector<std::string>> compilers{
      {"gcc", "-std=c11", "-msse2"},
      {"g++", "-x", "c++", "-Drestrict=__restrict__", "-march=native"},
      {"clang-15", "-std=c11", "-march=native"}};
  for (std::vector<std::string> command : compilers) {
    if (find_program(command[0]).empty()) continue;
    command.insert(command.end(), {"-O0", "-fopenmp", "-Wall", "-Wextra", "-Werror",
                                   "-D_POSIX_C_SOURCE=200112L", "-S", "-o", "/dev/null", source});
    const ProcessResult r = run_process(command);
    CHECK_MESSAGE(r.status == 0, command[0] << ": " << r.output.substr(0, 2000));
  }
}

TEST_CASE("OpenCL kernels of grid transfer give the interpreter's result") {
  const std::string why = opencl::why_unavailable();
  if (!why.empty()) {
    MESSAGE("no OpenCL device, not tested: " << why);
    return;
  }
  opencl::configure_pocl(2);
  opencl::Device device;
  std::vector<Sample> all = samples(1, 21, f64, {4, false, false, false, 0});
  for (const Sample& s : samples(2, 11, f32, {8, false, false, false, 0})) all.push_back(s);
  for (const Sample& s : all) {
    const std::string source = test::opencl_of(s.kernel);
    INFO(source);
    const auto data = sample_data(s.program);
    const Storage storage(s, data);
    const GridBuild built = device.build(source);
    REQUIRE_MESSAGE(built.program, built.error);
    GridLaunch launch;
    launch.kernel = built.program->kernel(s.kernel.name);
    std::vector<GridMemory> arrays;
    for (std::size_t i = 0; i < s.kernel.arguments.size(); ++i) {
      const Type& t = s.kernel.arguments[i].type;
      const std::size_t bytes = elements(t) * size_of(element_of(t).scalar());
      arrays.push_back(device.allocate(bytes));
      device.write(arrays.back(), storage.pointers[i], bytes);
      launch.args.emplace_back(arrays.back());
    }
    const NDRange range = nd_range(s.kernel);
    launch.global = range.global, launch.local = range.local, launch.dims = range.dims;
    launch.local_bytes = range.local_bytes;
    device.run(launch);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      device.read(arrays[i], storage.pointers[i], arrays[i]->bytes());
    CHECK(storage.result(s.kernel) == interpreted(s.program, data));
  }
}

}  // namespace transfer_test
