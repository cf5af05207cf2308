// Random programs: a fixed share of them, and those that were found wrong before.
#include <doctest/doctest.h>

#include <sstream>

#include "ir/region.hpp"
#include "ir/text/parse.hpp"
#include "runtime/file.hpp"
#include "tests/fuzz/programs/interpreted.hpp"
#include "tests/fuzz/programs/many.hpp"
#include "tests/fuzz/programs/session.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;

namespace programs_test {
namespace {

std::vector<std::filesystem::path> kept() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(LIFTGEN_SOURCE_DIR "/tests/fuzz/programs/kept"))
    if (entry.path().extension() == ".lift") all.push_back(entry.path());
  return all;
}

}  // namespace

TEST_CASE("random programs: what was found before is right") {
  const test::Scratch scratch;
  CHECK(!kept().empty());
  for (const std::filesystem::path& file : kept()) {
    CAPTURE(file);
    const fuzz::Outcome o = fuzz::outcome_of(fuzz::parse_case(read_file(file), file), scratch.path());
    CHECK_MESSAGE(!fuzz::is_find(o.verdict), fuzz::text(o.verdict) << ": " << o.detail);
  }
}

TEST_CASE("random programs: a case is read as it was printed") {
  for (const std::filesystem::path& file : kept()) {
    CAPTURE(file);
    const fuzz::Case c = fuzz::parse_case(read_file(file), file);
    CHECK(fuzz::print(fuzz::parse_case(fuzz::print(c), file)) == fuzz::print(c));
  }
}

TEST_CASE("random programs: kernels compute what the interpreter says") {
  std::ostringstream log;
  fuzz::Options o;
  o.programs = 90, o.stand_alone_every = 100, o.cuda_every = 50, o.log = &log;
  const fuzz::Report r = fuzz::run(o);
  CHECK_MESSAGE(r.finds.empty(), log.str());
  CHECK(r.programs >= 90);
  CHECK(r.variants > 3 * r.programs);
}

TEST_CASE("random programs: many more are interpreted") {
  std::ostringstream log;
  fuzz::Options o;
  o.programs = 100, o.seed = 3, o.interpreted = true, o.cuda_every = 0, o.log = &log;
  const fuzz::Report r = fuzz::run(o);
  CHECK_MESSAGE(r.finds.empty(), log.str());
  CHECK(r.unknown == 0);
  CHECK(r.variants > 3 * r.programs);
}

TEST_CASE("random programs: loops that are interpreted show what is wrong with them") {
  const auto outcome = [](const std::function<void(Kernel&, Block&)>& spoil) {
    fuzz::Case c;
    c.program = parse_program("param x : 12.f64\nresult = x |> map_par(\\v. v * 2.0)");
    fuzz::Job job{kernel_of(c, "k"), fuzz::data_of(c.program, {}, 1), {}, 0};
    REQUIRE(job.kernel.body.size() == 1);
    spoil(job.kernel, std::get<For>(job.kernel.body[0].v).body);
    return fuzz::interpreted(job);
  };
  const auto store = [](Block& b) -> Store& { return std::get<Store>(b.at(0).v); };
  CHECK(outcome([](Kernel&, Block&) {}).verdict == fuzz::Verdict::right);
  CHECK(outcome([&](Kernel&, Block& b) { store(b).value = constant_term(3, f64); }).verdict ==
        fuzz::Verdict::wrong);
  CHECK(outcome([&](Kernel&, Block& b) { b.clear(); }).verdict == fuzz::Verdict::wrong);
  CHECK(outcome([&](Kernel&, Block& b) { store(b).position[0] = store(b).position[0] + 1; }).verdict ==
        fuzz::Verdict::crashed);
  const fuzz::Outcome race = outcome([&](Kernel& k, Block& b) {
    b.push_back({Store{k.results[0], {0}, load_term("x", store(b).position, f64)}});
  });
  CHECK(race.verdict == fuzz::Verdict::wrong);
  CHECK(race.detail.find("a race: out[0]") != std::string::npos);
}

TEST_CASE("random programs: a run in slices is the same as one run") {
  const test::Scratch scratch;
  const auto run = [&](int programs, const std::string& name) {
    fuzz::Options o;
    o.programs = programs, o.cuda_every = 0, o.configurations = 2, o.resume = scratch.path() / name;
    return fuzz::run(o);
  };
  const fuzz::Report whole = run(8, "whole");
  fuzz::Report parts = run(3, "parts");
  CHECK(parts.programs == 3);
  const int variants = parts.variants, refused = parts.refused;
  parts = run(5, "parts");
  CHECK(parts.before == 3);
  CHECK(parts.programs == 5);
  CHECK(variants + parts.variants == whole.variants);
  CHECK(refused + parts.refused == whole.refused);
  CHECK(read_file(scratch.path() / "parts") == read_file(scratch.path() / "whole"));
}

TEST_CASE("random programs: a slice ends before memory does") {
  fuzz::Options o;
  o.programs = 50, o.most_bytes = 1;
  const fuzz::Report r = fuzz::run(o);
  CHECK(r.is_full);
  CHECK(r.programs == 0);
}

TEST_CASE(
    "random programs: each in a region, they leave nothing, and their kernels differ in the order of terms "
    "at most") {
  fuzz::ManyOptions o;
  o.programs = 30, o.every = 10;
  const std::size_t before = set_sweep_after(0);
  const fuzz::Many within = fuzz::many_programs(o);
  set_sweep_after(before);
  CHECK(swept().may_go == 0);
  o.regions = false;
  const fuzz::Many without = fuzz::many_programs(o);
  CHECK(within.kernels > 3 * within.made);
  CHECK(within.kernels == without.kernels);
  CHECK(within.sources == without.sources);
}

TEST_CASE("random programs: hundreds in a process have no more memory than a hundred") {
  // Thousands: fuzz_programs --memory --programs 10000.
  fuzz::ManyOptions o;
  o.programs = 300, o.seed = 7;
  const fuzz::Many many = fuzz::many_programs(o);
  REQUIRE(many.bytes.size() == 3);
  CHECK(static_cast<double>(many.bytes[2]) < 1.3 * static_cast<double>(many.bytes[0]));
}

}  // namespace programs_test
