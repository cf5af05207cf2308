// Exploring an expression: variants are derived by rewriting, verified, timed; the fastest becomes a kernel.
// What is worth keeping is its derivation, a few lines of text that make the same kernel again without a
// search.
//
// With --full at the size and for the time that one would take in earnest.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <liftgen/files.hpp>
#include <liftgen/lift.hpp>

using namespace lift;
using namespace std::chrono_literals;

namespace {

Program sharpen() {
  const Nat n = nat("n"), m = nat("m");
  const Expr image = param("image", array({n, m}, f32)), strength = param("strength", f32);
  const auto pixel = [=](Expr w) {
    const Expr mean = (w[0][1] + w[1][0] + w[1][2] + w[2][1]) / 4.0f;
    return w[1][1] + strength * (w[1][1] - mean);
  };
  return {"sharpen", {image, strength}, image | pad2(1, 1, clamp) | slide2(3, 1) | map2(pixel)};
}

using Sharpen = std::vector<float>(const std::vector<float>&, float);
using SharpenInto = void(array_view<const float, 2>, float, array_view<float, 2>);

}  // namespace

int main(int argc, char** argv) try {
  const bool full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  const std::int64_t rows = full ? 4000 : 200, columns = full ? 6000 : 300;

  // Data are pseudo-random unless described; the fill of `strength` matters to nobody's time, but shows how.
  ExpressionOptions options{.sizes = {{"n", rows}, {"m", columns}}, .budget = 60s};
  options.data["strength"] = {.kind = ArgumentData::Kind::constant, .low = 0.5};
  options.more.configurations = full ? 0 : 6;
  options.more.rivals = full;
  const Tuned tuned = explore(sharpen(), options);
  std::printf("%s\n%s\n", leaderboard(tuned.report, 6).c_str(), summary(tuned.report, false).c_str());

  // As a kernel of this program ...
  const auto kernel = tuned.kernel<SharpenInto>();
  std::vector<float> in(static_cast<std::size_t>(rows * columns), 1.0f), out(in.size());
  in[in.size() / 2] = 5;
  kernel(array_view<const float, 2>(in.data(), {rows, columns}), 0.5f,
         array_view(out.data(), {rows, columns}));

  // ... and to be kept: the derivation as text, and the C text, which needs no liftgen.
  const auto directory = std::filesystem::temp_directory_path();
  const auto derivation_file = directory / "sharpen.derivation", source_file = directory / "sharpen.c";
  write_file_atomically(derivation_file, str(tuned.derivation));
  write_file_atomically(source_file, tuned.source);
  std::printf("kept in %s and %s:\n%s", derivation_file.c_str(), source_file.c_str(),
              str(tuned.derivation).c_str());

  // Another day: the same kernel from the text. At sizes to which it does not apply the default is taken.
  const auto again = compile<SharpenInto>(
      sharpen(), {.derivation = parse_derivation(read_file(derivation_file)), .or_default = true});
  std::vector<float> once_more(in.size());
  again(array_view<const float, 2>(in.data(), {rows, columns}), 0.5f,
        array_view(once_more.data(), {rows, columns}));
  const bool same = out == once_more && again.derivation({{"n", rows}, {"m", columns}}) == tuned.derivation;
  return same && tuned.report.counts.wrong == 0 ? 0 : 1;
} catch (const std::exception& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
