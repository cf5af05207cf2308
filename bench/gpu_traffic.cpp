// What the kernel that a CUDA device would try first does in global memory, and what it asks of the device:
// counted, without one. See bench/README.md.
//   bench_gpu_traffic [--box N] [--boxes N] [--only TEXT] [--variants N] [--arch sm_90] [--local 227]
//   [--units 132] [--arrays] [FILE.lift ...]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "lower/lower.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"
#include "runtime/file.hpp"
#include "runtime/nvrtc.hpp"
#include "runtime/process.hpp"
#include "tuning/cost/counted_traffic.hpp"
#include "tuning/cost/occupancy.hpp"
#include "tuning/lift_problem.hpp"
#include "tuning/traffic.hpp"

using namespace lift;

namespace {

struct Options {
  std::int64_t box = 64, boxes = 4;
  std::string only, arch = "sm_90", out;
  std::size_t variants = 1;
  std::size_t local_kb = 48;
  int units = 0;
  bool arrays = false, caller_layout = false;
  std::vector<std::string> files;
};

struct Case {
  std::string name;
  Program program;
  double cells;  ///< that bytes are divided by: of an operator the interior's, times sweeps
};

double cells_of(const Program& program) { return static_cast<double>(traffic(program).cells); }

std::vector<Case> operators(const Options& o) {
  std::vector<Case> all;
  const auto add = [&](const std::string& name, const char* pattern,
                       std::map<std::string, std::string> choices, Scalar type, int sweeps) {
    Problem p;
    p.box = o.box, p.boxes = o.boxes, p.type = type, p.sweeps = sweeps, p.ghost = sweeps,
    p.choices = std::move(choices);
    const std::string title = fmt::format("{} {} T={}", name, text(type), sweeps);
    if (title.find(o.only) == std::string::npos) return;
    const Pattern& made = find_pattern(pattern);
    Problem single = p;
    single.sweeps = single.ghost = 1;
    all.push_back({title, made.build(p), cells_of(made.build(single)) * sweeps});
  };
  for (const Scalar type : {f64, f32})
    for (const int sweeps : {1, 2, 4}) add("gsrb", "smooth3d", {{"smoother", "gsrb"}}, type, sweeps);
  add("jacobi", "smooth3d", {{"smoother", "jacobi"}}, f64, 1);
  for (const int sweeps : {1, 2, 4})
    add("jacobi constant", "smooth3d", {{"smoother", "jacobi"}, {"coefficients", "constant"}}, f64, sweeps);
  for (const char* name : {"residual3d", "restriction3d", "prolongation3d", "thomas", "axpy3d", "norm3d"})
    add(name, name, {}, f64, 1);
  return all;
}

Case program_of(const std::string& file) {
  const PatternProblem made = load_lift_file(file);
  Problem problem = made.problem;
  problem.symbolic = false;
  Program program = made.pattern.build(problem);
  const double cells = cells_of(program);
  return {std::filesystem::path(file).stem().string(), std::move(program), cells};
}

/// What ptxas says of a kernel's launches, the largest numbers; instructions from the sizes of their code.
struct Resources {
  int registers = 0, spills = 0;
  std::uint64_t instructions = 0;
};

std::string nvcc() {
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (std::string found = find_program(name); !found.empty()) return found;
  return "";
}

constexpr std::uint64_t kInstructionBytes = 16;

Resources resources(const std::string& source, const std::string& arch, const std::filesystem::path& folder) {
  Resources r;
  const auto file = folder / "kernel.cu", cubin = folder / "kernel.cubin";
  std::ofstream(file) << source;
  ProcessOptions options;
  options.timeout_seconds = 300;
  const ProcessResult said = run_process(
      {nvcc(), "-arch=" + arch, "-cubin", "-Xptxas", "-v", "-o", cubin.string(), file.string()}, options);
  if (said.status != 0) throw UserError("nvcc: " + said.output.substr(0, 1000));
  const auto largest = [&](const std::string& text, const char* pattern) {
    const std::regex number(pattern);
    int most = 0;
    for (auto m = std::sregex_iterator(text.begin(), text.end(), number); m != std::sregex_iterator(); ++m)
      most = std::max(most, std::stoi((*m)[1]));
    return most;
  };
  r.registers = largest(said.output, "Used (\\d+) registers");
  r.spills = largest(said.output, "(\\d+) bytes spill stores");
  const std::string sections = run_process({"readelf", "-SW", cubin.string()}, options).output;
  const std::regex code("\\.text\\.\\S+ +PROGBITS +[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+)");
  for (auto m = std::sregex_iterator(sections.begin(), sections.end(), code); m != std::sregex_iterator();
       ++m)
    r.instructions += std::stoull((*m)[1], nullptr, 16) / kInstructionBytes;
  return r;
}

void print_row(const Case& c, const Space& space, const Configuration& configuration, const Options& o,
               NativeCompiler& compiler, const std::filesystem::path& folder) {
  const Kernel kernel = lower(replay(space.program(), space.derive(configuration)), {.target = Target::cuda});
  const auto t = total(counted_traffic(kernel, compiler));
  static int number = 0;
  if (!o.out.empty())
    std::ofstream(std::filesystem::path(o.out) / fmt::format("{:03}.cu", number++)) << emit_source(kernel);
  const auto each = [&](std::uint64_t n, std::uint64_t bytes = 1) {
    return static_cast<double>(n * bytes) / c.cells;
  };
  const cuda_host::Accesses in = t.loads(), out = t.stores();
  const auto sectors = [&](std::uint64_t cuda_host::Accesses::*n) {
    return each(in.*n + out.*n, cuda_host::kSectorBytes);
  };
  std::string device = fmt::format("{:>4} {:>5} {:>5} {:>5}", "", "", "", "");
  if (!nvcc().empty()) {
    const Resources r = resources(emit_source(kernel), o.arch, folder);
    device = fmt::format("{:>4} {:>5} {:>5} {:>5.2f}", r.registers, r.spills, r.instructions,
                         occupancy({t.threads, static_cast<std::size_t>(r.registers), t.shared_bytes},
                                   multiprocessor(cuda::parse_architecture(o.arch))));
  }
  fmt::print("{:<22} {:>6.1f} {:>7.1f} {:>8.1f} {:>7.1f}  {} {:>7} {:>6}x{:<4}  {}\n", c.name,
             each(in.bytes + out.bytes), sectors(&cuda_host::Accesses::sectors),
             sectors(&cuda_host::Accesses::by_block), sectors(&cuda_host::Accesses::by_warp), device,
             t.shared_bytes, t.blocks, t.threads, space.structure(configuration));
  for (const auto& a : o.arrays ? t.arrays : std::vector<cuda_host::ArrayTraffic>{})
    fmt::print("  {:<20} {:>6.1f} {:>7.1f} {:>8.1f} {:>7.1f}\n", a.array,
               each(a.loads.bytes + a.stores.bytes), each(a.loads.sectors + a.stores.sectors, 32),
               each(a.loads.by_block + a.stores.by_block, 32), each(a.loads.by_warp + a.stores.by_warp, 32));
  std::fflush(stdout);
}

void print_case(const Case& c, const Options& o, NativeCompiler& compiler,
                const std::filesystem::path& folder) {
  SpaceOptions options;
  options.target = Target::cuda, options.local_bytes = o.local_kb * 1024, options.compute_units = o.units;
  if (o.caller_layout) options.only_layout = kCallersLayout;
  const Space space(c.program, options);
  std::size_t printed = 0;
  for (const Configuration& configuration : space.seeds()) {
    if (printed == o.variants) break;
    try {
      print_row(c, space, configuration, o, compiler, folder);
      ++printed;
    } catch (const UserError&) {  // impossible as asked: the next is the first that is tried
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What kernels for CUDA do in global memory, counted without a device"};
  Options o;
  app.add_option("--box", o.box, "interior cells a dimension")->capture_default_str();
  app.add_option("--boxes", o.boxes)->capture_default_str();
  app.add_option("--only", o.only, "cases whose names contain this");
  app.add_option("--variants", o.variants, "the first so many that would be tried")->capture_default_str();
  app.add_option("--arch", o.arch, "for which nvcc, where it is installed, says registers and instructions")
      ->capture_default_str();
  app.add_option("--local", o.local_kb,
                 "KB of shared memory that a block may have (163 on sm_80, 227 on sm_90)")
      ->capture_default_str();
  app.add_option("--units", o.units,
                 "multiprocessors that tiles are chosen for, by how many boxes are counted; 0: not known")
      ->capture_default_str();
  app.add_option("--out", o.out, "keep the sources in this folder, in the order of the rows");
  app.add_flag("--arrays", o.arrays, "also by array");
  app.add_option("FILE", o.files,
                 "programs of users, at the sizes that they say, instead of operators; bytes a cell of all");
  app.add_flag("--caller-layout", o.caller_layout, "leave all arrays in the caller's layout");
  CLI11_PARSE(app, argc, argv);
  try {
    NativeCompiler compiler;
    const auto folder =
        std::filesystem::temp_directory_path() / fmt::format("liftgen-gpu-traffic-{}", ::getpid());
    std::filesystem::create_directories(folder);
    if (!o.out.empty()) std::filesystem::create_directories(o.out);
    fmt::print("{:<22} {:>6} {:>7} {:>8} {:>7}  {:>4} {:>5} {:>5} {:>5} {:>7} {:>11}\n",
               "bytes a cell and sweep", "bytes", "sectors", "by block", "by warp", "regs", "spill", "instr",
               "occ", "shared", "grid");
    if (o.files.empty())
      for (const Case& c : operators(o)) print_case(c, o, compiler, folder);
    for (const std::string& file : o.files) print_case(program_of(file), o, compiler, folder);
    std::filesystem::remove_all(folder);
  } catch (const UserError& e) {
    fmt::print(stderr, "bench_gpu_traffic: {}\n", e.what());
    return 2;
  }
}
