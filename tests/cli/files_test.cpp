// Arguments from files and results into files: liftgen run FILE.lift --input x=x.npy --output y=y.npy.
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tests/cli/command.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using cli_test::liftgen;
using lift::test::Scratch;

namespace cli_files_test {
namespace {

template <class T>
std::string bytes(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}
template <class T>
std::vector<T> elements(const std::string& bytes) {
  std::vector<T> v(bytes.size() / sizeof(T));
  std::memcpy(v.data(), bytes.data(), v.size() * sizeof(T));
  return v;
}

constexpr const char* kRows = R"(size n = 100
size m = 40
param image : n.m.f32
param u : m.f64
overwrite u
def add3(w) = w[0] + w[1] + w[2]
result sums, large, u2 =
  {image |> map(\row. row |> pad(1, 1, clamp) |> slide(3, 1) |> map(add3)),
   image |> map2(\x. x > 8),
   update(u, 0, u |> map(\x. x / 2))}
)";

/// A folder with rows.lift, 3 rows of 5 counted from 0 in image.npy, and 0 .. 4 in u.bin.
void fill(const Scratch& scratch) {
  std::vector<float> image(15);
  for (std::size_t i = 0; i < 15; ++i) image[i] = static_cast<float>(i);
  write_file_atomically(scratch.path() / "rows.lift", kRows);
  write_file_atomically(scratch.path() / "image.npy", npy_header(f32, {3, 5}) + bytes(image));
  write_file_atomically(scratch.path() / "u.bin", bytes(std::vector<double>{0, 1, 2, 3, 4}));
}

}  // namespace

TEST_CASE("cli files: results are those of one application to the arguments, whose shape says the sizes") {
  const Scratch scratch;
  fill(scratch);
  const std::vector<std::string> ask = {
      "run",     "rows.lift", "--out",         ".",        "--input",         "image=image.npy", "--input",
      "u=u.bin", "--output",  "sums=sums.npy", "--output", "large=large.npy", "--output",        "u2=u2.bin"};
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--backend", "cuda", "--emulate"}}) {
    std::vector<std::string> arguments = ask;
    arguments.insert(arguments.end(), more.begin(), more.end());
    write_file_atomically(scratch.path() / "sums.npy", "of an earlier run");
    const ProcessResult r = liftgen(arguments, scratch.path().string());
    CAPTURE(r.output);
    REQUIRE(r.status == 0);
    CHECK(r.output.find("sums : 3.5.f32 is in sums.npy\n") != std::string::npos);
    const std::string sums = read_file(scratch.path() / "sums.npy"),
                      large = read_file(scratch.path() / "large.npy");
    CHECK(str(read_npy_header(scratch.path() / "sums.npy")) == "3.5.f32");
    CHECK(str(read_npy_header(scratch.path() / "large.npy")) == "3.5.bool");
    CHECK(elements<float>(sums.substr(128)) ==
          std::vector<float>{1, 3, 6, 9, 11, 16, 18, 21, 24, 26, 31, 33, 36, 39, 41});
    CHECK(elements<char>(large.substr(128)) ==
          std::vector<char>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
    // Timing goes on from results that are in place; these are of the first application.
    CHECK(elements<double>(read_file(scratch.path() / "u2.bin")) == std::vector<double>{0, 0.5, 1, 1.5, 2});
    // The arguments' files stay as they are.
    CHECK(elements<double>(read_file(scratch.path() / "u.bin")) == std::vector<double>{0, 1, 2, 3, 4});
  }
  // The kernel is emitted again at the sizes that the files have.
  CHECK(read_file(scratch.path() / "rows.cu").find("--size m=5 --size n=3") != std::string::npos);
}

TEST_CASE("cli files: what liftgen has not written is not overwritten by kernels, and its own is") {
  const Scratch scratch;
  const std::string folder = scratch.path().string(), mine = "int mine;\n";
  write_file_atomically(scratch.path() / "p.lift",
                        "param x : 100.f64 = wave\nresult y : 100.f64 = x |> map(\\v. 2 * v)\n");
  for (const std::string file : {"p.c", "p.h", "p_main.c"}) {
    CAPTURE(file);
    write_file_atomically(scratch.path() / file, mine);
    for (const std::string command : {"emit", "run", "explore"}) {
      const ProcessResult r = liftgen({command, "p.lift", "--out", "."}, folder);
      CHECK(r.status == 2);
      CHECK_MESSAGE(r.output.find(file + ": was not written by liftgen") != std::string::npos, r.output);
      CHECK(r.output.find("--out DIR") != std::string::npos);
    }
    CHECK(read_file(scratch.path() / file) == mine);
    std::filesystem::remove(scratch.path() / file);
  }
  write_file_atomically(scratch.path() / "p.scop.c", mine);
  CHECK(liftgen({"emit", "p.lift", "--backend", "scop", "--out", "."}, folder).status == 2);
  CHECK(read_file(scratch.path() / "p.scop.c") == mine);
  write_file_atomically(scratch.path() / "p.c", "");
  for (int time = 0; time < 2; ++time) CHECK(liftgen({"emit", "p.lift", "--out", "."}, folder).status == 0);
  CHECK(read_file(scratch.path() / "p.c").starts_with("/* Written by liftgen"));
  CHECK(liftgen({"emit", "p.lift", "--out", ".", "--backend", "cuda"}, folder).status == 0);
}

TEST_CASE("cli files: no file that is read is written, nor the database, nor one file twice") {
  const Scratch scratch;
  const std::string folder = scratch.path().string();
  const std::string program =
      "param x : 100.f64 = wave\nresult y, z = {x |> map(\\v. 2 * v), x |> map(\\v. 3 * v)}\n";
  write_file_atomically(scratch.path() / "p.lift", program);
  std::filesystem::create_symlink("p.lift", scratch.path() / "link");
  REQUIRE(liftgen({"explore", "p.lift", "--budget", "1", "--db", "f.db", "--json", "r.json", "--out", "."},
                  folder)
              .status == 0);
  const std::string database = read_file(scratch.path() / "f.db"),
                    json = read_file(scratch.path() / "r.json");
  REQUIRE(!database.empty());
  const std::vector<std::vector<std::string>> all = {
      {"db", "export", "f.db", "--db", "f.db"},
      {"run", "p.lift", "--db", "f.db", "--json", "f.db"},
      {"run", "p.lift", "--db", "f.db", "--json", "./f.db-wal"},
      {"run", "p.lift", "--output", "y=p.lift"},
      {"run", "p.lift", "--output", "y=link"},
      {"run", "p.lift", "--output", "y=y.npy", "--output", "z=y.npy"},
      {"run", "p.lift", "--output", "y=y.npy", "--json", "y.npy"},
      {"explore", "p.lift", "--record", "p.lift"},
      {"explore", "p.lift", "--report", "p.lift"},
      {"explore", "p.lift", "--json", "a", "--report", "a"},
      {"explore", "p.lift", "--from", "r.json", "--json", "r.json"},
      {"report", "r.json", "-o", "r.json"}};
  for (const auto& arguments : all) {
    std::string shown;
    for (const std::string& a : arguments) shown += a + " ";
    CAPTURE(shown);
    const ProcessResult r = liftgen(arguments, folder);
    CHECK(r.status == 2);
    CHECK_MESSAGE(r.output.find("; give them two names") != std::string::npos, r.output);
  }
  CHECK(read_file(scratch.path() / "p.lift") == program);
  CHECK(read_file(scratch.path() / "f.db") == database);
  CHECK(read_file(scratch.path() / "r.json") == json);
  CHECK(liftgen({"run", "p.lift", "--json", "/dev/null", "--report", "/dev/null", "--out", "."}, folder)
            .status == 0);
}

TEST_CASE("cli files: a pipe is no .npy file") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "p.lift",
                        "size n = 4\nparam x : n.f64\nresult y : n.f64 = x |> map(\\v. 2 * v)\n");
  REQUIRE(::mkfifo((scratch.path() / "x.npy").c_str(), 0600) == 0);
  const ProcessResult r =
      cli_test::run_process({cli_test::kLiftgen, "run", "p.lift", "--input", "x=x.npy"},
                            {.timeout_seconds = 20, .directory = scratch.path().string()});
  CHECK(r.status == 2);
  CHECK_MESSAGE(r.output.find("a pipe") != std::string::npos, r.output);
}

TEST_CASE("cli files: a folder that is deleted meanwhile is made again") {
  const Scratch scratch;
  write_file_atomically(scratch.path() / "p.lift",
                        "param x : 100.f64 = wave\nresult y : 100.f64 = x |> map(\\v. 2 * v)\n");
  const ProcessResult r =
      cli_test::liftgen_shell("cd " + scratch.path().string() + " && " + cli_test::kLiftgen +
                              " explore p.lift --budget 3 --db none --out out & sleep 1; rm -r " +
                              scratch.path().string() + "/out; wait $!");
  CHECK_MESSAGE(r.status == 0, r.output);
  CHECK(std::filesystem::exists(scratch.path() / "out/p.c"));
}

TEST_CASE("cli files: declared in the program") {
  const Scratch scratch;
  fill(scratch);
  write_file_atomically(
      scratch.path() / "twice.lift",
      "size n, m\nparam image : n.m.f32 = npy \"image.npy\"\nresult y = image |> map2(\\x. 2 * x)\n");
  const ProcessResult r =
      liftgen({"run", "twice.lift", "--out", ".", "--output", "y=y.bin"}, scratch.path().string());
  CAPTURE(r.output);
  CHECK(r.status == 0);
  CHECK(elements<float>(read_file(scratch.path() / "y.bin"))[14] == 28);
}

TEST_CASE("cli files: what does not fit is refused before anything runs") {
  const Scratch scratch;
  fill(scratch);
  write_file_atomically(scratch.path() / "wide.npy", npy_header(f64, {3, 5}) + std::string(120, '\0'));
  write_file_atomically(scratch.path() / "flat.npy", npy_header(f32, {15}) + std::string(60, '\0'));
  const auto refused = [&](const std::vector<std::string>& options, const std::string& part) {
    std::vector<std::string> arguments = {"run", "rows.lift", "--out", "."};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult r = liftgen(arguments, scratch.path().string());
    CAPTURE(r.output);
    CHECK(r.status == 2);
    CHECK(r.output.starts_with("liftgen: "));
    CHECK(r.output.find(part) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(scratch.path() / "rows.c"));
  };
  refused({"--input", "image=wide.npy"}, "wide.npy holds 3.5.f64, but wanted is image : 3.5.f32");
  refused({"--input", "image=flat.npy"}, "flat.npy holds 15.f32, but image is n.m.f32");
  refused({"--input", "image=image.npy", "--size", "n=4"},
          "dimension 0 of image.npy has length 3, expected n = 4");
  refused({"--input", "u=u.bin"}, "u.bin has 40 bytes, but u : 40.f64 has 320");
  refused({"--input", "picture=image.npy"}, "no argument 'picture'; its arguments are image, u");
  refused({"--input", "image=none.npy"}, "none.npy: cannot be read");
  refused({"--input", "image"}, "--input image: write a name and a file: --input x=x.npy");
  refused({"--output", "sum=a.npy"}, "there is no result 'sum'; the results are sums, large, u2");
  refused({"--output", "sums=a.npy", "--output", "large=./a.npy"},
          "the result large goes there; give them two names");
  refused({"--input", "image=image.npy", "--output", "sums=image.npy"}, "the argument image is read from it");
  refused({"--output", "sums=none/a.npy"}, "--output sums none/a.npy: cannot be written");
}

}  // namespace cli_files_test
