#include "runtime/cuda_host/source.hpp"

#include <algorithm>

#include "ir/ascii.hpp"
#include "ir/error.hpp"

namespace lift::cuda_host {

// The texts of module.h and cuda_on_host.h, put into the library by cmake/Embed.cmake.
extern const char* const text_of_module;
extern const char* const text_of_cuda_on_host;

namespace {

/// Words, and single other characters, less comments, strings and preprocessor lines.
std::vector<std::string> tokens(const std::string& text) {
  std::vector<std::string> found;
  const auto skip_to = [&](std::size_t at, const std::string& end) {
    const std::size_t x = text.find(end, at);
    return x == std::string::npos ? text.size() : x + end.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0 || text[i] == '#') {
      i = skip_to(i, "\n");
    } else if (text.compare(i, 2, "/*") == 0) {
      i = skip_to(i + 2, "*/");
    } else if (text[i] == '"') {
      i = skip_to(i + 1, "\"");
    } else if (is_blank(text[i])) {
      ++i;
    } else {
      std::size_t end = i + 1;
      while (in_word(text[i]) && end < text.size() && in_word(text[end])) ++end;
      found.push_back(text.substr(i, end - i));
      i = end;
    }
  }
  return found;
}

using Tokens = std::vector<std::string>;

/// The position after the parenthesis that closes the one at `open`.
std::size_t after_parentheses(const Tokens& words, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < words.size(); ++i) {
    depth += words[i] == "(" ? 1 : words[i] == ")" ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  throw UserError("CUDA source: a parenthesis is not closed");
}

/// The kernel whose `__global__` stands at `at`.
KernelText kernel_at(const Tokens& words, std::size_t at) {
  KernelText kernel;
  for (std::size_t i = at + 1; i + 1 < words.size() && words[i] != "{" && words[i] != ";"; ++i) {
    if (words[i + 1] != "(") continue;
    const std::size_t end = after_parentheses(words, i + 1);
    if (words[i] == "__launch_bounds__") {
      const std::string& bound = words[i + 2];
      if (!bound.empty() && std::all_of(bound.begin(), bound.end(), is_digit))
        kernel.max_threads = std::stoi(bound);
      i = end - 1;
      continue;
    }
    kernel.name = words[i];
    for (std::size_t p = i + 2; p < end; ++p)
      if ((words[p] == "," || p + 1 == end) && words[p - 1] != "(") kernel.parameters.push_back(words[p - 1]);
    return kernel;
  }
  throw UserError("CUDA source: no function follows __global__");
}

}  // namespace

std::vector<KernelText> kernels_of(const std::string& cuda) {
  const Tokens words = tokens(cuda);
  std::vector<KernelText> kernels;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "__global__") kernels.push_back(kernel_at(words, i));
    if (!kernels.empty() && i > 0 && words[i] == "__shared__" && words[i - 1] == "extern")
      kernels.back().is_dynamic = true;
  }
  return kernels;
}

std::size_t vector_alignment(const std::string& cuda) {
  const auto is_vector = [](const std::string& word) {
    for (const char* element : {"float", "double", "int", "uint", "long", "longlong", "uchar"})
      for (const char* lanes : {"2", "4"})
        if (word == std::string(element) + lanes) return true;
    return word == "__align__" || word == "alignas";
  };
  const Tokens words = tokens(cuda);
  return std::any_of(words.begin(), words.end(), is_vector) ? 32 : 1;
}

std::vector<std::string> dynamic_arrays_of(const std::string& cuda) {
  const Tokens words = tokens(cuda);
  std::vector<std::string> names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] != "extern" || words[i] != "__shared__") continue;
    std::size_t end = i;
    while (end < words.size() && words[end] != "[") ++end;
    if (std::find(names.begin(), names.end(), words[end - 1]) == names.end()) names.push_back(words[end - 1]);
  }
  return names;
}

std::string declarations() { return std::string(text_of_module) + text_of_cuda_on_host; }

std::string as_cpp(const std::string& cuda) {
  std::string list, dynamic, text = cuda;
  for (const KernelText& kernel : kernels_of(cuda)) list += "  LIFTGEN_HOST_KERNEL(" + kernel.name + "),\n";
  for (const std::string& name : dynamic_arrays_of(cuda))
    dynamic += "LIFTGEN_HOST_DYNAMIC_ARRAY(" + name + ", " + std::to_string(kMostDynamicBytes) + ")\n";
  const std::string declared = "extern __shared__", instead = "extern";
  for (std::size_t at = text.find(declared); at != std::string::npos; at = text.find(declared, at))
    text.replace(at, declared.size(), instead);
  return declarations() + dynamic + "#line 1 \"kernel.cu\"\n" + text +
         "\nextern \"C\" {\nLiftgenHostKernel liftgen_host_kernels[] = {\n" + list +
         "  {nullptr, nullptr, nullptr}};\n}\n";
}

}  // namespace lift::cuda_host
