// PPCG for devices: kernels in CUDA or OpenCL, whose launches are read from its host code.
#include <regex>

#include "compare/peer.hpp"
#include "compare/ppcg_host.hpp"
#include "ir/error.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "runtime/process.hpp"

namespace lift {
namespace {

constexpr double kMostSeconds = 60;

class PpcgOnGrid : public Peer {
 public:
  explicit PpcgOnGrid(Target target) : target_(target) {}
  std::string name() const override { return "ppcg"; }
  std::string what() const override {
    return std::string("ppcg --target=") + text(target_) + ", its kernels alone, without copies of arrays";
  }
  std::string missing() const override {
    if (!find_program("ppcg").empty()) return "";
    return "ppcg is not on the PATH; it comes from github.com/Meinersbur/ppcg";
  }
  /// Tiles of all loops, and sizes of blocks of one, two and three dimensions.
  std::vector<PeerChoice> choices(const Course&) const override {
    return {{"tile", {"", "32", "16", "8", "64", "4"}},
            {"block", {"", "16,16", "8,32", "4,64", "4,8,16", "1,4,32", "256"}}};
  }

  Job make(const Course& course, const PeerSettings& s) override {
    if (!course.why_no_loops.empty()) throw UserError(course.why_no_loops);
    const std::filesystem::path folder = vault_.workspace() / "ppcg";
    make_directories(folder);
    const std::string name = course.loops.name;
    const bool cuda = target_ == Target::cuda;
    const auto host = folder / (name + "_host." + (cuda ? "cu" : "c")),
               kernels = folder / (name + "_kernel." + (cuda ? "cu" : "cl"));
    std::filesystem::remove(host), std::filesystem::remove(kernels);
    write_private_file(folder / (name + ".c"), course.scop);
    std::vector<std::string> call{"ppcg", std::string("--target=") + text(target_)};
    if (const std::string sizes = sizes_of(course, s); !sizes.empty()) call.push_back("--sizes=" + sizes);
    call.push_back(name + ".c");
    ProcessOptions options;
    options.directory = folder.string(), options.timeout_seconds = kMostSeconds;
    const ProcessResult r = run_process(call, options);
    if (r.timed_out) throw UserError("ppcg did not finish within 60 s");
    if (r.status != 0 || !std::filesystem::exists(host) || !std::filesystem::exists(kernels))
      throw EnvironmentError("ppcg ended with status " + std::to_string(r.status) + ": " +
                             first_lines(r.output));
    Job job;
    job.kernel = course.loops, job.kernel.target = target_;
    job.code = on_its_own(read_file(kernels));
    job.launches = launches_of_ppcg(read_file(host), course.loops, target_);
    return job;
  }

 private:
  /// As ppcg takes them, for every kernel.
  static std::string sizes_of(const Course& course, const PeerSettings& s) {
    std::string sizes;
    if (!s[0].empty()) {
      std::size_t loops = 1;
      for (const KernelArgument& a : course.loops.arguments)
        if (a.written && a.type.is_array()) loops = std::max(loops, shape_of(a.type).size());
      sizes += "kernel[i]->tile[" + s[0];
      for (std::size_t n = 1; n < loops; ++n) sizes += "," + s[0];
      sizes += "]";
    }
    if (!s[1].empty()) sizes += (sizes.empty() ? "" : ";") + ("kernel[i]->block[" + s[1] + "]");
    return sizes.empty() ? "" : "{" + sizes + "}";
  }
  /// Without the header that declares the kernels; CUDA's by the names that they have in it.
  std::string on_its_own(const std::string& text) const {
    const std::string s = std::regex_replace(text, std::regex("#include \"[^\n]*\n"), "");
    return target_ == Target::cuda ? "extern \"C\" {\n" + s + "}\n" : s;
  }

  const Target target_;
  Vault vault_;
};

}  // namespace

std::unique_ptr<Peer> make_ppcg_on(Target target) { return std::make_unique<PpcgOnGrid>(target); }

}  // namespace lift
