// Laws of scans and of values with a name, and how scans run. A map of scans, over columns say, and a scan
// over arrays with an element of each column are one computation in two loop orders; the laws that bring the
// one into the other go through what a function makes of a column: named values, maps, zips.
#include <map>

#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/analysis/rows.hpp"
#include "rewrite/rules/holes.hpp"
#include "rewrite/rules/rules.hpp"

namespace lift {
namespace {

using holes::a, holes::b, holes::c;
using holes::f, holes::g, holes::xs, holes::ys, holes::z, holes::zs;

Expr scan_to(bool back, const Expr& fn, const Expr& init, const Expr& array) {
  return back ? scan_back(fn, init, array) : scan(fn, init, array);
}
Expr of_two(const std::function<Expr(Expr, Expr)>& body) { return fun({Type::any(), Type::any()}, body); }
Expr of(const Expr& function, const Expr& x) { return apply(function, {x}); }
Expr of(const Expr& function, const Expr& x, const Expr& y) { return apply(function, {x, y}); }

Sides scan_map(bool back) {
  return {scan_to(back, f, z, map(g, xs)),
          scan_to(back, of_two([](Expr acc, Expr x) { return of(f, acc, of(g, x)); }), z, xs)};
}
Sides map_of_scan(bool back) {
  const Expr rows = of_two([](Expr acc, Expr x) {
    return map([](Expr t) { return of(f, get(0, t), get(1, t)); }, zip({acc, x}));
  });
  return {map([=](Expr x) { return scan_to(back, f, of(z, x), of(a, x)); }, xs),
          transpose(scan_to(back, rows, map(z, xs), transpose(map(a, xs))))};
}
/// Each scan's step uses more of what its column is made of.
Sides map_of_scans(bool back) {
  const auto step = [](Expr x) { return of_two([=](Expr acc, Expr e) { return apply(g, {x, acc, e}); }); };
  const Expr rows = of_two([](Expr acc, Expr r) {
    return map([](Expr t) { return apply(g, {get(2, t), get(0, t), get(1, t)}); }, zip({acc, r, xs}));
  });
  return {map([=](Expr x) { return scan_to(back, step(x), of(z, x), of(a, x)); }, xs),
          transpose(scan_to(back, rows, map(z, xs), transpose(map(a, xs))))};
}
Sides map_of_zip(int arrays) {
  const std::vector<Expr> functions = arrays == 2 ? std::vector{a, b} : std::vector{a, b, c};
  std::vector<Expr> maps;
  for (const Expr& fn : functions) maps.push_back(map(fn, xs));
  const auto zipped = [&](Expr x) {
    std::vector<Expr> parts;
    for (const Expr& fn : functions) parts.push_back(of(fn, x));
    return zip(parts);
  };
  return {map(zipped, xs), zip_n(2, maps)};
}
Sides transpose_of_zip(int arrays) {
  const std::vector<Expr> parts = arrays == 2 ? std::vector{xs, ys} : std::vector{xs, ys, zs};
  std::vector<Expr> transposed;
  for (const Expr& e : parts) transposed.push_back(transpose(e));
  return {transpose(zip_n(2, parts)), zip_n(2, transposed)};
}

// ---- how they run

Result<Expr> scan_seq(const Site& site, const Arguments&) {
  const Expr& e = site.e;
  if (!e.is(Op::Scan) && !e.is(Op::ScanBack))
    return Failure{"needs a scan without a decision, found " + std::string(text(e.op()))};
  const Op low = e.is(Op::Scan) ? Op::ScanSeq : Op::ScanBackSeq;
  return make(low, {e.child(0), e.child(1), e.child(2)}, attributes::scan(low), origin(e));
}
Result<Expr> decided(const Expr& e, LoopOption option, std::int64_t value) {
  if (!e.is(Op::ScanSeq) && !e.is(Op::ScanBackSeq))
    return Failure{"needs a scan_seq, found " + std::string(text(e.op()))};
  return with_option(e, option, value);
}
Result<Expr> scan_unroll(const Site& site, const Arguments& arguments) {
  const std::int64_t u = number(arguments, 0);
  if (u < 2 || u > 64) return Failure{"unrolls by 2 to 64, got " + arguments[0].str()};
  return decided(site.e, LoopOption::Width, u);
}

Result<Expr> scan_prefetch(const Site& site, const Arguments& arguments) {
  const std::int64_t ahead = number(arguments, 0);
  if (ahead < 1 || ahead > 64) return Failure{"prefetches 1 to 64 elements ahead, got " + arguments[0].str()};
  return decided(site.e, LoopOption::Prefetch, ahead);
}

constexpr std::int64_t kMostAbreast = 16;

Result<Expr> rows_abreast(const Site& site, const Arguments& arguments) {
  const Expr& e = site.e;
  const std::int64_t rows = number(arguments, 0), columns = number(arguments, 1);
  if (!e.is(Op::ScanSeq) && !e.is(Op::ScanBackSeq))
    return Failure{"needs a scan_seq, found " + std::string(text(e.op()))};
  if (rows < 1 || rows > kMostAbreast)
    return Failure{"takes 1 to 16 rows at once, got " + arguments[0].str()};
  if (columns < 1 || columns > 1 << 20)
    return Failure{"a step has 1 to 1048576 columns, got " + arguments[1].str()};
  if (loop_option(e, LoopOption::Width) > 1) return Failure{"the scan's loop is unrolled already"};
  const RowsBefore before = rows_before(e, site.around);
  if (!before.obstacle.empty()) return Failure{before.obstacle};
  if (before.right > columns)
    return Failure{"a row reads the one before up to " + std::to_string(before.right) +
                   " to the right, more than the columns of a step; use " + std::to_string(before.right) +
                   " columns or more"};
  return with_option(with_option(e, LoopOption::Rows, rows), LoopOption::Columns, columns);
}
Result<Expr> rows_in_turns(const Site& site, const Arguments& arguments) {
  const Expr& e = site.e;
  const std::int64_t columns = number(arguments, 0), step = loop_option(e, LoopOption::Columns);
  if (loop_option(e, LoopOption::Rows) == 0)
    return Failure{"needs a scan_seq<rows ...>; use rows-abreast first"};
  if (columns < step)
    return Failure{"a tile has the " + std::to_string(step) + " columns of a step at least, got " +
                   arguments[0].str()};
  if (const std::int64_t right = rows_before(e, site.around).right; right > 0)
    return Failure{"a row reads the one before up to " + std::to_string(right) +
                   " to the right, which another thread makes in the next tile"};
  return with_option(e, LoopOption::Turns, columns);
}

/// Puts a variable where a term has a value, also under binders.
class Named {
 public:
  Named(const Expr& value, const Expr& x) : value_(value), x_(x) {}
  Expr operator()(const Expr& e, int depth = 0) {
    if (e == shift(value_, depth)) return x_;
    const auto at = known_.find({e.id(), depth});
    if (at != known_.end()) return at->second;
    const Expr r = map_children(
        e, [&](const Expr& child) { return (*this)(child, depth + (e.is(Op::Lambda) ? 1 : 0)); });
    return known_.emplace(std::pair(e.id(), depth), r).first->second;
  }

 private:
  const Expr value_, x_;
  std::map<std::pair<std::uint32_t, int>, Expr> known_;
};

/// Of updates of updates the innermost one gets a name; so it does in the value of a name.
Result<Expr> let_base(const Site& site, const Arguments&) {
  const auto of_another = [](const Expr& e) { return e.is(Op::Update) && e.child(0).is(Op::Update); };
  Expr value = site.e.is(Op::Let) ? site.e.child(0) : site.e;
  if (site.e.is(Op::Tuple))
    for (const Expr& c : site.e.children())
      if (of_another(c) && !of_another(value)) value = c;
  if (!of_another(value)) return Failure{"needs an update of an update"};
  while (value.child(0).is(Op::Update)) value = value.child(0);
  const Expr x = fresh_param("x", value.type());
  const Expr body = Named(value, x)(site.e);
  return make(Op::Let, {value, lambda({x}, body)}, {}, origin(site.e));
}

}  // namespace

std::vector<Rule> scan_rules() {
  return {
      rule_of_rank("scan-map", 0, 1, [](int back) { return scan_map(back == 1); })
          .says("a scan computes the elements that it goes over itself"),
      rule_of_rank("map-of-scan", 0, 1, [](int back) { return map_of_scan(back == 1); })
          .says("the loop over columns goes inside the scan: one scan over rows with an element of each "
                "column"),
      rule_of_rank("map-of-scans", 0, 1, [](int back) { return map_of_scans(back == 1); })
          .says(
              "the loop over columns goes inside the scan, which uses more of each: one scan over rows with "
              "an element of each column"),
      rule("map-of-mapped", map([](Expr x) { return map(g, of(a, x)); }, xs),
           transpose(map([](Expr r) { return map(g, r); }, transpose(map(a, xs)))))
          .says("a loop over columns goes inside the loop over what is made of each"),
      rule("map-of-maps", map([](Expr x) { return map([&](Expr y) { return of(g, x, y); }, of(a, x)); }, xs),
           transpose(map(
               [](Expr r) {
                 return map([](Expr t) { return of(g, get(0, t), get(1, t)); }, zip({xs, r}));
               },
               transpose(map(a, xs)))))
          .says("a loop over columns goes inside the loop over what is made of each, which uses more of it"),
      rule("map-of-transpose", map([](Expr x) { return transpose(of(a, x)); }, xs),
           transpose({0, 2, 1}, map([](Expr x) { return of(a, x); }, xs)))
          .says("what each element makes is transposed all together"),
      rule("map-of-let", map([](Expr x) { return let(of(a, x), [&](Expr v) { return of(b, x, v); }); }, xs),
           let(map(a, xs),
               [](Expr w) {
                 return map([](Expr t) { return of(b, get(0, t), get(1, t)); }, zip({xs, w}));
               }))
          .says("a value with a name is computed for all elements, then used for all"),
      rule_of_rank("map-of-zip", 2, 3, map_of_zip)
          .says("arrays made side by side for each element are made one after the other for all"),
      rule_of_rank("transpose-of-zip", 2, 3, transpose_of_zip)
          .says("arrays side by side are transposed each by itself"),
      rule("let-of-transpose", let(transpose(xs), [](Expr v) { return of(b, v); }),
           let(xs, [](Expr w) { return of(b, transpose(w)); }))
          .says("a value with a name is stored in the order in which it is computed"),
      rule("let-exchange", let(a, [](Expr v) { return let(b, [&](Expr w) { return of(c, v, w); }); }),
           let(b, [](Expr w) { return let(a, [&](Expr v) { return of(c, v, w); }); }))
          .says("stages that do not need each other change places"),
      rule("let-inline", let(a, [](Expr v) { return of(b, v); }), of(b, a))
          .says("a value with a name is computed where it is used"),
      constructed("let-base", "update (update a b) c = let x = update a b in update x c", let_base)
          .says("an update gets a name, under which the next one replaces a part of it"),
      constructed("scan-seq", "scan f z -> scan_seq f z", scan_seq)
          .says("the scan is a loop that keeps the last element in variables"),
      constructed("scan-stored", "scan_seq f z reads the element before where it was stored",
                  [](const Site& site, const Arguments&) { return decided(site.e, LoopOption::Stored, 1); })
          .says("the element before is read back from memory"),
      constructed("scan-unroll", "scan_seq f z is unrolled by u", scan_unroll)
          .takes("u", "elements a trip")
          .says("the scan's loop is unrolled by %1"),
      constructed("scan-prefetch", "scan_seq f z prefetches what it computes d elements later", scan_prefetch)
          .takes("d", "elements ahead")
          .says("what the scan reads %1 elements later is prefetched"),
      constructed("rows-abreast", "scan_seq f z has r rows go along their columns together", rows_abreast)
          .takes("r", "rows at once")
          .takes("c", "columns of each in a step")
          .says("%1 rows go along their columns together, %2 columns of each a step, each row a step behind "
                "the one before"),
      constructed("rows-in-turns", "scan_seq<rows> f z goes along tiles of c columns in turns", rows_in_turns)
          .takes("c", "columns of a tile")
          .says("threads take tiles of %1 columns in turns, each of such rows as soon as the thread of the "
                "tile "
                "before has done them"),
  };
}

}  // namespace lift
