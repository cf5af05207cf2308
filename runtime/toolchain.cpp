#include "runtime/toolchain.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ir/error.hpp"
#include "runtime/process.hpp"

namespace lift {
namespace {

/// The first dotted number at or after `from`; empty when there is none.
std::string version_number(const std::string& text, std::size_t from) {
  const auto begin = text.find_first_of("0123456789", from);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_first_not_of("0123456789.", begin) - begin);
}

/// "gcc (Debian 12.2.0-14+deb12u1) 12.2.0 ..." -> "gcc 12.2.0"; the first line where the words are unknown.
std::string short_name(const std::string& version_text) {
  const std::string clang = "clang version ";
  if (const auto at = version_text.find(clang); at != std::string::npos)
    return "clang " + version_number(version_text, at + clang.size());
  const std::string line = version_text.substr(0, version_text.find('\n'));
  // The parenthesis is the packager's remark, which may hold a number of its own.
  const auto after_remark = line.find(") ");
  const bool gnu = version_text.find("Free Software Foundation") != std::string::npos;
  return gnu && after_remark != std::string::npos ? "gcc " + version_number(line, after_remark) : line;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// The program and its leading arguments; empty when there is no such program.
std::vector<std::string> resolve(const std::string& command) {
  std::vector<std::string> parts = {command};
  std::string program = find_program(command);
  if (program.empty()) {
    parts = words(command);
    if (!parts.empty()) program = find_program(parts[0]);
  }
  if (program.empty()) return {};
  parts[0] = program;
  return parts;
}

constexpr const char* kInstallCompiler = "; install one with: apt-get install gcc g++";

std::vector<std::string> system_compiler(const std::string& language) {
  const bool c = language == "c";
  const char* chosen = c ? "CC" : "CXX";
  const char* value = std::getenv(chosen);
  if (const std::string command = value != nullptr ? value : ""; !command.empty()) {
    auto parts = resolve(command);
    if (parts.empty())
      throw EnvironmentError("the compiler that $" + std::string(chosen) + " names, " + command +
                             ", cannot be found" + kInstallCompiler + ", or unset " + chosen);
    return parts;
  }
  const auto names = c ? std::array{"cc", "gcc", "clang"} : std::array{"c++", "g++", "clang++"};
  for (const char* name : names)
    if (auto parts = resolve(name); !parts.empty()) return parts;
  throw EnvironmentError(std::string("no ") + (c ? "C" : "C++") + " compiler: looked for $" + chosen + ", " +
                         names[0] + ", " + names[1] + " and " + names[2] + " on PATH" + kInstallCompiler);
}

}  // namespace

std::vector<std::string> find_compiler(const std::string& compiler, const std::string& language) {
  if (language != "c" && language != "c++") throw InternalError("native: unknown language " + language);
  if (compiler.empty()) return system_compiler(language);
  std::vector<std::string> command = resolve(compiler);
  if (command.empty())
    throw EnvironmentError("the compiler " + compiler + " cannot be found" + kInstallCompiler);
  return command;
}

Toolchain ask_version(std::vector<std::string> command) {
  std::vector<std::string> ask = command;
  ask.push_back("--version");
  const ProcessResult answer = run_process(ask, {.timeout_seconds = 10});
  if (answer.stopped) return {std::move(command), "", ""};
  if (answer.status != 0)
    throw EnvironmentError("the compiler " + command[0] + " does not work (--version ended with status " +
                           std::to_string(answer.status) + "): " + first_lines(answer.output));
  return {std::move(command), answer.output, short_name(answer.output)};
}

std::string processor_model() {
  std::ifstream in("/proc/cpuinfo");
  std::string model;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    if (line.starts_with("processor") || line.find("MHz") != std::string::npos ||
        line.starts_with("BogoMIPS") || line.starts_with("bogomips") ||
        line.find("apicid") != std::string::npos || line.starts_with("core id"))
      continue;
    model += line + "\n";
  }
  return model;
}

std::string first_lines(const std::string& text) {
  constexpr std::size_t max_lines = 12;
  constexpr std::size_t max_bytes = 3000;
  std::istringstream in(text);
  std::string out;
  std::size_t lines = 0;
  for (std::string line; lines < max_lines && out.size() < max_bytes && std::getline(in, line); ++lines)
    out += (lines > 0 ? "\n" : "") + line;
  if (out.size() > max_bytes) out.resize(max_bytes);
  return out;
}

}  // namespace lift
