#include "emit/c_arithmetic.hpp"

#include <algorithm>

namespace lift {
namespace {

bool power_of_two(std::int64_t m) { return m > 0 && (m & (m - 1)) == 0; }

}  // namespace

std::string c_type(Scalar s) {
  switch (s) {
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::i64:
      return "long";
    case Scalar::u8:
      return "unsigned char";
    case Scalar::u16:
      return "unsigned short";
    case Scalar::i16:
      return "short";
    default:
      return "int";
  }
}
std::string c_element_type(Scalar s) { return s == boolean ? "unsigned char" : c_type(s); }

std::string floor_function(const std::string& what, Scalar s) {
  return "floor_" + what + (s == i64 ? "_long" : "");
}

Text index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name,
                std::set<std::string>& helpers, bool bits) {
  const IndexFunction call = [&](const std::string& f, const std::string& a, const std::string& b) {
    return "index_" + *helpers.insert(f).first + "(" + a + ", " + b + ")";
  };
  return index_text(n, name, call, bits);
}

Text index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name,
                const IndexFunction& function, bool bits) {
  const auto nat = [&](const Nat& x) { return index_text(x, name, function, bits); };
  if (const auto c = n.constant()) return {std::to_string(*c), *c < 0 ? 8 : 9};
  std::vector<NatTerm> ts(terms(n).begin(), terms(n).end());
  const auto magnitude = [](const NatTerm& t) { return t.coefficient < 0 ? -t.coefficient : t.coefficient; };
  std::stable_sort(ts.begin(), ts.end(), [&](const NatTerm& a, const NatTerm& b) {
    if (a.factors.empty() != b.factors.empty()) return b.factors.empty();  // the constant last
    if ((a.coefficient < 0) != (b.coefficient < 0))
      return b.coefficient < 0;  // what is subtracted after the rest
    if (magnitude(a) != magnitude(b)) return magnitude(a) > magnitude(b);  // outer dimensions first
    return a.factors[0].atom->id > b.factors[0].atom->id;                  // row + i
  });
  std::string s;
  for (const NatTerm& t : ts) {
    s += s.empty() ? (t.coefficient < 0 ? "-" : "") : (t.coefficient < 0 ? " - " : " + ");
    std::string product;
    if (magnitude(t) != 1 || t.factors.empty()) product = std::to_string(magnitude(t));
    for (const NatFactor& f : t.factors)
      for (int p = 0; p < f.power; ++p) {
        const NatAtom& a = *f.atom;
        Text x{"", 9};
        if (a.kind == AtomKind::Var) {
          x.s = name(a);
        } else if (a.kind == AtomKind::Min || a.kind == AtomKind::Max) {
          x.s = function(a.kind == AtomKind::Min ? "min" : "max", nat(a.a).s, nat(a.b).s);
        } else {
          const auto m = a.b.constant();
          const bool division = a.kind == AtomKind::FloorDiv;
          if (bits && !division && m && power_of_two(*m))
            x = {nat(a.a).in(7) + " & " + std::to_string(*m - 1), 3};
          else if (Facts().proves_nonnegative(a.a))
            x = {nat(a.a).in(7) + (division ? " / " : " % ") + nat(a.b).in(8), 7};
          else
            x.s = function(division ? "div" : "mod", nat(a.a).s, nat(a.b).s);
          if (n == atom_nat(a)) return x;
        }
        product += (product.empty() ? "" : "*") + x.in(8);
      }
    s += product;
  }
  return {s, ts.size() > 1 ? 6
                           : (ts[0].coefficient < 0 ? 8
                                                    : (ts[0].coefficient == 1 && ts[0].factors.size() == 1 &&
                                                               ts[0].factors[0].power == 1
                                                           ? 9
                                                           : 7))};
}

std::string index_helpers(const std::set<std::string>& helpers, const std::string& q,
                          const std::string& index) {
  std::string s;
  for (const Scalar type : {i32, i64}) {
    const std::string div = floor_function("div", type), mod = floor_function("mod", type), t = c_type(type),
                      two = "(" + t + " a, " + t + " b) { ";
    if (helpers.count(div) || helpers.count(mod))
      s += q + t + " " + div + two + " /* rounds down; by 0 it gives 0 */\n" +  //
           "  if (b == 0) return 0;\n"
           "  if (b == -1) return (" +
           t + ")(0u - (unsigned " + t + ")a);\n  const " + t +
           " q = a / b;\n  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;\n}\n";
    if (helpers.count(mod))
      s += q + t + " " + mod + two + "return b == -1 ? 0 : a - b * " + div + "(a, b); }\n";
  }
  const auto function = [&](const std::string& name, const std::string& b, const std::string& body) {
    if (helpers.count(name))
      s += q + index + " index_" + name + "(" + index + " a, " + index + " " + b + ") { " + body + "\n";
  };
  function("div", "m", "return a >= 0 ? a / m : -((m - 1 - a) / m); }  /* rounds down */");
  function("mod", "m", "const " + index + " r = a % m; return r < 0 ? r + m : r; }");
  function("min", "b", "return a < b ? a : b; }");
  function("max", "b", "return a > b ? a : b; }");
  return s;
}

}  // namespace lift
