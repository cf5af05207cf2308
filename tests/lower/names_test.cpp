// What a kernel makes for itself is not called as what the program gives it is.
#include <doctest/doctest.h>

#include <set>

#include "ir/text/parse.hpp"
#include "tests/lower/run_program.hpp"

namespace lift::names_test {
namespace {

/// Arrays of the kernel's own and numbers, each once, and none as an argument.
void check_names(const Kernel& k) {
  std::set<std::string> names;
  for (const KernelArgument& a : k.arguments) CHECK_MESSAGE(names.insert(a.name).second, a.name);
  visit(k.body, [&](const Stmt& s) {
    if (const auto* a = std::get_if<Allocate>(&s.v)) CHECK_MESSAGE(names.count(a->name) == 0, a->name);
    const auto* l = std::get_if<Let>(&s.v);
    if (l && l->local->kind == TermKind::Local)
      CHECK_MESSAGE(names.count(l->local->name) == 0, l->local->name);
    if (const auto* d = std::get_if<Declare>(&s.v))
      CHECK_MESSAGE(names.count(d->local->name) == 0, d->local->name);
  });
}

}  // namespace

TEST_CASE("names: of arguments and results, which arrays of the kernel's own have not") {
  const std::string read = " |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0] + w[2])",
                    pairs = " |> pad(1, 1, clamp) |> slide(3, 1) |> map(\\w. w[0].0 + w[2].1)";
  for (const std::string& text : std::vector<std::string>{
           "param work1 : 12.f64\nresult = to_global(work1 |> map(\\x. x + 1))" + read,
           "param tile1 : 12.f64\nresult = to_private(tile1 |> map(\\x. x + 1))" + read,
           "param xs : 400.f64\nresult work1 = let a = xs |> map(\\x. x + 1) in a" + read,
           "param even1, odd2 : 12.f64\nresult = zip(odd2, iterate(7, \\s. s" + read +
               ", even1)) |> map(\\p. p.0 - p.1)",
           "param acc1 : 40.6.f64\nresult = acc1 |> reduce(\\acc r. zip(acc, r) |> map(\\p. p.0 + p.1), "
           "generate(6, \\i. 0.0))",
           // Of components.
           "param work1a : 12.f64\nresult = to_global(work1a |> map(\\x. {x + 1, x * 2}))" + pairs,
           "param work1b, work10 : 12.f64\nresult work2 = zip(work10, to_global(work1b |> map(\\x. {x + 1, x "
           "* "
           "2}))" +
               pairs + ") |> map(\\p. p.0 + p.1)",
           // In an iteration's own array.
           "param work1 : 6.12.f64\nresult = work1 |> map_par(\\r. to_private(r |> map(\\x. x + 1))" + read +
               ")",
           "param tile1 : 6.12.f64\nresult = tile1 |> map_par(\\r. to_private(r |> map(\\x. x + 1))" + read +
               ")",
           // Numbers.
           "param v1, next1, acc2 : f64\nparam xs : 12.f64\nresult = let s = reduce(add, v1, xs) in xs |> "
           "map(\\x. let "
           "t = x * s in t * t + next1 - acc2)",
       }) {
    CAPTURE(text);
    Program p = parse_program(text, "names.lift");
    check_names(lower(p));
    if (text.find(": f64") == std::string::npos) test::run(p);
  }
  // A size.
  check_names(lower(parse_program(
      "size work1\nparam xs : work1.f64\nresult = to_global(xs |> map(\\x. x + 1))" + read, "names.lift")));
}

}  // namespace lift::names_test
