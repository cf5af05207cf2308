// Stand-alone hosts of kernels over a grid: headers that launch, and callers with a main(), for OpenCL and
// CUDA.
#include <fmt/format.h>

#include <set>

#include "emit/c_like.hpp"
#include "emit/caller.hpp"
#include "emit/stand_alone.hpp"
#include "ir/error.hpp"
#include "lower/launches.hpp"

namespace lift {
namespace {

std::string listed(const std::array<std::size_t, 3>& s) {
  return fmt::format("{}, {}, {}", s[0], s[1], s[2]);
}

/// The parameters of a host function: arrays as `array` says.
std::string parameters(const Kernel& k, const std::function<std::string(const KernelArgument&)>& array) {
  std::vector<std::string> all;
  for (const std::string& n : k.sizes) all.push_back("long " + n);
  for (const KernelArgument& a : k.arguments)
    all.push_back((a.type.is_array() ? array(a) : c_type(a) + " ") + a.name);
  return joined(all);
}
std::string names(const Kernel& k) {
  std::vector<std::string> all = k.sizes;
  for (const KernelArgument& a : k.arguments) all.push_back(a.name);
  return joined(all);
}

/// An index as an expression of the host's.
std::string host_index(const Nat& n) {
  return index_text(
             n, [](const NatAtom& a) { return a.name; },
             [](const std::string& function, const std::string& a, const std::string& b) {
               const std::string rest = fmt::format("(({0}) % ({1}) + ({1})) % ({1})", a, b);
               return function == "mod"   ? "(" + rest + ")"
                      : function == "div" ? fmt::format("((({0}) - {2}) / ({1}))", a, b, rest)
                                          : fmt::format("(({0}) {2} ({1}) ? ({0}) : ({1}))", a, b,
                                                        function == "min" ? "<" : ">");
             },
             false)
      .in(5);
}

/// What the host does: `launch` for each launch, in loops of its own.
std::string in_host_loops(const Block& b, int indent,
                          const std::function<std::string(const Launch&, int indent)>& launch) {
  std::string s;
  for (const Stmt& x : b) {
    if (const auto* l = std::get_if<Launch>(&x.v)) s += launch(*l, indent);
    const auto* f = std::get_if<For>(&x.v);
    if (!f) continue;
    s += wrapped(fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3}) {{", f->var.str(),
                             host_index(f->lower), host_index(f->upper), host_index(f->step)),
                 indent) +
         "\n" + in_host_loops(f->body, indent + 1, launch) + wrapped("}", indent) + "\n";
  }
  return s;
}

/// The grid, where items in groups stay within it.
NDRange whole_range(NDRange r) {
  if (r.local[0])
    for (std::size_t& l : r.local) l = std::max<std::size_t>(l, 1);
  return r;
}

// ---- OpenCL

/// Launches in loops of the host's, one after the other.
std::string opencl_enqueues(const Kernel& k) {
  const auto own = [&](std::string name) {
    while (std::any_of(k.arguments.begin(), k.arguments.end(),
                       [&](const KernelArgument& a) { return a.name == name; }))
      name += "_";
    return name;
  };
  const std::string global = own("global_"), local = own("local_"), status = own("status_"),
                    kernel = own("kernel_");
  const auto launch = [&](const Launch& l, int indent) {
    const NDRange r = whole_range(l.range);
    std::string s;
    const auto add = [&](const std::string& text, int deeper = 1) {
      s += wrapped(text, indent + deeper) + "\n";
    };
    add(fmt::format("const size_t {}[3] = {{{}}}, {}[3] = {{{}}};", global, listed(r.global), local,
                    listed(r.local)));
    add(fmt::format("cl_int {} = CL_SUCCESS;", status));
    add(fmt::format("const cl_kernel {} = clCreateKernel(program_, \"{}\", &{});", kernel, l.name, status));
    add(fmt::format("if ({0} != CL_SUCCESS) return {0};", status));
    std::vector<std::string> all = k.sizes;
    for (const KernelArgument& a : k.arguments) all.push_back(a.name);
    all.insert(all.end(), l.steps.begin(), l.steps.end());
    for (std::size_t i = 0; i < all.size(); ++i)
      add(fmt::format("if ({0} == CL_SUCCESS) {0} = clSetKernelArg({1}, {2}, sizeof {3}, &{3});", status,
                      kernel, i, all[i]));
    add(fmt::format("if ({} == CL_SUCCESS)", status));
    add(fmt::format(
            "{0} = clEnqueueNDRangeKernel(queue_, {1}, 3, NULL, {2}, {3}[0] ? {3} : NULL, 0, NULL, NULL);",
            status, kernel, global, local),
        2);
    add(fmt::format("clReleaseKernel({});", kernel));
    add(fmt::format("if ({0} != CL_SUCCESS) return {0};", status));
    return wrapped("{", indent) + "\n" + s + wrapped("}", indent) + "\n";
  };
  return in_host_loops(k.body, 1, launch) + "  return CL_SUCCESS;\n}\n\n";
}
bool has_host_loops(const Kernel& k) {
  return std::any_of(k.body.begin(), k.body.end(),
                     [](const Stmt& s) { return std::holds_alternative<For>(s.v); });
}

constexpr const char* enqueue_loop = R"(  for (size_t l = 0; l < sizeof grid_ / sizeof *grid_; ++l) {
    cl_int status_ = CL_SUCCESS;
    const cl_kernel kernel_ = clCreateKernel(program_, grid_[l].name, &status_);
    if (status_ != CL_SUCCESS) return status_;
)";
constexpr const char* enqueue_end = R"(    if (status_ == CL_SUCCESS)
      status_ = clEnqueueNDRangeKernel(queue_, kernel_, 3, NULL, grid_[l].global, grid_[l].local[0] ? grid_[l].local : NULL, 0, NULL, NULL);
    clReleaseKernel(kernel_);
    if (status_ != CL_SUCCESS) return status_;
  }
  return CL_SUCCESS;
}

)";

std::string opencl_header(const Kernel& k) {
  std::string s =
      "#ifndef CL_TARGET_OPENCL_VERSION\n#define CL_TARGET_OPENCL_VERSION 120\n#endif\n#include "
      "<CL/cl.h>\n\n";
  s += "/* Enqueues what " + k.name + ".cl, built as program_, computes. */\n";
  s += wrapped("static inline cl_int " + k.name + "_enqueue(cl_command_queue queue_, cl_program program_, " +
                   parameters(k, [](const KernelArgument&) { return "cl_mem "; }) + ") {",
               0) +
       "\n";
  if (has_host_loops(k))
    return header_around(k, " On a device they are buffers.", s + opencl_enqueues(k), "");
  s += "  static const struct { const char *name; size_t global[3], local[3]; } grid_[] = {\n";
  for (const Launch& launch : launches_in(k)) {
    const NDRange r = whole_range(launch.range);
    s += "    {\"" + launch.name + "\", {" + listed(r.global) + "}, {" + listed(r.local) + "}},\n";
  }
  s += std::string("  };\n") + enqueue_loop;
  std::size_t index = 0;
  const auto argument = [&](const std::string& name) {
    s +=
        fmt::format("    if (status_ == CL_SUCCESS) status_ = clSetKernelArg(kernel_, {}, sizeof {}, &{});\n",
                    index++, name, name);
  };
  for (const std::string& n : k.sizes) argument(n);
  for (const KernelArgument& a : k.arguments) argument(a.name);
  return header_around(k, " On a device they are buffers.", s + enqueue_end, "");
}

constexpr const char* opencl_head =
    R"(/* Runs {0} on an OpenCL device and made-up data, compares it with the same expression as plain loops, and times it:
 *
 *   cc -O2 {0}_main.c -lOpenCL -lm -o {0}
 *   ./{0}{1}
 *
 * in the directory of {0}.cl. It ends with status 1 when results differ. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif
)";

constexpr const char* opencl_functions = R"(/* ---- the device */

static void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "%s failed: OpenCL error %d\n", what, (int)status);
  exit(1);
}

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "%s cannot be read here\n", path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  const long bytes = ftell(file);
  rewind(file);
  char *text = (char *)allocate((size_t)bytes + 1);
  if (bytes < 0 || fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
    fprintf(stderr, "%s cannot be read here\n", path);
    exit(1);
  }
  fclose(file);
  return text;
}

static cl_program build(cl_context context, cl_device_id device, const char *path) {
  cl_int status = CL_SUCCESS;
  char *text = read_text(path);
  const char *source = text;
  const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
  check(status, "clCreateProgramWithSource");
  free(text);
  if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
    static char log[20000];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "%s does not build:\n%s\n", path, log);
    exit(1);
  }
  return program;
}

static cl_mem on_device(cl_context context, void *from, size_t bytes) {
  cl_int status = CL_SUCCESS;
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, from, &status);
  check(status, "clCreateBuffer");
  return memory;
}

)";

constexpr const char* opencl_prepare = R"(  cl_platform_id platform = NULL;
  cl_device_id device = NULL;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
)";

class GridCaller : public Caller {
 public:
  GridCaller(const Kernel& kernel, const Kernel& reference, const std::map<std::string, std::int64_t>& sizes,
             const std::vector<std::string>& reserved)
      : Caller(kernel, reference, sizes) {
    reserved_.insert(reserved.begin(), reserved.end());
    for (const KernelArgument& a : k_.arguments)
      reserved_.insert(a.name + "_device"), reserved_.insert(a.name + "_stored");
  }

 protected:
  std::string bytes(const KernelArgument& a) const {
    return fmt::format("(size_t){} * sizeof *{}",
                       is_rearranged(a) ? "(" + stored_size(a) + ")" : stored_size(a), stored(a));
  }
  std::string on_device(const KernelArgument& a) const {
    return a.type.is_array() ? a.name + "_device" : var(a.name);
  }
  /// `text` for each array, which f is given.
  std::string each_array(const std::function<std::string(const KernelArgument&)>& f,
                         bool results_only = false) const {
    std::string s;
    for (const KernelArgument& a : k_.arguments)
      if (a.type.is_array() && (!results_only || is_result(a))) line(s, f(a));
    return s;
  }
};

class OpenCLCaller : public GridCaller {
 public:
  OpenCLCaller(const Kernel& kernel, const Kernel& reference,
               const std::map<std::string, std::int64_t>& sizes)
      : GridCaller(kernel, reference, sizes,
                   {"check", "read_text", "build", "on_device", "platform", "device", "status", "context",
                    "queue", "program", "exit", "fopen", "fclose", "fseek", "ftell", "fread", "rewind",
                    "FILE", kernel.name + "_enqueue"}) {}

 protected:
  std::string head() const override { return opencl_head; }
  std::string functions() const override { return opencl_functions; }
  std::string prepare() const override {
    std::string s = opencl_prepare;
    line(s, "const cl_program program = build(context, device, \"" + k_.name + ".cl\");");
    return s + each_array([&](const KernelArgument& a) {
             return fmt::format("const cl_mem {} = on_device(context, {}, {});", on_device(a), stored(a),
                                bytes(a));
           });
  }
  std::string run(int indent) const override {
    std::string s, enqueue = call(k_.name + "_enqueue", {"queue", "program"}, k_,
                                  [&](const KernelArgument&a) { return on_device(a); });
    enqueue.pop_back();
    line(s, "check(" + enqueue + ", \"" + k_.name + "_enqueue\");", indent);
    line(s, "check(clFinish(queue), \"clFinish\");", indent);
    return s;
  }
  std::string fetch() const override {
    return each_array(
        [&](const KernelArgument& a) {
          return fmt::format(
              "check(clEnqueueReadBuffer(queue, {}, CL_TRUE, 0, {}, {}, 0, NULL, NULL), "
              "\"clEnqueueReadBuffer\");",
              on_device(a), bytes(a), stored(a));
        },
        true);
  }
  std::string release() const override {
    std::string s =
        each_array([&](const KernelArgument& a) { return "clReleaseMemObject(" + on_device(a) + ");"; });
    for (const char* call :
         {"clReleaseProgram(program);", "clReleaseCommandQueue(queue);", "clReleaseContext(context);"})
      line(s, call);
    return s;
  }
};

// ---- CUDA

std::string cuda_header(const Kernel& k) {
  const auto pointer = [](const KernelArgument& a) {
    return std::string(a.written ? "" : "const ") + c_type(a) + " *";
  };
  std::string s;
  std::set<std::string> declared;
  const std::string body = in_host_loops(k.body, 1, [&](const Launch& launch, int indent) {
    std::string here;
    const NDRange& r = launch.range;
    const bool again = !declared.insert(launch.name).second;
    const Kernel one = one_launch(k, launch);
    if (!again)
      s += wrapped("extern \"C\" __global__ void " + launch.name + "(" + parameters(one, pointer) + ");", 0) +
           "\n";
    if (r.local_bytes > 0 && !again)  // where that fails, the launch says so
      here +=
          wrapped(fmt::format("cudaFuncSetAttribute({}, cudaFuncAttributeMaxDynamicSharedMemorySize, {});",
                              launch.name, r.local_bytes),
                  indent) +
          "\n";
    return here +
           wrapped(fmt::format(
                       "{}<<<dim3({}), dim3({}), {}, stream_>>>({});", launch.name,
                       listed({r.global[0] / r.local[0], r.global[1] / r.local[1], r.global[2] / r.local[2]}),
                       listed(r.local), r.local_bytes, names(one)),
                   indent) +
           "\n";
  });
  s += "\n/* Launches it on arrays of the device. */\n" +
       wrapped(
           "static inline void " + k.name + "_launch(cudaStream_t stream_, " + parameters(k, pointer) + ") {",
           0) +
       "\n" + body + "}\n\n";
  return header_around(k, " On a device they are what cudaMalloc gives.", s, "");
}

constexpr const char* cuda_head =
    R"(/* Runs {0} on a CUDA device and made-up data, compares it with the same expression as plain loops, and times it:
 *
 *   nvcc -O2 -arch=native {0}.cu {0}_main.cu -o {0}
 *   ./{0}{1}
 *
 * It ends with status 1 when results differ. */
)";

constexpr const char* cuda_functions = R"(/* ---- the device */

static void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

static void *on_device(const void *from, size_t bytes) {
  void *memory = NULL;
  check(cudaMalloc(&memory, bytes), "cudaMalloc");
  check(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

)";

class CudaCaller : public GridCaller {
 public:
  CudaCaller(const Kernel& kernel, const Kernel& reference, const std::map<std::string, std::int64_t>& sizes)
      : GridCaller(kernel, reference, sizes, {"check", "on_device", "exit", kernel.name + "_launch"}) {}

 protected:
  std::string head() const override { return cuda_head; }
  std::string functions() const override { return cuda_functions; }
  std::string prepare() const override {
    return each_array([&](const KernelArgument& a) {
      return fmt::format("{0} *{1} = ({0} *)on_device({2}, {3});", c_type(a), on_device(a), stored(a),
                         bytes(a));
    });
  }
  std::string run(int indent) const override {
    std::string s;
    line(s, call(k_.name + "_launch", {"0"}, k_, [&](const KernelArgument& a) { return on_device(a); }),
         indent);
    line(s, "check(cudaGetLastError(), \"" + k_.name + "_launch\");", indent);
    line(s, "check(cudaDeviceSynchronize(), \"" + k_.name + "\");", indent);
    return s;
  }
  std::string fetch() const override {
    return each_array(
        [&](const KernelArgument& a) {
          return fmt::format("check(cudaMemcpy({}, {}, {}, cudaMemcpyDeviceToHost), \"cudaMemcpy\");",
                             stored(a), on_device(a), bytes(a));
        },
        true);
  }
  std::string release() const override {
    return each_array([&](const KernelArgument& a) { return "cudaFree(" + on_device(a) + ");"; });
  }
};

}  // namespace

namespace {

/// What a target's sources are spelled by.
struct Backend {
  std::string (*source)(const Kernel&);
  std::string (*header)(const Kernel&);
  std::string (*caller)(const Kernel&, const Kernel& reference,
                        const std::map<std::string, std::int64_t>& sizes);
};
template <class C>
std::string caller_of(const Kernel& kernel, const Kernel& reference,
                      const std::map<std::string, std::int64_t>& sizes) {
  return C(kernel, reference, sizes).text();
}

/// By Target.
constexpr Backend backends[] = {
    {emit_openmp, emit_c_header, emit_c_caller},
    {emit_opencl, opencl_header, caller_of<OpenCLCaller>},
    {emit_cuda, cuda_header, caller_of<CudaCaller>},
};

const Backend& backend_of(const Kernel& k) {
  if (!k.target) throw InternalError("emit: kernel " + k.name + " was lowered for no target");
  return backends[static_cast<std::size_t>(*k.target)];
}

}  // namespace

std::string emit_source(const Kernel& kernel) { return backend_of(kernel).source(kernel); }
std::string emit_header(const Kernel& kernel) { return backend_of(kernel).header(kernel); }
std::string emit_caller(const Kernel& kernel, const Kernel& reference,
                        const std::map<std::string, std::int64_t>& sizes) {
  return backend_of(kernel).caller(kernel, reference, sizes);
}

}  // namespace lift
