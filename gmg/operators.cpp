#include "gmg/operators.hpp"

#include "patterns/reduction.hpp"

namespace lift::gmg {
namespace {

std::vector<Expr> joined(std::vector<Expr> a, const std::vector<Expr>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Expr overwritten(const Grid& g, const Expr& base, const Expr& block) {
  return update(base, std::vector<Nat>(g.domain().dimensions(), 0), block);
}

}  // namespace

Expr own_image(const Grid& g, const CellView& cell, std::size_t d, int offset) {
  const Scalar type = g.type();
  const std::int64_t n = g.domain().cells()[d];
  if (offset == 0 || (g.domain().is_periodic(d) && offset % n == 0)) return literal(1, type);
  const int reach = std::abs(offset);
  // x + offset = -1 - x at the low face, 2 n - 1 - x at the high one.
  const std::int64_t at = offset < 0 ? (reach - 1) / 2 : n - 1 - (reach - 1) / 2;
  if (g.domain().is_periodic(d) || reach % 2 == 0 || at < 0 || at >= n) return literal(0, type);
  const Condition& c = g.domain().condition(d, offset > 0);
  const Expr scale = c.kind == Condition::Kind::robin
                         ? param("robin_" + g.domain().name_of(d) + (offset > 0 ? "_high" : "_low"), type)
                         : literal(c.kind == Condition::Kind::dirichlet ? -1 : 1, type);
  return select(eq(cell.index(d), static_cast<int>(at)), scale, literal(0, type));
}

Program program_of(const Grid& g, const std::string& name, const std::vector<Expr>& arrays, const Expr& body,
                   std::vector<std::string> overwritable) {
  const std::vector<Expr> mentioned = params_of(body);
  std::vector<Expr> arguments;
  for (const Expr& a : arrays)  // a coefficient that A does not read is no argument
    if (std::find(mentioned.begin(), mentioned.end(), a) != mentioned.end()) arguments.push_back(a);
  for (const Expr& x : g.numbers_in(body)) arguments.push_back(x);
  for (const Expr& p : mentioned)
    if (p.type() == Type(i32)) arguments.push_back(p);
  return {.name = name, .arguments = arguments, .body = body, .overwritable = std::move(overwritable)};
}

Expr residual_of(const Grid& g, const Expr& u) {
  return g.for_cells({g.cells("f")}, g.surrounded(u, g.equation().radius()),
                     [](const CellView& c) { return c.values[0] - c.a_of_u; });
}

Program apply_program(const Grid& g) {
  const Expr u = g.cells("u");
  const Expr body =
      g.for_cells({}, g.surrounded(u, g.equation().radius()), [](const CellView& c) { return c.a_of_u; });
  return program_of(g, "apply", joined({u}, g.coefficients()), body);
}

Program residual_program(const Grid& g) {
  const Expr u = g.cells("u");
  return program_of(g, "residual", joined({u, g.cells("f")}, g.coefficients()), residual_of(g, u));
}

Program lambda_program(const Grid& g) {
  const Expr weight = param("weight", g.type());
  const Expr body = g.for_cells(
      {},
      [&](const CellView& cell, const Offset& o) {
        Expr x;
        for (std::size_t d = 0; d < o.size(); ++d) {
          const Expr along = own_image(g, cell, d, o[d]);
          x = x ? x * along : along;
        }
        return x;
      },
      [&](const CellView& c) { return weight / c.a_of_u; });
  return program_of(g, "diagonal", g.coefficients(), body);
}

Program boundary_program(const Grid& g) {
  std::vector<Nat> larger = g.shape();
  for (Nat& n : larger) n = n + 2 * g.equation().radius();
  const Expr around = param("around", array(larger, g.type()));
  const Expr body = g.for_cells({}, around, [](const CellView& c) { return c.a_of_u; });
  return program_of(g, "boundary", joined({around}, g.coefficients()), body);
}

Expr is_of_colour(const Colours& colours, const std::vector<Expr>& numbers,
                  const std::function<Expr(std::size_t)>& index) {
  Expr all;
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    Expr sum = numbers[r];
    for (std::size_t d = 0; d < colours.rows[r].size(); ++d)
      if (colours.rows[r][d]) sum = sum + index(d);
    const Expr is = eq(sum % static_cast<int>(colours.modulus), 0);
    all = all ? all && is : is;
  }
  return all;
}

Expr relaxed(const Grid& g, const Colours& colours, const Expr& u, const std::vector<Expr>& numbers) {
  const Expr f = g.cells("f"), lambda = g.cells("lambda");
  const Expr block = g.for_cells({f, lambda}, g.surrounded(u, g.equation().radius()), [&](const CellView& c) {
    const Expr relaxed = c.u + c.values[1] * (c.values[0] - c.a_of_u);
    return select(is_of_colour(colours, numbers, c.index), relaxed, c.u);
  });
  return overwritten(g, u, block);
}

Program relaxation_program(const Grid& g, const Colours& colours) {
  const Expr u = g.cells("u");
  std::vector<Expr> numbers;
  for (std::size_t r = 0; r < colours.rows.size(); ++r)
    numbers.push_back(index_param("color" + std::to_string(r), 0, colours.modulus - 1));
  return program_of(g, "relaxation", joined(joined({u, g.cells("f")}, g.coefficients()), {g.cells("lambda")}),
                    relaxed(g, colours, u, numbers), {"u"});
}

Program polynomial_program(const Grid& g) {
  const Expr u = g.cells("u"), f = g.cells("f"), lambda = g.cells("lambda"), previous = g.cells("previous");
  const Expr first = param("first", g.type()), second = param("second", g.type());
  const Expr block =
      g.for_cells({f, lambda, previous}, g.surrounded(u, g.equation().radius()), [&](const CellView& c) {
        return c.u + first * (c.u - c.values[2]) + second * c.values[1] * (c.values[0] - c.a_of_u);
      });
  return program_of(g, "polynomial", joined(joined({previous, u, f}, g.coefficients()), {lambda}),
                    overwritten(g, previous, block), {"previous"});
}

const char* text(Norm n) { return n == Norm::max ? "max" : "rms"; }

Program residual_norm_program(const Grid& g, Norm norm) {
  const Expr u = g.cells("u");
  const auto reduced = [&](int rank, const Expr& xs) {
    return norm == Norm::max ? largest_magnitude(rank, xs) : sum_of_squares(rank, xs);
  };
  const Expr body = reduced(g.rank(), residual_of(g, u));
  return program_of(g, "residual_norm", joined({u, g.cells("f")}, g.coefficients()), body);
}

}  // namespace lift::gmg
