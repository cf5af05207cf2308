#include "tests/fuzz/programs/devices.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "runtime/apart_device.hpp"
#include "runtime/cuda_host.hpp"
#include "runtime/file.hpp"
#include "runtime/opencl.hpp"
#include "tests/fuzz/programs/one_file.hpp"
#include "tests/fuzz/programs/stored.hpp"
#include "tuning/grid_launches.hpp"

namespace lift::fuzz {
namespace {

GridDevice& device_for(Target target) {
  static NativeCompiler compiler;
  if (target == Target::cuda) {
    static const std::shared_ptr<GridDevice> cuda = make_cuda_host_device(compiler);
    return *cuda;
  }
  // Its driver's compiler gives up over some kernels by ending the process (docs/decisions/0009).
  static const std::shared_ptr<GridDevice> opencl =
      open_apart([] { return std::make_unique<opencl::Device>(); }, opencl::is_open());
  return *opencl;
}

GridArg number_argument(const KernelArgument& a, const Stored& s) {
  const auto as = [&]<class T>(T v) {
    std::memcpy(&v, s.data(), sizeof v);
    return GridArg(v);
  };
  switch (a.type.scalar()) {
    case Scalar::f32:
      return as(float{});
    case Scalar::f64:
      return as(double{});
    default:
      return as(std::int32_t{});
  }
}

std::string device_source(const Kernel& k) {
  std::string source = emit_source(k);
  const std::string contracted = "#pragma OPENCL FP_CONTRACT ON";
  if (const std::size_t at = source.find(contracted); at != std::string::npos)
    source.replace(at, contracted.size(), "#pragma OPENCL FP_CONTRACT OFF");  // the interpreter's numbers
  return source;
}

Outcome run_on(GridDevice& device, GridProgram& program, const Kernel& k, const Case& c, const Data& data) {
  Interpreter in;
  std::vector<std::vector<unsigned char>> storage;
  std::vector<GridArg> args;
  for (const KernelArgument& a : k.arguments) {
    storage.emplace_back(bytes_of(a, in));
    const Stored s{a, in, storage.back().data()};
    s.fill(data);
    if (!a.type.is_array()) {
      args.push_back(number_argument(a, s));
      continue;
    }
    const GridMemory memory = device.allocate(storage.back().size());
    device.write(memory, storage.back().data(), memory->bytes());
    args.emplace_back(memory);
  }
  device.run(called(k, grid_launches(k, program), args));
  for (std::size_t r = 0; r < k.results.size(); ++r)
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (k.arguments[i].name != k.results[r]) continue;
      device.read(args[i].memory(), storage[i].data(), storage[i].size());
      const std::string fault =
          Stored{k.arguments[i], in, storage[i].data()}.fault(data.expected.at(r), tolerance_of(c, data));
      if (!fault.empty()) return {Verdict::wrong, fault};
    }
  return {Verdict::right};
}

}  // namespace

double tolerance_of(const Case& c, const Data& data) {
  if (c.choice == Case::Choice::written || (c.choice == Case::Choice::derived && !reassociated(c.derivation)))
    return 0;
  for (const ProgramResult& r : data.results)
    if (element_of(r.type).scalar() == f32) return 1e-4;
  return 1e-6;
}

namespace {

/// What goes wrong on the way, as an outcome.
template <class F>
Outcome tried(const F& f) {
  try {
    return f();
  } catch (const KernelFault& e) {
    // Kernels do not call abort(), the driver's compiler does.
    const bool gave_up = std::string_view(e.what()).ends_with("Aborted");
    return {gave_up ? Verdict::unknown : Verdict::crashed, e.what()};
  } catch (const UserError& e) {
    return {Verdict::refused, e.what()};
  } catch (const EnvironmentError& e) {
    return {Verdict::unknown, e.what()};
  } catch (const std::exception& e) {
    return {Verdict::defect, std::string("lower: ") + e.what()};
  }
}

/// A kernel of a case, or why there is none.
struct Emitted {
  const OnDevice* of;
  Kernel kernel = {};
  std::string source = {};
  std::optional<Outcome> outcome = {};
};

/// Kernels that go into one source, in one process; where they are not compiled or do not end well, each by
/// itself.
void run_together(std::vector<Emitted*> all) {
  OneFile file;
  std::vector<Emitted*> left;
  std::erase_if(all, [&](Emitted* m) {
    const bool taken = file.takes(m->source);
    if (!taken) left.push_back(m);
    return !taken;
  });
  const auto run_all = [&]() -> Outcome {
    GridDevice& device = device_for(all.front()->of->made.target);
    const GridBuild built = device.build(file.code());
    if (!built.program) {
      const std::size_t at = built.error.find("error:");
      return {at == std::string::npos ? Verdict::unknown : Verdict::not_compiled,
              built.error.substr(at == std::string::npos ? 0 : at, 300)};
    }
    for (Emitted* m : all)
      m->outcome =
          tried([&] { return run_on(device, *built.program, m->kernel, m->of->made, *m->of->data); });
    return {Verdict::right};
  };
  const Outcome compiled = tried(run_all);
  if (compiled.verdict != Verdict::right) {
    if (all.size() == 1)
      all.front()->outcome = compiled;
    else
      for (Emitted* m : all) run_together({m});
  }
  if (!left.empty()) run_together(left);
}

}  // namespace

std::vector<Outcome> on_devices(const std::vector<OnDevice>& cases) {
  std::vector<Emitted> made;
  for (const OnDevice& c : cases) {
    Emitted m{&c};
    const Outcome emitted = tried([&]() -> Outcome {
      m.kernel = kernel_of(c.made, "made" + std::to_string(made.size()));
      m.source = device_source(m.kernel);
      return {Verdict::right};
    });
    if (emitted.verdict != Verdict::right) m.outcome = emitted;
    made.push_back(std::move(m));
  }
  for (const Target t : {Target::cuda, Target::opencl}) {
    std::vector<Emitted*> all;
    for (Emitted& m : made)
      if (!m.outcome && m.of->made.target == t) all.push_back(&m);
    if (!all.empty()) run_together(std::move(all));
  }
  std::vector<Outcome> outcomes;
  for (Emitted& m : made) outcomes.push_back(*m.outcome);
  return outcomes;
}

Outcome on_device(const Case& c, const Data& data) {
  return on_devices({{c, std::make_shared<const Data>(data)}}).front();
}

Outcome stand_alone(const Case& c, const std::filesystem::path& folder) {
  const Kernel kernel = kernel_of(c, "alone"), reference = lower(
                                                   [&] {
                                                     Program p = subject(c);
                                                     p.name = "alone";
                                                     return p;
                                                   }(),
                                                   {.target = Target::openmp});
  const auto file = [&](const char* name) { return (folder / name).string(); };
  write_file_atomically(file("alone.c"), emit_openmp(kernel));
  write_file_atomically(file("alone.h"), emit_header(kernel));
  write_file_atomically(file("alone_main.c"), emit_caller(kernel, reference, c.sizes));
  ProcessOptions options;
  options.timeout_seconds = 60, options.directory = folder.string();
  const ProcessResult built =
      run_process({"gcc", "-std=c11", "-O1", "-march=native", "-ffp-contract=off", "-DSCALAR_MATH",
                   "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                   "-Werror=incompatible-pointer-types", "alone.c", "alone_main.c", "-lm", "-o", "alone"},
                  options);
  if (built.status != 0) {
    const std::size_t at = built.output.find("error:");
    if (at == std::string::npos) return {Verdict::unknown, built.output.substr(0, 300)};
    return {Verdict::not_compiled, "caller: " + built.output.substr(at, 300)};
  }
  // The sanitizer maps terabytes, which the driver may not.
  std::vector<std::string> command{"sh", "-c", "ulimit -S -v unlimited; exec \"$@\"", "sh", file("alone")};
  for (const std::string& s : kernel.sizes) command.push_back(std::to_string(c.sizes.at(s)));
  const ProcessResult ran = run_process(command, options);
  if (ran.timed_out) return {Verdict::unknown, "caller: not ended"};
  if (ran.status == 0) return {Verdict::right};
  const std::size_t at = ran.output.find("ERROR: ");
  const std::size_t from = at != std::string::npos ? at : ran.output.find("runtime error");
  return {from == std::string::npos && ran.status == 1 ? Verdict::wrong : Verdict::crashed,
          "caller: " + ran.output.substr(from == std::string::npos ? 0 : from, 300)};
}

}  // namespace lift::fuzz
