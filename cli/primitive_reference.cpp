#include "cli/primitive_reference.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "ir/error.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"

namespace lift::cli {
namespace {

/// How primitives are written, as arguments of a program that kDeclared has; in the order of the op table.
constexpr std::pair<Op, std::string_view> kWritten[] = {
    {Op::Tuple, "{xs, a}"},
    {Op::Get, "{xs, a}.1"},
    {Op::Zip, "zip(xs, ks)"},
    {Op::Unzip, "unzip(zip(xs, ks))"},
    {Op::At, "a[0, 1]"},
    {Op::Split, "ws |> split(4)"},
    {Op::Join, "join(a)"},
    {Op::Slide, "xs |> slide(3, 1)"},
    {Op::Pad, "xs |> pad(1, 2, clamp)"},
    {Op::Drop, "ws |> drop(1, 2)"},
    {Op::Transpose, "transpose(a)"},
    {Op::Reverse, "reverse(xs)"},
    {Op::Generate, "generate(n, m, \\i j. i * j)"},
    {Op::Concat, "concat(xs, ys)"},
    {Op::Interleave, "interleave(xs, ys)"},
    {Op::Update, "update(ws, 1, xs)"},
    {Op::Gather, "xs |> gather(k, clamp)"},
    {Op::Map, "ks |> map(\\k. f64(k))"},
    {Op::Reduce, "xs |> reduce(add, 0)"},
    {Op::Scan, "xs |> scan(add, 0)"},
    {Op::ScanBack, "xs |> scan_back(add, 0)"},
    {Op::Iterate, "xs |> iterate(3, \\v. v |> map(sqrt))"},
    {Op::Select, "select(x < y, x, y)"},
    {Op::Cast, "f64(k)"},
};
constexpr std::string_view kDeclared =
    "`n` and `m` are sizes; `xs, ys : n.f64`, `ks : n.i32`, `ws : (4*n).f64`, `a : n.m.f64`, `x, y : f64`, "
    "`k : "
    "i32`";

Names declared() {
  const Nat n = Nat::size("n"), m = Nat::size("m");
  const Type of_n = array({n}, f64);
  Names names;
  for (const auto& [name, type] : std::map<std::string, Type>{{"xs", of_n},
                                                              {"ys", of_n},
                                                              {"ks", array({n}, i32)},
                                                              {"ws", array({4 * n}, f64)},
                                                              {"a", array({n, m}, f64)},
                                                              {"x", f64},
                                                              {"y", f64},
                                                              {"k", i32}})
    names.params.emplace(name, param(name, type));
  names.sizes = {{"n", n}, {"m", m}};
  return names;
}

std::string_view written(Op op) {
  for (const auto& [known, text] : kWritten)
    if (known == op) return text;
  throw InternalError(std::string("primitive_page: no example of ") + std::string(row(op).text) +
                      "; add it to kWritten");
}

/// "n.f64, n.i32 -> n.{f64, i32}"
std::string type_text(const Expr& e) {
  std::string s;
  for (const Expr& c : e.children())
    s += (s.empty() ? "" : ", ") + (c.type().is_function() ? "(" + c.type().str() + ")" : c.type().str());
  return s + " -> " + e.type().str();
}

/// The types that an op of numbers has, by trying its typing rule: "f32, f32 -> f32; f64, f64 -> f64".
std::string scalar_types(const OpRow& r) {
  std::string s;
  for (const Scalar type : kScalarTypes) {
    std::vector<Expr> operands;
    for (int i = 0; i < r.arity; ++i)
      operands.push_back(param(std::string(1, static_cast<char>('x' + i)), type));
    try {
      const Expr e = make(r.op, operands);
      s += (s.empty() ? "" : "; ") + type_text(e);
    } catch (const UserError&) {  // not of this type
    }
  }
  return s;
}

std::string spelled(const OpRow& r) {
  const std::string x = "x", y = "y";
  switch (r.notation.form) {
    case Notation::Infix:
      return x + " " + std::string(r.notation.sign) + " " + y;
    case Notation::Prefix:
      return std::string(r.notation.sign) + x;
    default:
      return std::string(r.text) + (r.arity == 1 ? "(x)" : "(x, y)");
  }
}

std::string cell(std::string s) {  // of a table, in which | ends a cell
  for (std::size_t i = 0; (i = s.find('|', i)) != std::string::npos; i += 2) s.replace(i, 1, "\\|");
  return s;
}

std::string line(std::string_view name, const std::string& how, const std::string& type,
                 std::string_view means) {
  return fmt::format("| {} | {} | {} | {} |\n", cell(std::string(name)),
                     how.empty() ? "" : "`" + cell(how) + "`", type.empty() ? "" : "`" + cell(type) + "`",
                     cell(std::string(means)));
}

std::string table(OpClass cls, const Names& names) {
  std::string s = "| | as in | type | |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < static_cast<std::size_t>(Op::Count); ++i) {
    const OpRow& r = row(static_cast<Op>(i));
    if (r.cls != cls || r.op == Op::UserFun) continue;
    if (cls == OpClass::Scalar && r.op != Op::Select && r.op != Op::Cast) {
      s += line(r.text, spelled(r), scalar_types(r), r.says);
      continue;
    }
    const std::string how(written(r.op));
    s += line(r.text, how, type_text(parse_expression(how, names)), r.says);
  }
  return s;
}

std::string low_level() {
  std::string s = "| | means | |\n|---|---|---|\n";
  for (std::size_t i = 0; i < static_cast<std::size_t>(Op::Count); ++i) {
    const OpRow& r = row(static_cast<Op>(i));
    if (r.cls != OpClass::LowLevel) continue;
    s += fmt::format("| {} | {} | {} |\n", r.text,
                     r.high == Op::Count ? std::string("its argument: `T -> T`")
                                         : "`" + std::string(row(r.high).text) + "`",
                     cell(std::string(r.says)));
  }
  return s;
}

}  // namespace

std::string primitive_page() {
  const Names names = declared();
  return "# Primitives\n\n"
         "Written by `liftgen list --primitives` from the op table (`ir/expr/ops.cpp`). Types are those that "
         "the "
         "typing rules give to the examples:\n" +
         std::string(kDeclared) +
         ".\nFunctions, variables and `let` are syntax: [lift-language.md](lift-language.md). `zip2`, "
         "`map3`, "
         "`slide2`, ... act on so many\ndimensions; [python.md](python.md) and [cpp.md](cpp.md) have the "
         "names of "
         "both languages.\n\n"
         "## Arrays and tuples\n\n" +
         table(OpClass::Structure, names) + "\n## Computing over arrays\n\n" +
         table(OpClass::Computation, names) + "\n## Numbers\n\n" + table(OpClass::Scalar, names) +
         "\nFunctions in C: `user cube(x : f64) : f64 = \"return x * x * x;\"`, then `cube(x)`.\n\n"
         "## With a decision\n\n"
         "What exploring chooses among. Programs are written without them.\n\n" +
         low_level();
}

}  // namespace lift::cli
