// The command as users meet it: what it prints for good and bad input, and its exit status.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "ir/expr/ops.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "runtime/process.hpp"
#include "tests/cli/command.hpp"
#include "tests/runtime/fake_cuda.hpp"
#include "tests/runtime/scratch.hpp"
#include "tuning/search/replay.hpp"

using namespace lift;
using lift::test::Scratch;

namespace cli_test {
namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

const std::vector<std::string> kTiny = {"--box", "8", "--boxes", "2"};
std::vector<std::string> with_tiny(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kTiny.begin(), kTiny.end());
  return arguments;
}

}  // namespace

TEST_CASE("cli: unknown commands, operators and options name what is near") {
  check_refused({"smoth3d", "--explore"}, 2, {"unknown operator 'smoth3d'", "smooth3d"});
  check_refused({"run", "smoth3d"}, 2, {"unknown operator 'smoth3d'", "did you mean 'smooth3d'"});
  check_refused({"explor", "smooth3d"}, 2, {"unknown command 'explor'", "did you mean 'explore'"});
  check_refused({"smooth3d"}, 2, {"liftgen smooth3d --explore"});
  check_refused({"run", "smooth3d", "--bocks", "4"}, 2, {"--bocks: unknown option", "did you mean --box"});
  check_refused({"run"}, 2, {"run: an operator or a .lift file is missing, as in `liftgen run smooth3d`"});
  check_refused({"smooth3d", "--explor"}, 2, {"--explor: unknown option; did you mean --explore?"});
  check_refused({"README.md", "--explore"}, 2,
                {"unknown operator 'README.md'", "a program of your own is a file whose name ends in .lift"});
  check_refused({"smooth3d", "--explore", "--budget", "ten"}, 2, {"--budget ten: this is no number"});
  check_refused({"run", "smooth3d", "--box"}, 2, {"--box: a value is missing"});
  check_refused({"run", "smooth3d", "--box", "8", "--box", "9"}, 2, {"--box: given more than once"});
  check_refused({"run", "smooth3d", "--xyzzy"}, 2, {"--xyzzy: unknown option; `liftgen run --help`"});
  check_refused({"--box", "8"}, 2, {"--box", "command"});
  check_refused({"run", "smooth3d", "surplus"}, 2, {"surplus"});
}

TEST_CASE("cli: values that make no sense name the argument and the remedy") {
  check_refused({"smooth3d", "--explore", "--box", "0"}, 2, {"--box 0", "--box 1 or more"});
  check_refused({"smooth3d", "--explore", "--box", "-3"}, 2, {"--box -3"});
  check_refused({"smooth3d", "--explore", "--box", "many"}, 2, {"--box", "many"});
  check_refused(
      {"run", "smooth3d", "--box", "8,10"}, 2,
      {"--box 8,10: the boxes of smooth3d have 3 dimensions; give one number for all, or one for each"});
  check_refused({"run", "axpy1d", "--box", "8,10"}, 2, {"the boxes of axpy1d have 1 dimension; give"});
  check_refused({"run", "smooth3d", "--box", "8,0,8"}, 2, {"--box 8,0,8", "--box 1 or more"});
  check_refused({"run", "smooth3d", "--box", "8,,8"}, 2, {"--box:  is no whole number"});
  check_refused({"run", "smooth3d", "--box", "8,10,7", "--bc", "periodic"}, 2, {"--box 8,10,7", "even"});
  check_refused({"run", "residual_restriction2d", "--box", "8,7"}, 2, {"--box 8,7", "even"});
  check_refused({"emit", "smooth3d", "--box", "8,10,12", "--symbolic"}, 2,
                {"--box 8,10,12 --symbolic: kernels whose sizes are arguments are for cubes"});
  check_refused({"smooth3d", "--explore", "--box", "8,8,100000000000"}, 2,
                {"--box 8,8,100000000000", "use fewer"});
  check_refused({"run", "smooth3d", "--db", ":memory:"}, 2,
                {"--db :memory:: what is found would be forgotten"});
  check_refused({"smooth3d", "--explore", "--boxes", "0"}, 2, {"--boxes 0"});
  check_refused({"smooth3d", "--explore", "--ghost", "0"}, 2,
                {"--ghost 0", "ghost too thin", "--ghost 1 or more"});
  check_refused({"smooth3d", "--explore", "--box", "5", "--bc", "periodic"}, 2, {"--box 5", "even"});
  check_refused({"smooth3d", "--explore", "--bc", "open"}, 2, {"--bc open", "periodic"});
  check_refused({"smooth3d", "--explore", "--type", "f16"}, 2, {"--type f16", "f32 or f64"});
  check_refused({"smooth3d", "--explore", "--backend", "fortran"}, 2,
                {"--backend fortran", "openmp, opencl or cuda, or auto"});
  check_refused({"smooth3d", "--explore", "--smoother", "sor"}, 2, {"--smoother sor", "gsrb", "jacobi"});
  check_refused({"smooth3d", "--explore", "--search", "luck"}, 2, {"--search luck", "random"});
  check_refused({"smooth3d", "--explore", "--budget", "0"}, 2, {"--budget"});
  check_refused({"smooth3d", "--explore", "--threads", "-1"}, 2, {"--threads -1"});
  check_refused({"smooth3d", "--explore", "--box", "100000000"}, 2, {"--box 100000000", "use fewer"});
  check_refused({"show", "smooth3d", "--stage", "middle"}, 2, {"--stage middle", "high, low, loops or code"});
}

TEST_CASE("cli: boxes that are no cubes are run, explored, emitted and remembered as such") {
  const Scratch scratch;
  const std::string at = scratch.path().string();
  const std::vector<std::string> box{"--box", "6,8,10", "--boxes", "2"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), box.begin(), box.end());
    const ProcessResult r = liftgen(arguments, at);
    CHECK_MESSAGE(r.status == 0, r.output);
    return r.output;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  for (const char* op : {"smooth3d", "residual_restriction3d", "prolongation3d", "norm3d", "thomas", "fillz",
                         "vertical_advection", "horizontal_diffusion"}) {
    CAPTURE(op);
    const std::string said = run({"run", op, "--no-db"});
    CHECK(has(said, "2 boxes of 6 x 8 x 10 cells"));
    CHECK(has(said, "verified"));
  }
  const std::string explored = run({"explore", "smooth3d", "--bc", "neumann", "--configs", "3", "--sweeps",
                                    "1", "--json", "r.json", "--report", "r.html", "--no-db"});
  CHECK(has(explored, "0 wrong"));
  CHECK(has(read_file(scratch.path() / "r.json"), "\"sides\": ["));
  CHECK(has(read_file(scratch.path() / "r.json"), "--box 6,8,10 --boxes 2"));
  CHECK(has(read_file(scratch.path() / "r.html"), "2 boxes of 6 x 8 x 10 cells, f64"));
  run({"emit", "smooth3d", "--out", ".", "--no-db"});
  CHECK(has(read_file(scratch.path() / "smooth3d.c"), "generate(6, 8, 10,"));
  // As many equal numbers are a cube.
  CHECK(has(liftgen({"run", "smooth3d", "--box", "8,8,8", "--boxes", "1", "--no-db"}, at).output,
            "1 boxes of 8^3 cells"));
}

TEST_CASE("cli: rules that LIFTGEN_TRACE names and nobody has are said") {
  const ProcessResult r = liftgen({"rules"}, "", {"LIFTGEN_TRACE=map-fusin,all,map-fusion,x"});
  CHECK(r.status == 0);
  CHECK(r.output.find("LIFTGEN_TRACE: there is no rule 'map-fusin'; did you mean 'map-fusion'?") !=
        std::string::npos);
  CHECK(r.output.find("there is no rule 'x'; liftgen rules") != std::string::npos);
  CHECK(r.output.find("there is no rule 'map-fusion'") == std::string::npos);
  CHECK(r.output.find("there is no rule 'all'") == std::string::npos);
}

TEST_CASE("cli: files that cannot be written are refused before any work") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "file").string();
  write_file_atomically(file, "x");
  check_refused({"smooth3d", "--explore", "--json", file + "/below.json"}, 2,
                {"--json", "cannot be written"});
  check_refused({"smooth3d", "--explore", "--json", (scratch.path() / "missing" / "x.json").string()}, 2,
                {"--json", "missing"});
  check_refused({"smooth3d", "--explore", "--json", scratch.path().string()}, 2,
                {"--json", "is a directory"});
  check_refused({"smooth3d", "--explore", "--record", file + "/below.jsonl"}, 2,
                {"--record", "cannot be written"});
  check_refused({"smooth3d", "--explore", "--record", "x", "--json", "x"}, 2, {"give them two names"});
  check_refused({"smooth3d", "--explore", "--out", file}, 2, {"--out", file});
  check_refused({"emit", "smooth3d", "--out", file + "/below"}, 2, {"--out"});
  check_refused({"run", "smooth3d", "--derivation", (scratch.path() / "none").string()}, 2, {"none"});
  CHECK(files_in(scratch.path()).size() == 1);
}

TEST_CASE("cli: a derivation that makes no sense is refused") {
  const Scratch scratch;
  const auto file = scratch.path() / "steps";
  write_file_atomically(file, "no-such-rule at body\n");
  check_refused(with_tiny({"show", "smooth3d", "--stage", "low", "--derivation", file.string()}), 2,
                {"no-such-rule"});
}

TEST_CASE("cli: without a C compiler it says which package to install") {
  check_refused(with_tiny({"smooth3d", "--explore"}), 3, {"no C compiler", "apt-get install gcc"},
                {"PATH=/nonexistent", "CC="});
}

TEST_CASE("cli: a missing OpenCL loader is named") {
  check_refused(with_tiny({"smooth3d", "--explore", "--backend", "opencl"}), 3, {"OpenCL"},
                {"LIFTGEN_OPENCL_LIBRARY=/nonexistent.so"});
}

TEST_CASE(
    "cli: without an OpenCL driver, or on a device that is not there, it says what there is and how to get "
    "more") {
  check_refused({"run", "smooth3d", "--backend", "opencl", "--box", "8", "--boxes", "1"}, 3,
                {"no OpenCL platform", "apt-get install"}, {"OCL_ICD_VENDORS=/nonexistent"});
  if (opencl::why_unavailable().empty())
    check_refused({"run", "smooth3d", "--backend", "opencl", "--device", "99", "--box", "8", "--boxes", "1"},
                  3, {"there is no OpenCL device 99; choose with --device from 0 (", "--device"});
}

TEST_CASE("cli: --backend auto takes a GPU where there is one, on which smoothers are explored by depth") {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string none = "LIFTGEN_OPENCL_LIBRARY=/nonexistent.so", ms = "FAKE_CUDA_MS=20";
  const std::vector<std::string> run{"run", "axpy2d",    "--box", "8",      "--boxes",
                                     "1",   "--backend", "auto",  "--no-db"};
  const ProcessResult processors = liftgen(run, "", {"LIFTGEN_CUDA_LIBRARY=/nonexistent", none});
  CHECK_MESSAGE(processors.status == 0, processors.output);
  CHECK_FALSE(has(processors.output, "Fake"));
  const std::vector<std::string> gpu{"LIFTGEN_CUDA_LIBRARY=" + test::fake_cuda_library(),
                                     "LIFTGEN_NVRTC_LIBRARY=" + test::fake_cuda_library(),
                                     "FAKE_CUDA_RUNS=" + test::emulated_kernels_library(), none, ms};
  const ProcessResult on_gpu = liftgen(run, "", gpu);
  CHECK_MESSAGE(on_gpu.status == 0, on_gpu.output);
  CHECK(has(on_gpu.output, "on Fake 0"));
  CHECK(has(on_gpu.output, "verified"));
  // A sweep takes half as long where two are done in a pass, as every call takes equally long there.
  const Scratch scratch;
  const ProcessResult depths = liftgen({"explore", "smooth3d", "--box", "8", "--boxes", "2", "--backend",
                                        "auto", "--no-db", "--configs", "1", "--budget", "100", "--quiet"},
                                       scratch.path().string(), gpu);
  CHECK_MESSAGE(depths.status == 0, depths.output);
  CHECK(has(depths.output, "times of one sweep, by how many are done in a call"));
  CHECK(has(depths.output, "\n       2       10"));
  CHECK(has(depths.output, "on Fake 0"));
}

TEST_CASE("cli: what CUDA lacks is named, with the remedy") {
  const std::string driver = "LIFTGEN_CUDA_LIBRARY=" + test::fake_cuda_library(),
                    compiler = "LIFTGEN_NVRTC_LIBRARY=" + test::fake_cuda_library();
  const std::vector<std::string> run = with_tiny({"explore", "smooth3d", "--backend", "cuda"});
  check_refused(run, 3, {"no CUDA driver", "--emulate"}, {"LIFTGEN_CUDA_LIBRARY=/nonexistent"});
  check_refused(run, 3, {"no CUDA compiler", "NVRTC", "LIFTGEN_NVRTC_LIBRARY"},
                {driver, "LIFTGEN_NVRTC_LIBRARY=/nonexistent"});
  check_refused(run, 3, {"no CUDA device"}, {driver, compiler, "FAKE_CUDA_FAIL=cuInit:0:100"});
  check_refused(with_tiny({"explore", "smooth3d", "--backend", "cuda", "--device", "7"}), 3,
                {"there is no CUDA device 7; choose with --device from 0 (Fake 0)"}, {driver, compiler});
  check_refused(with_tiny({"explore", "smooth3d", "--backend", "cuda", "--quiet"}), 3,
                {"does not compile for sm_61, only for sm_75"}, {driver, compiler, "FAKE_CUDA_COMPUTE=61"});
  check_refused(with_tiny({"explore", "smooth3d", "--backend", "cuda", "--quiet"}), 3,
                {"of 125 KB together do not fit on Fake 0, which has 19 KB", "--boxes"},
                {driver, compiler, "FAKE_CUDA_MEMORY=20000"});
  check_refused({"run", "smooth3d", "--emulate"}, 2, {"--emulate", "--backend cuda"});
  check_refused({"run", "smooth3d", "--backend", "auto", "--emulate"}, 2, {"--backend auto --emulate"});
  const ProcessResult machine = liftgen({"machine"}, "", {driver, compiler});
  CHECK(machine.output.find("cuda      --device 0: Fake 0 (sm_90, driver of CUDA 12.4)") !=
        std::string::npos);
}

TEST_CASE("cli: arrays that a device has no memory for are refused before anything is computed") {
  const std::string driver = "LIFTGEN_CUDA_LIBRARY=" + test::fake_cuda_library(),
                    compiler = "LIFTGEN_NVRTC_LIBRARY=" + test::fake_cuda_library();
  for (const char* command : {"run", "explore"}) {
    check_refused({command, "smooth3d", "--backend", "cuda", "--box", "2000", "--boxes", "1", "--quiet"}, 3,
                  {"does not fit on Fake 0, which allows 1024 MB in one; use a smaller --box"},
                  {driver, compiler});
    check_refused({command, "smooth3d", "--backend", "cuda", "--box", "256", "--boxes", "1", "--quiet"}, 3,
                  {"do not fit on Fake 0, which has", "use a smaller --box"}, {driver, compiler});
    if (opencl::why_unavailable().empty())
      check_refused({command, "axpy3d", "--backend", "opencl", "--box", "2000", "--boxes", "1", "--quiet"}, 3,
                    {"does not fit on", "use a smaller --box"}, {"POCL_MEMORY_LIMIT=1"});
    check_refused(
        {command, "smooth3d", "--backend", "cuda", "--emulate", "--box", "512", "--boxes", "1", "--quiet"}, 2,
        {"--emulate", "elements", "use a smaller --box"});
  }
}

TEST_CASE("cli: work-groups beyond a device's") {
  const Scratch scratch;
  const std::string driver = "LIFTGEN_CUDA_LIBRARY=" + test::fake_cuda_library(),
                    compiler = "LIFTGEN_NVRTC_LIBRARY=" + test::fake_cuda_library();
  const std::string decided = (scratch.path() / "decided.lift").string(),
                    plain = (scratch.path() / "plain.lift").string(),
                    steps = (scratch.path() / "steps").string();
  write_file_atomically(decided,
                        "size n = 65536\nparam xs : n.f64 = wave\nresult ys : n.f64 = xs |> split(16384) |> "
                        "map_wrg<0>(\\r. r |> map_lcl<0>(\\x. 2 * x)) |> join\n");
  write_file_atomically(
      plain, "size n = 65536\nparam xs : n.f64 = wave\nresult ys : n.f64 = xs |> map(\\x. 2 * x)\n");
  write_file_atomically(steps, "split-join 16384 at body\nmap-wrg 0 at 0\nmap-lcl 0 at 0.0.0\n");
  for (const std::vector<std::string>& run :
       {std::vector<std::string>{"run", decided}, {"run", plain, "--derivation", steps}}) {
    const auto on = [&](std::vector<std::string> more) {
      more.insert(more.begin(), run.begin(), run.end());
      more.insert(more.end(), {"--out", scratch.path().string()});
      return more;
    };
    if (opencl::why_unavailable().empty())
      check_refused(on({"--backend", "opencl"}), 3,
                    {"work-groups of 16384 work-items", "allows", "use smaller tiles"});
    check_refused(on({"--backend", "cuda"}), 3,
                  {"16384 x 1 x 1 threads, more than the 1024", "choose a smaller tile"}, {driver, compiler});
    check_refused(on({"--backend", "cuda", "--emulate"}), 3,
                  {"16384 x 1 x 1 threads, more than the 1024", "choose a smaller tile"});
  }
  write_file_atomically(steps, "split-join 128 at body\nmap-wrg 0 at 0\nmap-lcl 0 at 0.0.0\n");
  check_refused({"run", plain, "--derivation", steps, "--backend", "cuda", "--out", scratch.path().string()},
                3, {"too many registers", "use smaller ones"},
                {driver, compiler, "FAKE_CUDA_FAIL=cuLaunchKernel:0:701"});
}

TEST_CASE("cli: programs with decisions of their own run as they are written") {
  const Scratch scratch;
  const auto file = [&](const std::string& name, const std::string& text) {
    const std::string path = (scratch.path() / name).string();
    write_file_atomically(path,
                          "size n = 4096\nparam xs : n.f64 = wave\nresult ys : n.f64 = xs |> " + text + "\n");
    return path;
  };
  const std::string grid = file("grid.lift",
                                "split(64) |> map_wrg<0>(\\r. r |> map_lcl<0>(\\x. 2 * x)) |> join"),
                    threads =
                        file("threads.lift", "split(64) |> map_par(\\r. r |> map_seq(\\x. 2 * x)) |> join");
  const std::vector<std::string> out = {"--out", scratch.path().string()};
  const auto run = [&](const std::string& path, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", path});
    more.insert(more.end(), out.begin(), out.end());
    const ProcessResult r = liftgen(more);
    CAPTURE(r.output);
    CHECK(r.status == 0);
    CHECK(r.output.find("verified") != std::string::npos);
  };
  run(threads, {});
  run(grid, {"--backend", "cuda", "--emulate"});
  CHECK(read_file(scratch.path() / "grid.cu").find("__launch_bounds__(64)") != std::string::npos);
  if (opencl::why_unavailable().empty()) run(grid, {"--backend", "opencl"});
  // docs/TUTORIAL.md: a tile in local memory, and the barrier that nobody wrote.
  const std::string tile = (scratch.path() / "tile.lift").string();
  write_file_atomically(
      tile,
      "size n = 4096\nparam xs : (n + 2).f32 = wave\nresult ys : n.f32 =\n  xs |> slide(130, 128)\n  |> "
      "map_wrg<0>(\\part.\n       part |> map_lcl<0, items 128>(\\x. x) |> to_local\n"
      "       |> slide(3, 1) |> map_lcl<0>(\\w. (w[0] + w[1] + w[2]) / 3))\n  |> join\n");
  run(tile, {"--backend", "cuda", "--emulate"});
  const std::string kernel = read_file(scratch.path() / "tile.cu");
  CHECK(kernel.find("__shared__ float tile1[130];") != std::string::npos);
  CHECK(kernel.find("__syncthreads();") == kernel.rfind("__syncthreads();"));
  CHECK(kernel.find("__syncthreads();") != std::string::npos);
  check_refused({"run", grid}, 2, {"map_lcl", "for a grid of work-items; use --backend opencl or cuda"});
  check_refused({"run", threads, "--backend", "cuda", "--emulate"}, 2,
                {"map_seq", "for processors; use --backend openmp"});
  check_refused({"explore", threads, "--quiet"}, 2,
                {"decisions have been taken in it (map_seq)", "nothing to explore"});
}

TEST_CASE("cli: CUDA kernels run on the emulation") {
  const ProcessResult result =
      liftgen({"run", "smooth3d", "--backend", "cuda", "--emulate", "--box", "5", "--boxes", "1"});
  CAPTURE(result.output);
  CHECK(result.status == 0);
  CHECK(result.output.find("on emulated CUDA device, whose times mean nothing") != std::string::npos);
  CHECK(result.output.find("verified, error") != std::string::npos);
}

TEST_CASE("cli: the operator reference is up to date (liftgen list --markdown > docs/operators.md)") {
  const ProcessResult page = liftgen({"list", "--markdown"});
  CHECK(page.status == 0);
  CHECK(page.output == read_file(LIFTGEN_SOURCE_DIR "/docs/operators.md"));
}

TEST_CASE("cli: an emitted header says which argument holds the result that is written in place") {
  const Scratch d;
  CHECK(liftgen({"emit", "smooth2d", "--out", d.path().string(), "--no-db"}).status == 0);
  CHECK(read_file(d.path() / "smooth2d.h")
            .find("phi        double [64][66][66], read and written: the result") != std::string::npos);
}

TEST_CASE("cli: the list of primitives is up to date (liftgen list --primitives > docs/primitives.md)") {
  const ProcessResult page = liftgen({"list", "--primitives"});
  CHECK(page.status == 0);
  CHECK(page.output == read_file(LIFTGEN_SOURCE_DIR "/docs/primitives.md"));
  for (std::size_t i = 0; i < static_cast<std::size_t>(Op::Count); ++i) {
    const OpRow& r = row(static_cast<Op>(i));
    CAPTURE(r.text);
    if (r.cls != OpClass::Leaf && r.cls != OpClass::Binding && r.op != Op::UserFun)
      CHECK(page.output.find("| " + std::string(r.text) + " | ") != std::string::npos);
  }
}

TEST_CASE("cli: list, rules and machine") {
  const ProcessResult list = liftgen({"list"});
  CHECK(list.status == 0);
  CHECK(list.output.find("smooth3d") != std::string::npos);
  CHECK(list.output.find("64 compulsory bytes a cell") != std::string::npos);
  const ProcessResult one = liftgen({"list", "residual3d"});
  CHECK(one.status == 0);
  CHECK(one.output.starts_with("residual3d  "));
  CHECK(list.output.find(one.output) != std::string::npos);
  CHECK(one.output.size() < list.output.size() / 5);
  check_refused({"list", "residual4d"}, 2, {"unknown operator 'residual4d'", "did you mean 'residual"});
  const ProcessResult rules = liftgen({"rules"});
  CHECK(rules.status == 0);
  CHECK(rules.output.find("map-") != std::string::npos);
  CHECK(liftgen({"rules", "--lint"}).status == 0);
}

TEST_CASE("cli: every stage of an operator can be shown, and a derivation replayed") {
  for (const char* stage : {"high", "low", "loops", "code"}) {
    const ProcessResult result = liftgen(with_tiny({"show", "smooth3d", "--stage", stage}));
    CAPTURE(stage);
    CAPTURE(result.output);
    CHECK(result.status == 0);
    CHECK(result.output.find("phi") != std::string::npos);
  }
  const Scratch scratch;
  const auto file = scratch.path() / "steps";
  write_file_atomically(file, "update-in-place at body\n");
  const ProcessResult replayed =
      liftgen(with_tiny({"show", "smooth3d", "--stage", "low", "--derivation", file.string()}));
  CAPTURE(replayed.output);
  CHECK(replayed.status == 0);
  CHECK(replayed.output.find("// derivation:\n//   update-in-place at body\n") != std::string::npos);
  const std::string code = liftgen(with_tiny({"show", "smooth3d"})).output;
  CHECK(code.find("void smooth3d(") != std::string::npos);
  CHECK(code.find("update-in-place at body") != std::string::npos);
  CHECK(liftgen(with_tiny({"show", "smooth3d", "--backend", "opencl"})).output.find("__kernel") !=
        std::string::npos);
}

TEST_CASE("cli: an emitted kernel compiles and runs without liftgen") {
  const Scratch scratch;
  const ProcessResult emitted = liftgen(with_tiny({"emit", "smooth3d", "--out", scratch.path().string()}));
  CAPTURE(emitted.output);
  REQUIRE(emitted.status == 0);
  for (const char* name : {"smooth3d.c", "smooth3d.h", "smooth3d_main.c"})
    CHECK(std::filesystem::exists(scratch.path() / name));
  const ProcessResult compiled =
      run_process({"cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-march=native", "-fopenmp",
                   "smooth3d.c", "smooth3d_main.c", "-lm", "-o", "kernel"},
                  ProcessOptions{.timeout_seconds = 60, .directory = scratch.path().string()});
  CAPTURE(compiled.output);
  REQUIRE(compiled.status == 0);
  const ProcessResult ran = run_process({(scratch.path() / "kernel").string()});
  CHECK(ran.status == 0);
  CHECK(ran.output.find("correct") != std::string::npos);
}

TEST_CASE("cli: run verifies, and says so") {
  const Scratch scratch;
  const ProcessResult result =
      liftgen(with_tiny({"run", "smooth3d", "--smoother", "jacobi", "--out", scratch.path().string()}));
  CAPTURE(result.output);
  CHECK(result.status == 0);
  CHECK(result.output.find("verified") != std::string::npos);
}

TEST_CASE("cli: explore prints a leaderboard and the derivation, and writes kernel and JSON") {
  const Scratch scratch;
  const std::string json = (scratch.path() / "result.json").string();
  const ProcessResult result =
      liftgen(with_tiny({"smooth3d", "--explore", "--configs", "4", "--budget", "3600", "--json", json,
                         "--out", scratch.path().string(), "--verbose"}));
  CAPTURE(result.output);
  REQUIRE(result.status == 0);
  for (const char* part : {"times of one sweep, by how many are done in a call", "variant", "speedup",
                           "plain", "traffic twin", "best: ", "verified", "kernel: ", "compiling"}) {
    CAPTURE(part);
    CHECK(result.output.find(part) != std::string::npos);
  }
  CHECK(result.output.find('\r') == std::string::npos);
  const auto parsed = nlohmann::json::parse(read_file(json));
  CHECK(parsed["schema"] == 1);
  CHECK(parsed["best"]["verified"] == true);
  CHECK(parsed["best"]["speedup"] > 0);
  CHECK(parsed["best"]["roofline"] > 0);
  CHECK(parsed["counts"]["configurations"] == 4);
  CHECK(std::filesystem::exists(parsed["best"]["source"].get<std::string>()));

  const std::string again = (scratch.path() / "again.json").string(),
                    sweeps = std::to_string(parsed["best"]["sweeps"].get<int>());
  const ProcessResult begun = liftgen(
      with_tiny({"smooth3d", "--explore", "--configs", "1", "--budget", "3600", "--from", json, "--json",
                 again, "--out", scratch.path().string(), "--sweeps", sweeps, "--ghost", sweeps}));
  CAPTURE(begun.output);
  REQUIRE(begun.status == 0);
  CHECK(begun.output.find("times of one sweep") == std::string::npos);
  CHECK(nlohmann::json::parse(read_file(again))["best"]["params"] == parsed["variants"][0]["params"]);
  check_refused({"smooth3d", "--explore", "--from", parsed["best"]["source"].get<std::string>()}, 2,
                {"--from", "no report"});
}

TEST_CASE("cli: explore records what it tries, of each depth") {
  const Scratch scratch;
  const std::string record = (scratch.path() / "tried.jsonl").string();
  const ProcessResult result =
      liftgen(with_tiny({"smooth3d", "--explore", "--configs", "3", "--budget", "3600", "--record", record,
                         "--out", scratch.path().string()}));
  CAPTURE(result.output);
  REQUIRE(result.status == 0);
  const std::vector<Recording> all = recordings_in(read_file(record));
  REQUIRE(all.size() >= 2);
  std::set<int> sweeps;
  for (const Recording& r : all) {
    CHECK(r.program == "smooth3d");
    CHECK(r.tried.size() >= 3);
    CHECK(best_known(r) > 0);
    sweeps.insert(r.problem.sweeps);
  }
  CHECK(sweeps.contains(1));
  CHECK(sweeps.size() >= 2);
}

TEST_CASE("cli: Ctrl-C keeps what was found, and leaves no half-written file") {
  const Scratch scratch;
  const std::string json = (scratch.path() / "result.json").string();
  ProcessOptions options;
  options.timeout_seconds = 1000;
  const ProcessResult result = run_process({"timeout",  "--preserve-status",
                                            "-s",       "INT",
                                            "6",        kLiftgen,
                                            "smooth3d", "--explore",
                                            "--box",    "16",
                                            "--boxes",  "4",
                                            "--budget", "100000",
                                            "--search", "random",
                                            "--json",   json,
                                            "--out",    scratch.path().string()},
                                           options);
  CAPTURE(result.output);
  CHECK_FALSE(result.timed_out);
  if (result.status == 0) {
    CHECK(result.output.find("verified") != std::string::npos);
    CHECK(nlohmann::json::parse(read_file(json))["best"]["verified"] == true);
  } else {  // a slow machine had found nothing yet
    CHECK(result.status == 1);
    CHECK(result.output.find("no variant was verified") != std::string::npos);
  }
  for (const auto& file : files_in(scratch.path())) CHECK(file.string().find(".tmp") == std::string::npos);
}

}  // namespace cli_test
