// Loops over vectors that ask for residues of which vectors store no elements apart: masks tell them.
#include <doctest/doctest.h>

#include "ir/text/parse.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::masked_residues_test {

TEST_CASE("masked residues: of two, vectors store both; of more, each vector is masked") {
  const auto loops = [](const std::string& condition) {
    CAPTURE(condition);
    const Kernel k =
        test::run(parse_program("param x : 64.f64\nresult y = zip(x, generate(64, \\i. i)) |> "
                                "map_vec<4>(\\(v, i). select(" +
                                    condition + ", v, 2 * v))",
                                "residues.lift"));
    bool masks = false, vectors = false;
    visit_terms(k.body, [&](const Term& t) {
      masks = masks || t->kind == TermKind::Lanes, vectors = vectors || t->width == 4;
    });
    CHECK(vectors);
    return masks;
  };
  CHECK_FALSE(loops("i % 2 == 0"));
  CHECK(loops("i % 3 == 0"));
  CHECK(loops("i % 4 == 1"));
  CHECK(loops("i % 3 == 0 && i % 2 == 1"));
}

}  // namespace lift::masked_residues_test
