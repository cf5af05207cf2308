// liftgen solve: what it prints, its exit status, and what it refuses.
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tests/cli/command.hpp"
#include "tests/runtime/scratch.hpp"

using lift::test::Scratch;

namespace cli_test {
namespace {

void write_npy(const std::filesystem::path& path, const std::vector<std::int64_t>& shape,
               const std::vector<double>& x) {
  lift::write_file_atomically(path, lift::npy_header(lift::f64, shape) +
                                        std::string(reinterpret_cast<const char*>(x.data()), x.size() * 8));
}

std::vector<double> npy(const std::filesystem::path& path) {
  const std::string bytes = lift::read_file(path).substr(lift::read_npy_header(path).bytes);
  std::vector<double> x(bytes.size() / 8);
  std::memcpy(x.data(), bytes.data(), bytes.size());
  return x;
}

/// -u'' on 16 cells of 1, u = 1 at the one face and 0 at the other: straight lines from 31/32 down.
constexpr const char* kLine = R"(size n = 8
param u : n.f64
param k : (n + 1).f64
param s, per_h_i : f64 = 1
result r : n.f64 = zip(u |> pad(1, 0, odd (1.0)) |> pad(0, 1, odd) |> slide(3, 1), k |> slide(2, 1))
  |> map(\(w, k). s * per_h_i * per_h_i * (k[0] * (w[1] - w[0]) + k[1] * (w[1] - w[2])))
)";

struct Line {
  Scratch scratch;
  std::string folder = scratch.path().string();
  std::vector<std::string> ask = {"solve", "line.lift", "--rhs",     "f.npy",
                                  "--set", "k=k.npy",   "--spacing", "1"};
  Line() {
    lift::write_file_atomically(scratch.path() / "line.lift", kLine);
    write_npy(scratch.path() / "f.npy", {16}, std::vector<double>(16, 0));
    write_npy(scratch.path() / "k.npy", {17}, std::vector<double>(17, 2));
  }
  ProcessResult with(const std::vector<std::string>& more) const {
    std::vector<std::string> all = ask;
    all.insert(all.end(), more.begin(), more.end());
    return liftgen(all, folder);
  }
};

}  // namespace

TEST_CASE("cli: solve prints residuals, a line a level and leg, and the error") {
  const ProcessResult r =
      liftgen({"solve", "poisson", "--size", "24,16", "--bc", "dirichlet:neumann,periodic", "--variable"});
  CAPTURE(r.output);
  CHECK(r.status == 0);
  for (const char* part : {"poisson on 24,16 cells", "Converged after", "residual (rms)", "24x16", "12x8",
                           "down", "bottom", "Fourier analysis", "largest error of u"})
    CHECK(r.output.find(part) != std::string::npos);
  // Not in one cycle: said, and the status.
  const ProcessResult early =
      liftgen({"solve", "helmholtz", "--size", "16,16", "--bc", "robin", "--cycles", "1"});
  CAPTURE(early.output);
  CHECK(early.status == 1);
  CHECK(early.output.find("Not converged after 1 cycle:") != std::string::npos);
}

TEST_CASE(
    "cli: solve in bricks, by K cycles, by a cycle of one's own; as a page, with the convergence and the "
    "cycle drawn") {
  const Scratch scratch;
  const auto solve = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"solve", "poisson", "--size", "24,32", "--no-db"};
    words.insert(words.end(), more.begin(), more.end());
    return liftgen(words, scratch.path().string());
  };
  const auto has = [](const ProcessResult& r, const std::string& part) {
    CAPTURE(r.output);
    return r.output.find(part) != std::string::npos;
  };
  const auto history = [](const std::string& s) {
    return s.substr(s.find("  cycle "), s.find("  level ") - s.find("  cycle "));
  };
  const ProcessResult one = solve({}), bricks = solve({"--bricks", "2,2", "--report", "r.html"});
  CHECK(has(bricks, "In 2x2 bricks on 2 levels, with ghost zones of 6 cells"));
  CHECK(history(bricks.output) == history(one.output));
  const std::string page = lift::read_file(scratch.path() / "r.html");
  for (const char* part : {"<h1>poisson on 24 x 32 cells</h1>", "aria-label=\"The residual over cycles\"",
                           "aria-label=\"The cycle through the levels\"", "<title>down 0</title>",
                           "Converged after", "Where the time went"})
    CHECK_MESSAGE(page.find(part) != std::string::npos, part);
  CHECK(has(solve({"--cycle", "K"}), "K(2,2)"));
  CHECK(history(solve({"--cycle", "down 0, down 1, bottom 2, up 1, up 0"}).output) == history(one.output));
  check_refused({"solve", "poisson", "--size", "24,32", "--bricks", "2,x"}, 2,
                {"--bricks 2,x", "as in --bricks 2,1,4"});
  check_refused({"solve", "poisson", "--size", "24,32", "--report", "/none/r.html"}, 2, {"/none/r.html"});
}

TEST_CASE("cli: solve refuses what it cannot read") {
  check_refused({"solve", "stokes"}, 2, {"solve stokes", "poisson and helmholtz", "FILE.lift"});
  check_refused({"solve", "poisson", "--size", "16x16"}, 2, {"--size 16x16", "--size 96,200,256"});
  check_refused({"solve", "poisson", "--size", "8,8", "--bc", "dirichlet,open"}, 2, {"'open'", "LOW:HIGH"});
  check_refused({"solve", "poisson", "--size", "8,8", "--bc", "dirichlet,neumann,robin"}, 2,
                {"3 axes", "has 2"});
  check_refused({"solve", "poisson", "--size", "8,8", "--cycle", "Z"}, 2, {"--cycle Z", "V, W, F"});
  check_refused({"solve", "poisson", "--size", "8,8", "--weight", "3"}, 2, {"between 0 and 2"});
  check_refused({"solve", "poisson", "--size", "8,8", "--bc", "dirichlet,periodic", "--smoother", "lines-x"},
                2, {"lines-i needs faces"});
}

TEST_CASE("cli: solve takes A from a file and arrays from others, and writes the solution") {
  const Line line;
  const ProcessResult r = line.with({"--out", "u.npy", "--set", "s=3"});
  CAPTURE(r.output);
  REQUIRE(r.status == 0);
  for (const char* part : {"line.lift on 16 cells", "faces dirichlet:", "u : 16.f64 is in u.npy"})
    CHECK(r.output.find(part) != std::string::npos);
  const std::vector<double> u = npy(line.scratch.path() / "u.npy");
  REQUIRE(u.size() == 16);
  for (std::size_t x = 0; x < 16; ++x) CHECK(std::abs(u[x] - (31.0 - 2 * double(x)) / 32) < 1e-6);
  // From there on, no cycle is needed; the older solution is replaced.
  const ProcessResult again = line.with({"--guess", "u.npy", "--out", "v.npy", "--to", "1e-7"});
  CHECK_MESSAGE(again.output.find("Converged after 0 cycles") != std::string::npos, again.output);
  CHECK(npy(line.scratch.path() / "v.npy") == u);
  // Of the library's equations, coefficients and values on faces.
  const ProcessResult library = liftgen({"solve", "poisson", "--rhs", "f.npy", "--set", "beta_i=k.npy",
                                         "--bc", "dirichlet=1:dirichlet", "--spacing", "1", "--out", "w.npy"},
                                        line.folder);
  CHECK_MESSAGE(library.status == 0, library.output);
  const std::vector<double> w = npy(line.scratch.path() / "w.npy");
  for (std::size_t x = 0; x < 16; ++x) CHECK(std::abs(w[x] - u[x]) < 1e-6);
}

TEST_CASE(
    "cli: solve refuses arrays that do not fit, before anything is computed, and keeps the older solution") {
  const Line line;
  const auto path = [&](const char* name) { return line.scratch.path() / name; };
  write_npy(path("long.npy"), {18}, std::vector<double>(18, 1));
  std::vector<double> bad(17, 1);
  bad[5] = NAN;
  write_npy(path("nan.npy"), {17}, bad);
  lift::write_file_atomically(path("single.npy"), lift::npy_header(lift::f32, {16}) + std::string(64, '\0'));
  lift::write_file_atomically(path("u.npy"), "older");
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& parts) {
    std::vector<std::string> all = more;
    all.insert(all.end(), {"--out", "u.npy"});
    const ProcessResult r = liftgen(all, line.folder);
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.starts_with("liftgen: "));
    CHECK(r.output.find('\n') == r.output.size() - 1);
    for (const std::string& part : parts) {
      CAPTURE(part);
      CHECK(r.output.find(part) != std::string::npos);
    }
    CHECK(lift::read_file(path("u.npy")) == "older");
  };
  refused({"solve", "line.lift"}, {"--rhs f.npy", "8.f64"});
  refused({"solve", "line.lift", "--rhs", "f.npy"}, {"what k : 17.f64 is", "--set k=k.npy"});
  refused({"solve", "line.lift", "--rhs", "none.npy"}, {"none.npy", "cannot be read"});
  refused({"solve", "line.lift", "--rhs", "single.npy"}, {"16.f32", "16.f64"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--size", "12"}, {"16.f64", "12.f64"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--set", "k=long.npy"}, {"18.f64", "17.f64"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--set", "k=nan.npy"}, {"--set k=nan.npy", "[5] is nan"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--set", "k=1", "--set", "q=1"},
          {"--set q=1", "it has k"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--set", "k"}, {"--set k:", "--set beta_i=beta.npy"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--guess", "u.npy"}, {"give them two names"});
  refused({"solve", "line.lift", "--rhs", "f.npy", "--bc", "neumann"},
          {"--bc neumann", "leave one of them out"});
  refused({"solve", "poisson", "--set", "beta_i=2"}, {"--set beta_i=2", "--rhs f.npy"});
}

TEST_CASE("cli: solve writes the best iterate where it does not converge, and says when the disk is full") {
  const Line line;
  const ProcessResult r = line.with({"--cycles", "0", "--out", "u.npy"});
  CHECK(r.status == 1);
  CHECK(npy(line.scratch.path() / "u.npy") == std::vector<double>(16, 0));
  const ProcessResult full = line.with({"--out", "/dev/full"});
  CAPTURE(full.output);
  CHECK(full.status == 2);
  CHECK(full.output.find("/dev/full: No space left on device") != std::string::npos);
  // A limit of files' sizes ends a write in its middle, as a full disk does: the older file stays, nothing is
  // beside it.
  lift::write_file_atomically(line.scratch.path() / "u.npy", "older");
  const ProcessResult limited = liftgen_shell(
      "cd " + line.folder + " && mkdir out && echo -n older > out/u.npy && " + kLiftgen +
      " solve line.lift --rhs f.npy --set k=k.npy --spacing 1 > /dev/null && ulimit -f 0 && " + kLiftgen +
      " solve line.lift --rhs f.npy --set k=k.npy --spacing 1 --out out/u.npy; s=$?; ls out; cat out/u.npy; "
      "exit $s");
  CAPTURE(limited.output);
  CHECK(limited.status == 2);
  CHECK(limited.output.find("File too large") != std::string::npos);
  CHECK(limited.output.ends_with("u.npy\nolder"));
}

TEST_CASE("cli: an interrupted solve keeps its best iterate") {
  const Line line;
  const std::size_t n = 128 * 128 * 128;
  write_npy(line.scratch.path() / "f.npy", {128, 128, 128}, std::vector<double>(n, 1));
  // Seconds a cycle, at least seven of them; kernels are there from the first run.
  const std::string solve =
      kLiftgen + " solve poisson --rhs f.npy --smoother jacobi --down 300 --up 300 --to 1e-16 --out u.npy ";
  const ProcessResult r =
      liftgen_shell("cd " + line.folder + " && " + solve + "--cycles 0 > /dev/null; " + solve +
                    "> log & pid=$!; sleep 5; kill -INT $pid; wait $pid; s=$?; cat log; exit $s");
  CAPTURE(r.output);
  CHECK(r.status == 1);
  CHECK(r.output.find("Interrupted after ") != std::string::npos);
  CHECK(npy(line.scratch.path() / "u.npy").size() == n);
}

TEST_CASE("cli: checkpoints are whole, and a solve goes on from one as if it had not ended") {
  const Line line;
  const auto path = [&](const char* name) { return line.scratch.path() / name; };
  // By Jacobi's iteration on one level, some ten cycles.
  const std::vector<std::string> ask{"solve",      "poisson", "--size", "24,20",
                                     "--smoother", "jacobi",  "--to",   "1e-9"};
  const auto solved = [&](std::vector<std::string> more) {
    std::vector<std::string> all = ask;
    all.insert(all.end(), more.begin(), more.end());
    return liftgen(all, line.folder);
  };
  const ProcessResult whole = solved({"--out", "u.npy"});
  REQUIRE(whole.status == 0);
  const ProcessResult first = solved({"--cycles", "4", "--checkpoint", "c.npy", "--checkpoint-every", "2"});
  CAPTURE(first.output);
  CHECK(first.status == 1);
  CHECK(first.output.find("the file has u after 4 cycles; --start c.npy") != std::string::npos);
  const ProcessResult second = solved({"--start", "c.npy", "--checkpoint", "c.npy", "--out", "v.npy"});
  CAPTURE(second.output);
  CHECK(second.status == 0);
  const std::vector<double> u = npy(path("u.npy")), v = npy(path("v.npy"));
  REQUIRE(u.size() == v.size());
  double most = 0;
  for (std::size_t x = 0; x < u.size(); ++x) most = std::max(most, std::abs(u[x] - v[x]));
  CHECK(most < 1e-12);
  CHECK(npy(path("c.npy")) == v);
  CHECK(liftgen({"solve", "poisson", "--size", "8", "--checkpoint", "c.npy", "--out", "c.npy"}, line.folder)
            .output.find("give them two names") != std::string::npos);
  CHECK(solved({"--checkpoint", "c.npy", "--checkpoint-every", "0"}).output.find("--checkpoint-every 0") !=
        std::string::npos);
}

TEST_CASE("cli: a disk that is full at a checkpoint is said, and the one before it stays; nothing is lost") {
  const Line line;
  const std::string solve =
      kLiftgen + " solve poisson --size 24,20 --no-db --checkpoint-every 1 --checkpoint c.npy ";
  const ProcessResult r = liftgen_shell("cd " + line.folder + " && " + solve +
                                        "--cycles 2 > /dev/null; cp c.npy before.npy; ulimit -f 0; " + solve +
                                        "--to 1e-7 2>&1; s=$?; cmp c.npy before.npy || s=77; ls; exit $s");
  CAPTURE(r.output);
  CHECK(r.status == 1);
  CHECK(r.output.find("Converged after") != std::string::npos);
  CHECK(r.output.find("checkpoint after cycle 1: ") != std::string::npos);
  CHECK(
      r.output.find("File too large; the solve went on without it; none of this solve was written, and what "
                    "was in the file is kept") != std::string::npos);
  CHECK(r.output.ends_with("before.npy\nc.npy\nf.npy\nk.npy\nline.lift\n"));
}

TEST_CASE("cli: a solve without memory for it says so, and leaves files as they were") {
  const Line line;
  const ProcessResult r =
      liftgen_shell("cd " + line.folder + " && echo -n older > u.npy && ulimit -v 3000000 && " + kLiftgen +
                    " solve poisson --size 500 --out u.npy --checkpoint c.npy 2>&1; s=$?; "
                    "cat u.npy; ls; exit $s");
  CAPTURE(r.output);
  CHECK(r.status == 2);
  CHECK(r.output.starts_with("liftgen: "));
  CHECK(r.output.find("memory") != std::string::npos);
  CHECK(
      r.output.ends_with("older"
                         "f.npy\nk.npy\nline.lift\nu.npy\n"));
}

TEST_CASE("cli: an interrupted solve has a checkpoint of its best iterate") {
  const Line line;
  const std::string solve = kLiftgen +
                            " solve poisson --size 128 --smoother jacobi --down 300 --up 300 --to 1e-16 "
                            "--checkpoint c.npy --checkpoint-every 1000 ";
  const ProcessResult r =
      liftgen_shell("cd " + line.folder + " && " + solve + "--cycles 0 > /dev/null; rm -f c.npy; " + solve +
                    "> log & pid=$!; sleep 5; kill -INT $pid; wait $pid; s=$?; cat log; exit $s");
  CAPTURE(r.output);
  CHECK(r.status == 1);
  CHECK(r.output.find("Interrupted after ") != std::string::npos);
  CHECK(npy(line.scratch.path() / "c.npy").size() == std::size_t{128} * 128 * 128);
}

namespace {

/// The lines of a history: cycles, residuals, factors.
std::string history_in(const std::string& output) {
  const std::size_t begin = output.find("  cycle  residual");
  return begin == std::string::npos ? output : output.substr(begin, output.find("\n\n", begin) - begin);
}
bool lowers(const ProcessResult& r) { return r.output.find("-- linearise of ") != std::string::npos; }

}  // namespace

TEST_CASE("cli: a second start of a solver neither derives nor lowers, whatever has become of the cache") {
  const Scratch scratch;
  const std::string cache = "LIFTGEN_CACHE=" + scratch.path().string();
  const auto solved = [&] {
    const ProcessResult r = liftgen(
        {"solve", "poisson", "--size", "24,20", "--bc", "robin,periodic", "--variable", "--cycle", "F"}, "",
        {cache, "LIFTGEN_TIME_PASSES=1"});
    CAPTURE(r.output);
    CHECK(r.status == 0);
    return r;
  };
  const auto each = [&](const std::string& suffix, const auto& f) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
      if (entry.path().extension() == suffix) f(entry.path());
  };
  // Two processes at once, in an empty cache.
  ProcessResult other;
  std::thread beside([&] { other = solved(); });
  const ProcessResult first = solved();
  beside.join();
  CHECK(lowers(first));
  CHECK(history_in(other.output) == history_in(first.output));
  const ProcessResult second = solved();
  CHECK_FALSE(lowers(second));
  CHECK(history_in(second.output) == history_in(first.output));
  // Objects that are gone are compiled from the text that was kept.
  each(".so", [](const auto& path) { std::filesystem::remove(path); });
  const ProcessResult compiled = solved();
  CHECK_FALSE(lowers(compiled));
  CHECK(history_in(compiled.output) == history_in(first.output));
  std::size_t damaged = 0;
  each(".finished", [&](const auto& path) {
    std::string text = lift::read_file(path);
    text[text.size() / 2] ^= 1;
    lift::write_private_file(path, text), ++damaged;
  });
  CHECK(damaged > 5);
  const ProcessResult again = solved();
  CHECK(again.output.find("is damaged; it is not used but made again") != std::string::npos);
  CHECK(lowers(again));
  CHECK(history_in(again.output) == history_in(first.output));
  CHECK_FALSE(lowers(solved()));
  std::filesystem::remove_all(scratch.path() / "kernels");
  const ProcessResult deleted = solved();
  CHECK(lowers(deleted));
  CHECK(history_in(deleted.output) == history_in(first.output));
}

TEST_CASE(
    "cli: a solve uses what tuning has found before, says so, and goes without it where it is damaged") {
  const Scratch scratch;
  const std::string db = (scratch.path() / "found.db").string();
  const auto solved = [&](std::vector<std::string> more, bool used) {
    std::vector<std::string> ask{"solve", "poisson", "--size", "24,20", "--db", db};
    ask.insert(ask.end(), more.begin(), more.end());
    const ProcessResult r = liftgen(ask, "", {"LIFTGEN_TIME_PASSES=1"});
    CAPTURE(r.output);
    CHECK(r.status == 0);
    CHECK((r.output.find("; --untuned leaves that out") != std::string::npos) == used);
    return r;
  };
  const auto plan_in = [](const ProcessResult& r) {
    const std::size_t at = r.output.find(" cells, faces ");
    return r.output.substr(r.output.find(": ", at) + 2, 6);
  };
  CHECK(plan_in(solved({}, false)) == "V(2,2)");
  solved({"--down", "1", "--up", "3", "--tune", "3"}, false);
  solved({}, true);
  const ProcessResult second = solved({}, true);
  CHECK(second.output.find("tuned on 20") != std::string::npos);
  CHECK(plan_in(second) == "V(1,3)");
  CHECK_FALSE(lowers(second));
  CHECK(plan_in(solved({"--up", "2"}, true)) == "V(1,2)");
  CHECK(plan_in(solved({"--untuned"}, false)) == "V(2,2)");
  solved({"--bc", "neumann,dirichlet"}, false);
  CHECK(plan_in(solved({"--threads", "1"}, false)) == "V(2,2)");
  CHECK(liftgen({"db", "list", "--db", db}).output.find("24x20 cells") != std::string::npos);
  // A file that is none of ours is left as it is, and the solve goes on.
  lift::write_file_atomically(db, "something else, and longer than a page's head " + std::string(500, 'x'));
  const ProcessResult damaged = solved({"--tune-plan", "0.1"}, false);
  CHECK(damaged.output.find("it is damaged") != std::string::npos);
  CHECK(lift::read_file(db).starts_with("something else"));
}

TEST_CASE("cli: emit solver writes C that gcc alone compiles, and solves as we do") {
  const Scratch scratch;
  const std::string folder = scratch.path().string();
  const std::vector<std::string> problem{"poisson",   "--size", "20,16", "--bc", "dirichlet:neumann,periodic",
                                         "--variable"};
  std::vector<std::string> emit{"emit", "solver"}, solve{"solve"};
  emit.insert(emit.end(), problem.begin(), problem.end()),
      solve.insert(solve.end(), problem.begin(), problem.end());
  emit.insert(emit.end(), {"--out", "c"});
  const ProcessResult written = liftgen(emit, folder);
  CAPTURE(written.output);
  REQUIRE(written.status == 0);
  CHECK(written.output.find("solver: c/poisson.h, ") != std::string::npos);
  const ProcessResult run = liftgen_shell(
      "cd " + folder + "/c && gcc -O2 -march=native -ffp-contract=fast -fno-math-errno *.c -lm -o p && ./p");
  CAPTURE(run.output);
  CHECK(run.status == 0);
  const std::string own = history_in(liftgen(solve).output);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = own.find('\n', at + 1)) != std::string::npos && at + 24 <= own.size();
       ++lines)
    CHECK(run.output.find(own.substr(at + 1, 17)) != std::string::npos);  // cycle and residual, four digits
  CHECK(lines >= 4);
  // Its own files are written again, others' are not.
  CHECK(liftgen(emit, folder).status == 0);
  lift::write_file_atomically(scratch.path() / "c/poisson.c", "int mine;\n");
  const ProcessResult refused = liftgen(emit, folder);
  CHECK(refused.status == 2);
  CHECK(refused.output.find("was not written by liftgen") != std::string::npos);
  const ProcessResult of_file =
      liftgen({"emit", "solver", std::string(LIFTGEN_SOURCE_DIR) + "/examples/diffusion.lift", "--out",
               folder + "/d"});
  CAPTURE(of_file.output);
  CHECK(of_file.status == 0);
  CHECK(liftgen_shell("cd " + folder +
                      "/d && gcc -O1 -march=native -c *.c && grep -c 'beta_i (64 x 65)' diffusion.h")
            .status == 0);
}

}  // namespace cli_test
