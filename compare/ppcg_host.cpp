#include "compare/ppcg_host.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include "ir/error.hpp"

namespace lift {
namespace {

using Sizes = std::array<std::size_t, 3>;

[[noreturn]] void refuse(const std::string& what) {
  throw UserError("the host code that ppcg wrote " + what);
}

std::vector<std::string> separated(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');)
    parts.push_back(std::regex_replace(part, std::regex("^\\s+|\\s+$"), ""));
  return parts;
}

/// "(4) * 32, 16": products of numbers.
Sizes sizes_in(const std::string& list) {
  Sizes sizes{1, 1, 1};
  const std::vector<std::string> parts = separated(list);
  if (parts.empty() || parts.size() > sizes.size()) refuse("has sizes '" + list + "'");
  for (std::size_t d = 0; d < parts.size(); ++d) {
    static const auto& product = *new std::regex("[()\\s]*\\d+[()\\s]*(\\*[()\\s]*\\d+[()\\s]*)*");
    static const auto& number = *new std::regex("\\d+");
    if (!std::regex_match(parts[d], product)) refuse("has a size that is no number: " + parts[d]);
    for (auto m = std::sregex_iterator(parts[d].begin(), parts[d].end(), number); m != std::sregex_iterator();
         ++m)
      sizes[d] *= std::stoull(m->str());
  }
  return sizes;
}

/// The list between braces or parentheses that the last `pattern` before `at` is about.
std::string last_before(const std::string& host, std::size_t at, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::string found;
  for (auto m = std::sregex_iterator(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(at), wanted);
       m != std::sregex_iterator(); ++m)
    found = (*m)[1];
  if (found.empty()) refuse("does not say the sizes of a launch");
  return found;
}

std::string argument_of(const std::string& text, const Kernel& kernel) {
  const std::string name = text.starts_with("dev_") ? text.substr(4) : text;
  for (const KernelArgument& a : kernel.arguments)
    if (a.name == name) return name;
  refuse("passes '" + text + "', which is no argument of " + kernel.name);
}

OwnLaunch of_cuda(const std::string& host, const std::smatch& m, const Kernel& kernel) {
  OwnLaunch launch;
  launch.name = m[1];
  const auto at = static_cast<std::size_t>(m.position());
  launch.groups = sizes_in(last_before(host, at, "\\bdim3\\s+" + m[2].str() + "\\s*\\(([^;]*)\\)\\s*;"));
  launch.local = sizes_in(last_before(host, at, "\\bdim3\\s+" + m[3].str() + "\\s*\\(([^;]*)\\)\\s*;"));
  for (const std::string& a : separated(m[4])) launch.arguments.push_back(argument_of(a, kernel));
  return launch;
}

OwnLaunch of_opencl(const std::string& host, const std::smatch& m, const Kernel& kernel) {
  OwnLaunch launch;
  launch.name = m[1];
  const auto at = static_cast<std::size_t>(m.position());
  const Sizes global =
      sizes_in(last_before(host, at, "\\b" + m[2].str() + "\\[\\d\\]\\s*=\\s*\\{([^}]*)\\}"));
  launch.local = sizes_in(last_before(host, at, "\\b" + m[3].str() + "\\[\\d\\]\\s*=\\s*\\{([^}]*)\\}"));
  for (std::size_t d = 0; d < 3; ++d) launch.groups[d] = global[d] / launch.local[d];
  const std::regex set("clSetKernelArg\\s*\\(\\s*" + launch.name + "\\s*,\\s*(\\d+)[^;]*&\\s*(\\w+)\\s*\\)");
  for (auto a = std::sregex_iterator(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(at), set);
       a != std::sregex_iterator(); ++a) {
    const std::size_t n = std::stoull((*a)[1]);
    launch.arguments.resize(std::max(launch.arguments.size(), n + 1));
    launch.arguments[n] = argument_of((*a)[2], kernel);
  }
  return launch;
}

}  // namespace

std::vector<OwnLaunch> launches_of_ppcg(const std::string& host, const Kernel& kernel, Target target) {
  static const auto& loop = *new std::regex("\\b(for|while)\\s*\\(");
  static const auto& cuda =
      *new std::regex("(\\w+)\\s*<<<\\s*(\\w+)\\s*,\\s*(\\w+)\\s*>>>\\s*\\(([^;]*)\\)\\s*;");
  static const auto& opencl = *new std::regex(
      "clEnqueueNDRangeKernel\\s*\\(\\s*\\w+\\s*,\\s*(\\w+)\\s*,\\s*\\d\\s*,\\s*NULL\\s*,\\s*(\\w+)\\s*,"
      "\\s*(\\w+)\\s*,");
  if (std::regex_search(host, loop)) refuse("launches kernels in a loop, which is not compared");
  std::vector<OwnLaunch> launches;
  const std::regex& each = target == Target::cuda ? cuda : opencl;
  for (auto m = std::sregex_iterator(host.begin(), host.end(), each); m != std::sregex_iterator(); ++m)
    launches.push_back(target == Target::cuda ? of_cuda(host, *m, kernel) : of_opencl(host, *m, kernel));
  if (launches.empty()) refuse("launches nothing: ppcg found no parallel loop");
  return launches;
}

}  // namespace lift
