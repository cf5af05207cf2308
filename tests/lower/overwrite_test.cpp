// Updates whose bases nothing reads afterwards are in place, each by itself: in chains, beside stored stages,
// in several results, in steps of iterations. What is counted here comes back when copying does; what is
// computed is the interpreter's, without races, and for random programs, too.
#include <doctest/doctest.h>

#include <random>

#include "ir/error.hpp"
#include "ir/expr/sizes.hpp"
#include "ir/expr/verify.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/space/space.hpp"
#include "tests/lower/run_program.hpp"
#include "tests/rewrite/space_check.hpp"

using namespace lift;
using namespace lift::test;

namespace overwrite_test {
namespace {

/// At the sizes that the text says.
Program parsed(const std::string& text) {
  const auto number_of = [&](const std::string& size) {
    return std::stoll(text.substr(text.find("size " + size + " = ") + 9));
  };
  return with_sizes(parse_program("program tested\n" + text, "tested.lift"),
                    {{"n", number_of("n")}, {"m", number_of("m")}});
}

SpaceOptions on_threads() {
  SpaceOptions o;
  o.threads = 2, o.vector_bytes = 16;
  return o;
}

/// The first variant that there are loops for.
std::optional<Program> by_default(const Program& p, const Space& s) {
  for (const Configuration& c : s.seeds()) {
    const Program q = replay(p, s.derive(c));
    verify(q, "derivation");
    try {
      (void)lower(q);
      return q;
    } catch (const UserError&) {
    }
  }
  return std::nullopt;
}
Program by_default(const Program& p) {
  const auto q = by_default(p, Space(p, on_threads()));
  REQUIRE(q);
  return *q;
}

struct Counts {
  int updates = 0, in_place = 0;  ///< in the expression
  int copies = 0, shared = 0;     ///< stores of what is loaded elsewhere, parallel loops
  int arrays = 0;                 ///< of the kernel's own
};
bool is_shared_loop(const Stmt& s) {
  const auto* f = std::get_if<For>(&s.v);
  return f && f->kind == LoopKind::Par;
}

Counts counted(const std::string& text) {
  const Program p = by_default(parsed(text));
  Counts c;
  visit(p.body, [&](const Expr& e) { c.updates += e.is(Op::Update), c.in_place += e.is(Op::UpdateInPlace); });
  const Kernel k = lower(p, {.vector_bytes = 16, .target = Target::openmp, .least_shared = kLeastShared});
  visit(k.body, [&](const Stmt& s) {
    const auto* x = std::get_if<Store>(&s.v);
    c.copies += x && x->value->kind == TermKind::Load && x->value->name != x->array;
    c.shared += is_shared_loop(s);
  });
  for (const KernelArgument& a : k.arguments) c.arrays += a.work;
  return c;
}

/// All first guesses and some random variants, on numbers.
int run_variants(const Program& p, int random_ones) {
  const Space s(p, on_threads());
  std::vector<Configuration> all = s.seeds();
  std::mt19937 random(7);
  for (int i = 0; i < random_ones; ++i) all.push_back(test::random_configuration(s, random));
  int lowered = 0;
  for (const Configuration& c : all) {
    if (!s.layout(c).empty()) continue;  // `run` knows the caller's alone
    INFO(s.structure(c));
    const Program q = replay(p, s.derive(c));
    verify(q, "derivation");
    try {
      run(q);
      ++lowered;
    } catch (const UserError&) {  // decisions that cannot be met
    }
  }
  return lowered;
}

const std::string defs = R"(
def in_(x) = x |> drop2(1, 1)
def win(x) = x |> slide2(3, 1)
def top(x) = update2(x, 0, x |> drop2((1, 0), (n - 2, 0)))
def bottom(x) = update2(x, (n - 1, 0), x |> drop2((n - 2, 0), (1, 0)))
def left(x) = update2(x, 0, x |> drop2((0, 1), (0, m - 2)))
def right(x) = update2(x, (0, m - 1), x |> drop2((0, m - 2), (0, 1)))
def cross(w) = w[0, 1] + w[1, 0] + w[1, 2] + w[2, 1]
)";
std::string sizes(int n, int m) {
  return "size n = " + std::to_string(n) + " where n >= 5\nsize m = " + std::to_string(m) + " where m >= 5\n";
}

const std::string borders = R"(param p : n.m.f64
result q = p |> iterate(4, top)
)";
const std::string stored_between = R"(param u, v, w : n.m.f64
overwrite u, v, w
result a, b, c : {n.m.f64, n.m.f64, n.m.f64} =
  let x = update2(u, 1, zip2(in_(u), win(v)) |> map2(\(u, f). u + f[0, 1] - f[2, 1])) in
  let g = win(x) |> map2(\w. {w[0, 1], w[2, 1]}) in
  let y = update2(v, 1, zip2(in_(v), g) |> map2(\(u, f). u + f.0 - f.1)) in
  let z = update2(w, 1, zip2(in_(w), g) |> map2(\(u, f). u + f.0 - f.1)) in {x, y, z}
)";
const std::string fields = R"(param ex, ey, hz : n.m.f64
def electric_y(ey, hz, s) =
  concat(generate(5, m, \j i. s), zip2(ey |> drop2((5, 0), 0), hz |> drop2((4, 0), 0) |> slide2((2, 1), 1)) |> map2(\(e, h). e - 0.5 * (h[1, 0] - h[0, 0])))
def electric_x(ex, hz) =
  update2(ex, (0, 1), zip2(ex |> drop2((0, 1), 0), hz |> slide2((1, 2), 1)) |> map2(\(e, h). e - 0.5 * (h[0, 1] - h[0, 0])))
def magnetic(hz, ex, ey) =
  update2(hz, 0, zip2(hz |> drop2(0, 1), ex |> drop2(0, (1, 0)) |> slide2((1, 2), 1), ey |> drop2(0, (0, 1)) |> slide2((2, 1), 1))
                 |> map2(\(h, x, y). h - 0.5 * (x[0, 1] - x[0, 0] + y[1, 0] - y[0, 0])))
def step(s, (ex, ey, hz)) =
  let y = electric_y(ey, hz, s) in
  let x = electric_x(ex, hz) in
  {x, y, magnetic(hz, x, y)}
result a, b, c : {n.m.f64, n.m.f64, n.m.f64} = {ex, ey, hz} |> iterate(TIMES, \t fields. step(f64(t), fields))
)";
const std::string poisson = R"(param p, b : n.m.f64
def inner(p) = update2(p, 1, zip2(win(p), in_(b)) |> map2(\(w, b). 0.25 * (cross(w) - b)))
result q = p |> iterate(TIMES, \p. p |> inner |> top |> bottom |> left |> right)
)";
const std::string cavity = R"(param u, v, p : n.m.f64
def walls(x, lid) =
  let a = update2(x, 0, generate(1, m, \j i. lid)) in
  update2(update2(a, 0, generate(n, 1, \j i. 0.0)), (0, m - 1), generate(n, 1, \j i. 0.0))
def rhs(u, v) = zip2(win(u), win(v)) |> map2(\(u, v). 0.5 * (u[1, 2] - u[1, 0] + v[2, 1] - v[0, 1]))
def solve(p, r) = p |> iterate(3, \p. update2(p, 1, zip2(win(p), r) |> map2(\(w, r). 0.25 * (cross(w) - r))) |> top |> left)
def momentum(u, v, p) = update2(u, 1, zip2(win(u), win(v), win(p)) |> map2(\(u, v, p). 0.5 * u[1, 1] + 0.125 * cross(u) - v[1, 1] - 0.5 * (p[1, 2] - p[1, 0])))
result a, b, c : {n.m.f64, n.m.f64, n.m.f64} = {u, v, p} |> iterate(TIMES, \(u, v, p).
  let q = solve(p, rhs(u, v)) in
  let u1 = momentum(u, v, q) in
  let v1 = momentum(v, u, q) in
  {walls(u1, 1.0), walls(v1, 0.0), q})
)";
const std::string leapfrog = R"(param a, b, damp : n.m.f64
result x, y : {n.m.f64, n.m.f64} = {a, b} |> iterate(TIMES, \(a, b).
  {b, update2(a, 1, zip2(in_(a), win(b), in_(damp)) |> map2(\(a, w, d). d * (0.25 * cross(w) - a)))})
)";
const std::string swapped = R"(param a, b : n.m.f64
result x, y : {n.m.f64, n.m.f64} = {a, b} |> iterate(TIMES, \(a, b).
  {update2(b, 1, in_(b) |> map2(\b. 0.5 * b)), update2(a, 1, in_(a) |> map2(\a. a + 1.0))})
)";
const std::string handed_on = R"(param a, b : n.m.f64
result x, y : {n.m.f64, n.m.f64} = {a, b} |> iterate(TIMES, \(a, b).
  {a, update2(b, 1, zip2(in_(b), in_(a)) |> map2(\(b, a). 0.5 * b + a))})
)";
const std::string reaction = R"(param u, v : n.m.f64
overwrite u, v
result x, y : {n.m.f64, n.m.f64} = {u, v} |> iterate(TIMES, \(u, v).
  let r = zip2(u, v) |> map2(\(u, v). 0.125 * u * v) in
  {update2(u, 1, zip2(in_(u), in_(r)) |> map2(\(u, r). 0.5 * u - r)), update2(v, 1, zip2(in_(v), in_(r)) |> map2(\(w, r). 0.5 * w + r))})
)";
const std::string both_results = R"(param u : n.m.f64
overwrite u
result a, b : {n.m.f64, n.m.f64} =
  let x = update2(u, 1, in_(u) |> map2(\u. u + 1.0)) in
  let y = update2(x, 1, in_(x) |> map2(\u. u * 2.0)) in
  {x, y}
)";
const std::string framed = R"(param u : n.m.f64
result a =
  let x = update2(u, 0, generate(1, m, \j i. 1.0)) in
  let y = update2(x, (n - 1, 0), generate(1, m, \j i. 2.0)) in
  update2(y, 1, in_(u) |> map2(\u. u + 1.0))
)";

std::string with(const std::string& program, int times, int n, int m) {
  std::string s = sizes(n, m) + program;
  // Definitions follow the parameters, whose names they may use.
  const auto params = s.find("param"), end = s.find('\n', params);
  s.insert(end + 1, s.compare(end + 1, 9, "overwrite") == 0 ? "" : defs);
  if (s.find("def in_") == std::string::npos) s.insert(s.find('\n', end + 1) + 1, defs);
  for (auto at = s.find("TIMES"); at != std::string::npos; at = s.find("TIMES"))
    s.replace(at, 5, std::to_string(times));
  return s;
}

}  // namespace

TEST_CASE("overwrite: a border in an iteration copies the array once, in one loop that threads share") {
  const Counts c = counted(with(borders, 4, 512, 512));
  CHECK(c.updates == 0);
  CHECK(c.in_place == 1);
  CHECK(c.arrays == 0);
  CHECK(c.shared == 1);
}

TEST_CASE("overwrite: a stored stage between updates takes nothing from them") {
  const Counts c = counted(with(stored_between, 1, 64, 64));
  CHECK(c.updates == 0);
  CHECK(c.in_place == 3);
  CHECK(c.arrays == 0);  // its planes are a ring: all go in step
  CHECK(c.shared == 4);
  CHECK(c.copies == 2);
}

TEST_CASE("overwrite: fields of an iteration stay in their arrays, one that is replaced as a whole, too") {
  const Counts c = counted(with(fields, 6, 300, 400));
  CHECK(c.in_place == 3);
  CHECK(c.arrays == 0);
  CHECK(c.shared == 6);  // three of the first step, three of the others
}

TEST_CASE("overwrite: four borders, a frame, what is handed on") {
  const Counts p = counted(with(poisson, 20, 300, 400));
  CHECK(p.updates == 1);
  CHECK(p.in_place == 4);
  CHECK(p.arrays == 2);
  const Counts f = counted(with(framed, 1, 300, 400));
  CHECK(f.updates == 1);
  CHECK(f.in_place == 2);
  CHECK(f.arrays == 0);
  const Counts h = counted(with(handed_on, 20, 300, 400));
  CHECK(h.arrays == 0);
  CHECK(h.copies <= 5);  // of what is handed on, and around the block, before the steps
  CHECK(counted(with(reaction, 20, 300, 400)).updates == 0);
}

TEST_CASE("overwrite: what a step hands on in another place is not overwritten, nor is a result") {
  const Counts s = counted(with(swapped, 1, 20, 30));
  CHECK(s.in_place == 0);
  const Program both = by_default(parsed(with(both_results, 1, 20, 30)));
  const Kernel k = lower(both);
  CHECK(k.results.at(0) != k.results.at(1));
}

TEST_CASE("overwrite: the numbers are the interpreter's, in every variant") {
  for (const std::string& p : {borders, stored_between, fields, poisson, cavity, leapfrog, swapped, handed_on,
                               reaction, both_results, framed})
    for (const int times : {1, 2, 3, 6}) {
      const std::string text = with(p, times, times % 2 == 0 ? 9 : 7, times % 2 == 0 ? 6 : 11);
      CAPTURE(text);
      CHECK(run_variants(parsed(text), 2) > 0);
      if (text.find("iterate(" + std::to_string(times)) == std::string::npos) break;
    }
}

namespace {

/// A step of one to three fields: borders, interiors by themselves and by others, whole arrays, in any order;
/// handed on mostly where they were.
std::string random_program(std::mt19937& r) {
  const auto one_of = [&](int n) { return static_cast<int>(r() % static_cast<unsigned>(n)); };
  const int fields = 1 + one_of(3), times = 1 + one_of(6), n = 5 + one_of(5), m = 5 + one_of(8);
  std::vector<std::string> now;
  std::string params, types, state;
  for (int i = 0; i < fields; ++i) {
    now.push_back("s" + std::to_string(i));
    params += (i ? ", p" : "p") + std::to_string(i);
    types += std::string(i ? ", " : "") + "n.m.f64";
    state += (i ? ", s" : "s") + std::to_string(i);
  }
  std::string body;
  const int stages = 1 + one_of(6);
  for (int k = 0; k < stages; ++k) {
    const int i = one_of(fields);
    const std::string &a = now[static_cast<std::size_t>(i)],
                      b = now[static_cast<std::size_t>(one_of(fields))];
    std::string value;
    switch (one_of(8)) {
      case 0:
        value = "top(" + a + ")";
        break;
      case 1:
        value = "right(" + a + ")";
        break;
      case 2:
        value = "bottom(left(" + a + "))";
        break;
      case 3:
        value = "update2(" + a + ", 1, zip2(in_(" + a + "), win(" + b +
                ")) |> map2(\\(x, w). 0.5 * x + 0.125 * cross(w)))";
        break;
      case 4:
        value = "update2(" + a + ", 1, zip2(in_(" + a + "), in_(" + b + ")) |> map2(\\(x, y). 0.5 * x - y))";
        break;
      case 5:
        value = "zip2(" + a + ", " + b + ") |> map2(\\(x, y). 0.5 * x + 0.25 * y)";
        break;
      case 6:
        value = "concat(generate(1, m, \\j i. 1.0), " + b + " |> drop2((1, 0), 0) |> map2(\\x. 0.5 * x))";
        break;
      default:
        value = "iterate(2, \\x. top(update2(x, 1, win(x) |> map2(\\w. 0.25 * cross(w)))), " + a + ")";
        break;
    }
    const std::string name = "v" + std::to_string(k);
    body += "  let " + name + " = " + value + " in\n";
    now[static_cast<std::size_t>(i)] = name;
  }
  if (one_of(4) == 0) std::shuffle(now.begin(), now.end(), r);
  std::string results;
  for (std::size_t i = 0; i < now.size(); ++i) results += (i ? ", " : "") + now[i];
  std::string text = sizes(n, m) + "param " + params + " : n.m.f64\n";
  if (one_of(2) == 0) text += "overwrite p0\n";
  text += defs;
  const bool several = fields > 1;
  const std::string steps = "iterate(" + std::to_string(times) + ", " +
                            (several ? "\\(" + state + ").\n" : "\\s0.\n") + body + "  " +
                            (several ? "{" + results + "}" : results) + ")";
  std::string names;
  for (int i = 0; i < fields; ++i) names += (i ? ", r" : "r") + std::to_string(i);
  text += "result " + names + " : " + (several ? "{" + types + "}" : types) + " = " +
          (several ? "{" + params + "}" : params) + " |> " + steps + "\n";
  return text;
}

}  // namespace

TEST_CASE("overwrite: random steps of several fields") {
  std::mt19937 r(11);
  for (int k = 0; k < 60; ++k) {
    const std::string text = random_program(r);
    CAPTURE(text);
    CHECK(run_variants(parsed(text), 1) > 0);
  }
}

}  // namespace overwrite_test
