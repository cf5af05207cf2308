#include "tests/fuzz/programs/batch.hpp"

#include <algorithm>

#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"
#include "runtime/file.hpp"
#include "tests/fuzz/programs/guarded.hpp"
#include "tests/fuzz/programs/one_file.hpp"

namespace lift::fuzz {
namespace {

constexpr double kCompilerSeconds = 300;

std::string entry_of(const Kernel& k) { return "call_" + k.name; }

std::string source_of(const Kernel& k) {
  std::string code = emit_openmp(k) + emit_trampoline(k, k.name);
  const std::string call = "liftgen_call";
  code.replace(code.find(call), call.size(), entry_of(k));
  return code;
}

/// What the compiler says of a source that is not right, in one line.
std::string first_error(const std::string& output) {
  const std::size_t at = output.find("error:");
  if (at == std::string::npos) return output.substr(0, 300);
  return output.substr(at, output.find('\n', at) - at);
}

}  // namespace

const char* text(Verdict v) {
  switch (v) {
    case Verdict::right:
      return "right";
    case Verdict::refused:
      return "refused";
    case Verdict::unreadable:
      return "unreadable";
    case Verdict::defect:
      return "defect";
    case Verdict::not_compiled:
      return "not compiled";
    case Verdict::crashed:
      return "crashed";
    case Verdict::hung:
      return "hung";
    case Verdict::wrong:
      return "wrong";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

Batch::Batch(std::filesystem::path folder, std::string name, std::vector<Job> jobs, bool sanitize)
    : folder_(std::move(folder)), name_(std::move(name)), jobs_(std::move(jobs)), sanitize_(sanitize) {
  outcomes_.resize(jobs_.size());
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    try {
      sources_.push_back(source_of(jobs_[i].kernel));
    } catch (const std::exception& e) {
      sources_.emplace_back();
      outcomes_[i] = {Verdict::defect, std::string("emit: ") + e.what()};
    }
  }
  compile();
}

Batch::~Batch() {
  std::error_code ignored;
  std::filesystem::remove(folder_ / (name_ + ".so"), ignored);
  for (int i = 0; i < files_; ++i)
    std::filesystem::remove(folder_ / (name_ + "_" + std::to_string(i) + ".c"), ignored);
}

std::string Batch::source(std::size_t job) const { return sources_[job]; }

void Batch::compile() {
  std::vector<OneFile> files;
  for (const std::string& s : sources_) {
    if (s.empty()) continue;
    if (std::none_of(files.begin(), files.end(), [&](OneFile& f) { return f.takes(s); }))
      files.emplace_back().takes(s);
  }
  std::vector<std::string> command{"gcc",
                                   "-std=gnu11",
                                   "-O1",
                                   "-march=native",
                                   "-fopenmp",
                                   "-ffp-contract=off",
                                   "-fno-math-errno",
                                   "-w",
                                   "-DSCALAR_MATH",
                                   "-shared",
                                   "-fPIC",
                                   "-o",
                                   (folder_ / (name_ + ".so")).string()};
  files_ = static_cast<int>(files.size());
  for (int i = 0; i < files_; ++i) {
    command.push_back((folder_ / (name_ + "_" + std::to_string(i) + ".c")).string());
    write_file_atomically(command.back(), files[static_cast<std::size_t>(i)].code());
  }
  for (const Elementary& e : all_elementary())  // functions of constants are those of the interpreter, too
    for (const char* f : {"", "f"})
      if (e.ulps >= 1) command.push_back("-fno-builtin-" + std::string(text(e.op)) + f);
  command.emplace_back("-lm");
  if (sanitize_)
    for (const char* flag : {"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"})
      command.insert(command.begin() + 1, flag);
  ProcessOptions options;
  options.timeout_seconds = kCompilerSeconds;
  compiler_.emplace(command, options);
}

/// The kernels in which the compiler found errors need not be compiled again.
bool Batch::put_aside(const std::string& said) {
  bool any = false;
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    for (const char* quote : {"'", "\xe2\x80\x99"}) {
      const std::size_t at =
          said.find("In function " + std::string(quote == std::string("'") ? "'" : "\xe2\x80\x98") +
                    jobs_[i].kernel.name + quote);
      if (at == std::string::npos || sources_[i].empty()) continue;
      outcomes_[i] = {Verdict::not_compiled, first_error(said.substr(at))};
      sources_[i].clear(), any = true;
    }
  return any &&
         std::any_of(sources_.begin(), sources_.end(), [](const std::string& s) { return !s.empty(); });
}

/// Each half by itself: one kernel that is not compiled keeps no other from being run.
std::vector<Outcome> Batch::apart() {
  std::vector<Outcome> all;
  const auto middle = jobs_.begin() + static_cast<std::ptrdiff_t>(jobs_.size() / 2);
  for (const auto& [from, to, suffix] :
       {std::tuple(jobs_.begin(), middle, "a"), {middle, jobs_.end(), "b"}}) {
    Batch half(folder_, name_ + suffix, std::vector<Job>(from, to), sanitize_);
    for (Outcome& o : half.outcomes()) all.push_back(std::move(o));
  }
  return all;
}

std::vector<Outcome> Batch::outcomes() {
  if (jobs_.empty()) return {};
  while (!compiler_->poll()) wait_for_any({&*compiler_}, 200);
  if (compiler_->status() != 0) {
    const std::string said = compiler_->output();
    const bool killed =
        compiler_->timed_out() || compiler_->status() >= 128 || said.find("error:") == std::string::npos ||
        said.find("Killed") != std::string::npos || said.find("No space") != std::string::npos;
    if (killed)
      return std::vector<Outcome>(jobs_.size(), {Verdict::unknown, "compiler: " + said.substr(0, 300)});
    if (jobs_.size() == 1) return {{Verdict::not_compiled, first_error(said)}};
    if (!put_aside(said)) return apart();
    compile();
    return outcomes();
  }
  std::vector<Guarded> calls;
  for (std::size_t i = 0; i < jobs_.size(); ++i)
    if (!sources_[i].empty())
      calls.push_back(
          {&jobs_[i], entry_of(jobs_[i].kernel), sources_[i].find("stream_") != std::string::npos, i});
  run_guarded(folder_ / (name_ + ".so"), calls, outcomes_);
  return outcomes_;
}

}  // namespace lift::fuzz
