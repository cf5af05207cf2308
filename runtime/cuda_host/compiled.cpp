#include "runtime/cuda_host/compiled.hpp"

#include <algorithm>

namespace lift::cuda_host {

namespace {

constexpr const char* kChecking[] = {"-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"};

/// The thread sanitizer's instrumentation without its library: the module has the functions itself.
constexpr const char* kCounting[] = {
    "-O2", "-fsanitize=thread", "-fno-exceptions", "-fno-tree-vectorize", "-nodefaultlibs", "-lc"};

}  // namespace

NativeSource native_source(const std::string& cuda, const std::vector<std::string>& flags,
                           const std::string& compiler, bool counts) {
  NativeSource source;
  source.code = as_cpp(cuda);
  source.flags = {"-std=gnu++14", "-w", "-ffp-contract=off"};
  if (counts)
    source.flags.insert(source.flags.end(), std::begin(kCounting), std::end(kCounting));
  else
    source.flags.insert(source.flags.end(), std::begin(kChecking), std::end(kChecking));
  source.flags.insert(source.flags.end(), flags.begin(), flags.end());
  source.compiler = compiler;
  source.language = "c++";
  return source;
}

Compiled::Compiled(const std::string& cuda, std::shared_ptr<NativeLibrary> library)
    : library_(std::move(library)),
      state_(static_cast<LiftgenHostState*>(library_->symbol("liftgen_host_state"))),
      reads_only_(cuda.find("__ldg(") != std::string::npos),
      dynamic_bytes_(dynamic_arrays_of(cuda).size() * kMostDynamicBytes),
      alignment_(vector_alignment(cuda)) {
  const auto* entry = static_cast<const LiftgenHostKernel*>(library_->symbol("liftgen_host_kernels"));
  for (KernelText& text : kernels_of(cuda)) kernels_.push_back({std::move(text), entry++});
}

const CompiledKernel* Compiled::find(const std::string& name) const {
  const auto at = std::find_if(kernels_.begin(), kernels_.end(),
                               [&](const CompiledKernel& k) { return k.text.name == name; });
  return at == kernels_.end() ? nullptr : &*at;
}

}  // namespace lift::cuda_host
