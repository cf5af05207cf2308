// Periodic chains, and stages of several arrays, in step and in tiles: bit by bit what one stage after the
// other computes.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "ir/text/parse.hpp"
#include "lower/lower.hpp"
#include "rewrite/analysis/chain.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/in_step_chains.hpp"
#include "tests/rewrite/space_check.hpp"

namespace lift::in_step_test {
namespace {

/// First guesses and random configurations; how many of them went in step.
int check_variants(const Program& p, int random_ones) {
  const LoopsRun expected = run_loops(lower(p), 1);
  const Space s(p, {Target::openmp, 2, 16});
  std::vector<Configuration> all = s.seeds();
  std::mt19937 random(5);
  for (int i = 0; i < random_ones; ++i) all.push_back(test::random_configuration(s, random));
  int in_step = 0;
  for (const Configuration& c : all) {
    if (!s.layout(c).empty()) continue;
    CAPTURE(s.structure(c));
    const Derivation d = s.derive(c);
    try {
      const LoopsRun found = run_loops(lower(replay(p, d), {.vector_bytes = 16}), 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
      in_step += std::any_of(d.begin(), d.end(), [](const Step& step) { return step.rule == "in-step"; });
    } catch (const UserError&) {  // decisions that cannot be met
    }
  }
  return in_step;
}

}  // namespace

TEST_CASE("periodic: coupled fields, each component read at distances of its own") {
  for (const std::string boundary : {"wrap", "clamp"})
    for (const std::string size : {"19.9", "8.11"}) {
      const std::string text = "param u, v : " + size + ".f64\ndef around(x) = x |> pad2((1, 1), (2, 1), " +
                               boundary +
                               ") |> slide2((4, 3), 1)\ndef step((u, v)) = zip2(around(u), around(v))\n"
                               "  |> map2(\\(u, v). {u[1, 0] - v[1, 2], v[3, 1] * 0.5 + u[0, 1]}) |> unzip2\n"
                               "result a, b = {u, v} |> iterate(4, step)\n";
      CAPTURE(text);
      const int in_step = check_variants(parse_program(text), 30);
      if (size == "19.9") CHECK(in_step >= 2);  // of fewer planes not worth it
    }
}

TEST_CASE("periodic: stages that read one another at several distances") {
  const std::string text =
      "param p, u : 21.8.f64\ndef around(x) = x |> pad2(1, 1, wrap) |> slide2(3, 1)\n"
      "result a, b, c =\n"
      "let z = zip2(around(p), u) |> map2(\\(p, u). (p[1, 1] + p[0, 1]) * u) in\n"
      "let h = zip2(p, around(u)) |> map2(\\(p, u). p + u[2, 1] - u[1, 0]) in\n"
      "let n = zip2(around(z), around(h)) |> map2(\\(z, h). z[2, 1] - h[0, 2] + h[1, 1]) in\n"
      "{n, zip2(around(n), z) |> map2(\\(n, z). n[0, 1] + z), zip2(around(around(h) |> map2(\\h. h[2, 2])), "
      "n)\n"
      " |> map2(\\(h, n). h[2, 1] * n)}\n";
  CHECK(check_variants(parse_program(text), 40) > 2);
}

TEST_CASE("periodic: lines that wrap once, in tiles of all stages whose loops are over vectors") {
  for (const int n : {23, 40, 97}) {
    const Program p = parse_program(
        "param u : " + std::to_string(n) +
        ".f64\ndef step(x) = x |> pad(2, 1, wrap) |> slide(4, 1) |> map(\\w. w[0] - 2 * w[1] + w[3])\n"
        "result r = u |> iterate(5, step)\n");
    const LoopsRun expected = run_loops(lower(p), 1);
    Program q = stepped(stepped(p, "iterate-chain"), "wrap-once");
    for (std::size_t s = 0; s < 5; ++s) q = stepped(q, "map-vec", {"2"}, chain_of(q).stages.at(s).place);
    q = stepped(q, "rings");
    for (const int tile : {8, 16, 40}) {
      CAPTURE(n);
      CAPTURE(tile);
      const Kernel k = lower(stepped(q, "in-tiles", {"0", std::to_string(tile)}), {.vector_bytes = 16});
      const LoopsRun found = run_loops(k, 1);
      CHECK(found.results == expected.results);
      CHECK(found.races.empty());
      std::size_t vectors = 0;
      visit(k.body, [&](const Stmt& s) {
        if (const auto* f = std::get_if<For>(&s.v)) vectors += f->kind == LoopKind::Vec ? 1 : 0;
      });
      CHECK(vectors >= 5);
    }
  }
}

}  // namespace lift::in_step_test
