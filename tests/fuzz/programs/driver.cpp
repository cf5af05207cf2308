// Random programs for as long as one likes: fuzz_programs --seconds 3600 --finds FOLDER; or cases replayed:
// fuzz_programs FILE...
#include <sys/resource.h>
#include <CLI/CLI.hpp>
#include <iostream>

#include "ir/verify_mode.hpp"
#include "runtime/file.hpp"
#include "tests/fuzz/programs/many.hpp"
#include "tests/fuzz/programs/session.hpp"
#include "tests/runtime/scratch.hpp"

namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;

/// Whatever grows takes this process down, not the machine. Children may have more: sanitizers map terabytes.
void limit_memory() {
  rlimit limit{};
  (void)::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kMostBytes);
  (void)::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lift;
  fuzz::Options o;
  o.programs = 0, o.seconds = 60, o.stand_alone_every = 60;
  std::vector<std::string> files;
  std::string finds;
  CLI::App app("random programs against the interpreter");
  app.add_option("--seed", o.seed);
  app.add_option("--programs", o.programs);
  app.add_option("--seconds", o.seconds);
  app.add_option("--configurations", o.configurations, "random ones of each program");
  app.add_option("--cuda-every", o.cuda_every);
  app.add_option("--opencl-every", o.opencl_every);
  app.add_option("--alone-every", o.stand_alone_every);
  app.add_option("--most-finds", o.most_finds);
  app.add_flag("!--no-shrinking", o.shrinking);
  app.add_flag("--interpreted", o.interpreted, "no kernel is compiled: its loops are interpreted");
  app.add_option("--resume", o.resume,
                 "a file that says where the last slice ended, and is written for the next one: --programs N "
                 "counts those "
                 "of one slice, and a run in slices is the same as one run");
  bool memory = false, regions = true;
  app.add_flag("--memory", memory,
               "only what memory so many programs leave behind, of which nothing is compiled");
  app.add_flag("!--no-regions", regions, "with --memory: all that is made stays");
  app.add_option("--finds", finds, "a folder for what is found");
  app.add_option("cases", files, "cases to replay instead");
  CLI11_PARSE(app, argc, argv);
  limit_memory();
  o.most_bytes = kMostBytes / 4 * 3;
  set_verify_steps(true);
  if (memory) {
    const fuzz::Many many =
        fuzz::many_programs({.seed = o.seed, .programs = o.programs, .regions = regions, .log = &std::cout});
    std::cout << many.made << " programs, " << many.kernels << " kernels (" << std::hex << many.sources
              << std::dec << "), " << many.refused << " refused\n";
    return 0;
  }
  int wrong = 0;
  if (!files.empty()) {
    const test::Scratch scratch;
    for (const std::string& file : files) {
      const fuzz::Outcome r = fuzz::outcome_of(fuzz::parse_case(read_file(file), file), scratch.path());
      std::cout << file << ": " << fuzz::text(r.verdict) << (r.detail.empty() ? "" : ": ") << r.detail
                << "\n";
      wrong += fuzz::is_find(r.verdict) ? 1 : 0;
    }
    return wrong > 0 ? 1 : 0;
  }
  o.finds = finds, o.log = &std::cout;
  const fuzz::Report r = fuzz::run(o);
  std::cout << str(r);
  return r.finds.empty() ? 0 : 1;
}
