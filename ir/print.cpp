// Expressions as text: data first, stages piped, scalars infix.
//
//   phi |> pad3(1, 1, mirror) |> slide3(3, 1) |> map3(\w. (w[1, 1, 0] + w[1, 1, 2]) / 2)
//
// A rank above 1 is a suffix; a parameter that is the same in all dimensions is written once, else as (1, 1, 2).
#include <algorithm>
#include <cstdio>

#include "ir/ops.hpp"
#include "ir/program.hpp"

namespace lift {
namespace {

class Printer {
 public:
  explicit Printer(bool lines) : lines_(lines) {}

  /// Precedence: 0 pipe or function, 1 or, 2 and, 3 comparison, 4 sum, 5 product, 6 unary, 7 atom.
  std::string print(const Expr& e, int minimum = 0) {
    const auto [s, precedence] = spell(e);
    return precedence < minimum ? "(" + s + ")" : s;
  }

 private:
  using Spelled = std::pair<std::string, int>;

  std::string indent() const { return "\n" + std::string(static_cast<std::size_t>(depth_) * 2, ' '); }

  static std::string same_or_all(std::span<const Nat> ns) {
    if (std::all_of(ns.begin(), ns.end(), [&](const Nat& n) { return n == ns[0]; })) return ns[0].str();
    std::string s;
    for (const Nat& n : ns) s += (s.empty() ? "" : ", ") + n.str();
    return "(" + s + ")";
  }
  static std::string with_rank(Op op, std::size_t rank) { return std::string(text(op)) + (rank > 1 ? std::to_string(rank) : ""); }
  std::string list(std::span<const Expr> es) {
    std::string s;
    for (const Expr& e : es) s += (s.empty() ? "" : ", ") + print(e, 1);
    return s;
  }

  /// The element of a tuple parameter is used by its components' names when all uses are components.
  std::string fresh(const Type& t) {
    static const char* const names[] = {"x", "y", "z", "u", "v", "w"};
    const char* base = t.is_array() ? "xs" : names[count_ % 6];
    std::string n = base;
    if (count_ >= 6 || t.is_array()) n += std::to_string(count_);
    ++count_;
    return n;
  }

  /// What an array is called that is derived from a named one; "" when it has no single origin.
  std::string origin_name(const Expr& e) {
    switch (e.op()) {
      case Op::Param:
      case Op::Bound: return spell(e).first;
      case Op::Get: return e.child(0).is(Op::Bound) ? spell(e).first : origin_name(e.child(0));
      case Op::Generate: return "at";
      case Op::Split:
      case Op::Join:
      case Op::Slide:
      case Op::Pad:
      case Op::Drop:
      case Op::Transpose:
      case Op::Layout:
      case Op::At: return origin_name(e.child(0));
      default: return "";
    }
  }
  /// Names of the components of a zip's elements: those of the arrays zipped. Empty when they are not all different names.
  std::vector<std::string> component_names(const Expr& array) {
    Expr e = array;
    while (e.is(Op::Split) || e.is(Op::Join) || e.is(Op::Pad) || e.is(Op::Drop) || e.is(Op::Transpose)) e = e.child(0);
    if (e.is(Op::Bound)) return known(e) && !scope(e).components.empty() ? scope(e).components[0] : std::vector<std::string>();
    std::vector<std::string> names;
    if (!e.is(Op::Zip)) return names;
    for (const Expr& c : e.children()) {
      names.push_back(origin_name(c));
      const bool plain = !names.back().empty() && names.back().find_first_of(".[( #") == std::string::npos;
      if (!plain || std::count(names.begin(), names.end(), names.back()) > 1) return {};
    }
    return names;
  }

  std::string lambda(const Expr& f, const std::vector<std::string>& components = {}) {
    if (!f.is(Op::Lambda)) return print(f, 7);
    Scope scope;
    std::string head = "\\";
    const auto& types = f.attr().types;
    // Arrays of tuples keep the names for the loop below them; only tuples are taken apart.
    const bool apart = types.size() == 1 && !components.empty() && types[0].is_tuple();
    if (apart) {
      std::string all;
      for (const std::string& c : components) all += (all.empty() ? "" : ", ") + c;
      head += "(" + all + ")";
      scope.names = {"{" + all + "}"};
    } else {
      for (const Type& t : types) scope.names.push_back(fresh(t));
      for (std::size_t i = 0; i < scope.names.size(); ++i) head += (i ? " " : "") + scope.names[i];
    }
    if (!components.empty() && types.size() == 1) scope.components = {components}, scope.apart = apart;
    scopes_.push_back(scope);
    ++depth_;
    const std::string body = print(f.child(0));
    const bool wrap = lines_ && (body.size() > 60 || body.find('\n') != std::string::npos);
    std::string r = head + "." + (wrap ? indent() : " ") + body;
    --depth_;
    scopes_.pop_back();
    return r;
  }

  Spelled pipe(const Expr& array, const std::string& stage) {
    const std::string xs = print(array, 0);
    const bool wrap = lines_ && (xs.size() + stage.size() > 70 || xs.find('\n') != std::string::npos);
    return {xs + (wrap ? indent() : " ") + "|> " + stage, 0};
  }

  std::string low_level(const Expr& e) {
    const auto& i = e.attr().ints;
    std::string s = with_rank(e.op(), static_cast<std::size_t>(i[0]));
    std::string more;
    const auto add = [&](const std::string& x) { more += (more.empty() ? "" : ", ") + x; };
    const bool grid = e.is(Op::MapGlb) || e.is(Op::MapWrg) || e.is(Op::MapLcl);
    if (i.size() > 1 && (grid || i[1] > 1)) add(std::to_string(i[1]));
    if (i.size() > 2 && i[2] > 1) add("strided " + std::to_string(i[2]));
    if (i.size() > 3 && i[3]) add("late store");
    if (i.size() > 4 && i[4]) add("prefetch " + std::to_string(i[4]));
    return s + (more.empty() ? "" : "<" + more + ">");
  }

  Spelled infix(const Expr& e, const char* op, int precedence) {
    return {print(e.child(0), precedence) + " " + op + " " + print(e.child(1), precedence + 1), precedence};
  }

  static std::string number(double v, Scalar s) {
    char t[40];
    for (int digits = 6; digits <= 17; ++digits) {
      std::snprintf(t, sizeof t, "%.*g", digits, v);
      if (std::strtod(t, nullptr) == v) break;
    }
    std::string r = t;
    if (is_float(s) && r.find_first_of(".ein") == std::string::npos) r += ".0";
    return r;
  }

  Spelled spell(const Expr& e) {
    const Attr& a = e.attr();
    if (is_map(e.op())) return pipe(e.child(1), low_level(e) + "(" + lambda(e.child(0), component_names(e.child(1))) + ")");
    switch (e.op()) {
      case Op::Param: return {param_name(e), 7};
      case Op::Hole: return {"?" + (a.texts.empty() ? std::string() : a.texts[0]), 7};
      case Op::Bound: {
        const auto index = static_cast<std::size_t>(a.ints[1]);
        if (!known(e) || index >= scope(e).names.size())  // of a term that is part of another
          return {"#" + std::to_string(a.ints[0]) + "." + std::to_string(index), 7};
        return {scope(e).names[index], 7};
      }
      case Op::Literal: return {number(a.number, e.type().scalar()), a.number < 0 ? 6 : 7};
      case Op::NatValue: return {a.nats[0].str(), a.nats[0].is_constant() || a.nats[0].is_variable() ? 7 : 4};
      case Op::Lambda: return {lambda(e), 0};
      case Op::Apply: return {print(e.child(0), 7) + "(" + list(e.children().subspan(1)) + ")", 7};
      case Op::Let: {
        const std::string value = print(e.child(0));
        const Expr& f = e.child(1);
        const std::string name = fresh(f.attr().types[0]);
        scopes_.push_back({{name}, {}, false});
        const std::string body = print(f.child(0));
        scopes_.pop_back();
        return {"let " + name + " = " + value + (lines_ ? indent() : " ") + "in " + body, 0};
      }
      case Op::Tuple: return {"{" + list(e.children()) + "}", 7};
      case Op::Get:
        if (e.child(0).is(Op::Bound) && known(e.child(0)) && scope(e.child(0)).apart)
          return {scope(e.child(0)).components[0].at(static_cast<std::size_t>(a.ints[0])), 7};
        return {print(e.child(0), 7) + "." + std::to_string(a.ints[0]), 7};
      case Op::Zip: return {with_rank(e.op(), static_cast<std::size_t>(a.ints[0])) + "(" + zip_list(e.children()) + ")", 7};
      case Op::At: {
        std::string s;
        for (const Nat& n : a.nats) s += (s.empty() ? "" : ", ") + n.str();
        return {print(e.child(0), 7) + "[" + s + "]", 7};
      }
      case Op::Split: return pipe(e.child(0), with_rank(e.op(), a.nats.size()) + "(" + same_or_all(a.nats) + ")");
      case Op::Join: return pipe(e.child(0), with_rank(e.op(), static_cast<std::size_t>(a.ints[0])));
      case Op::Slide:
      case Op::Pad:
      case Op::Drop: {
        const std::span<const Nat> all(a.nats);
        const auto rank = all.size() / 2;
        std::string s = with_rank(e.op(), rank) + "(" + same_or_all(all.first(rank)) + ", " + same_or_all(all.subspan(rank));
        if (e.is(Op::Pad)) {
          const auto b = static_cast<Boundary>(a.ints[0]);
          s += std::string(", ") + lift::text(b);
          if (b == Boundary::constant) s += " " + number(a.number, f64);
        }
        return pipe(e.child(0), s + ")");
      }
      case Op::Transpose: {
        std::string s;
        for (const auto d : a.ints) s += (s.empty() ? "" : ", ") + std::to_string(d);
        return pipe(e.child(0), a.ints == std::vector<std::int64_t>{1, 0} ? "transpose" : "transpose(" + s + ")");
      }
      case Op::Generate: {
        std::string s;
        for (const Nat& n : a.nats) s += n.str() + ", ";
        return {"generate(" + s + lambda(e.child(0)) + ")", 7};
      }
      case Op::Update:
      case Op::UpdateInPlace: return {std::string(text(e.op())) + "(" + print(e.child(0), 1) + ", " + same_or_all(a.nats) + "," + block(e.child(1)) + ")", 7};
      case Op::Reduce:
      case Op::ReduceSeq:
      case Op::ReduceUnroll:
      case Op::Scan: return pipe(e.child(2), std::string(text(e.op())) + "(" + lambda(e.child(0)) + ", " + print(e.child(1), 1) + ")");
      case Op::Iterate: return pipe(e.child(1), "iterate(" + a.nats[0].str() + ", " + lambda(e.child(0)) + ")");
      case Op::Layout: return {"layout(" + (a.texts.empty() ? std::string() : a.texts[0]) + ", " + print(e.child(0), 1) + ")", 7};
      case Op::Stream:
      case Op::Unzip:
      case Op::ToGlobal:
      case Op::ToLocal:
      case Op::ToPrivate: return pipe(e.child(0), std::string(text(e.op())));
      case Op::Add: return infix(e, "+", 4);
      case Op::Sub: return infix(e, "-", 4);
      case Op::Mul: return infix(e, "*", 5);
      case Op::Div: return infix(e, "/", 5);
      case Op::Mod: return infix(e, "%", 5);
      case Op::Eq: return infix(e, "==", 3);
      case Op::Ne: return infix(e, "!=", 3);
      case Op::Lt: return infix(e, "<", 3);
      case Op::Le: return infix(e, "<=", 3);
      case Op::And: return infix(e, "&&", 2);
      case Op::Or: return infix(e, "||", 1);
      case Op::Neg: return {"-" + print(e.child(0), 7), 6};
      case Op::Not: return {"!" + print(e.child(0), 7), 6};
      case Op::Cast: return {std::string(lift::text(e.type().scalar())) + "(" + print(e.child(0)) + ")", 7};
      case Op::UserFun: return {a.texts.at(0) + "(" + list(e.children()) + ")", 7};
      default: return {std::string(text(e.op())) + "(" + list(e.children()) + ")", 7};
    }
  }

  /// Arguments of a zip, one a line where they are long.
  std::string zip_list(std::span<const Expr> es) {
    std::string s = list(es);
    if (!lines_ || s.size() < 90) return s;
    ++depth_;
    s.clear();
    for (const Expr& e : es) s += (s.empty() ? "" : ",") + indent() + print(e, 0);
    --depth_;
    return s;
  }
  std::string block(const Expr& e) {
    ++depth_;
    std::string s = (lines_ ? indent() : " ") + print(e, 0);
    --depth_;
    return s;
  }

  bool lines_;
  int depth_ = 0;
  std::size_t count_ = 0;
  /// Names of one binder's variables; components of the tuples in the first, which is taken apart when it is one itself.
  struct Scope {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> components;
    bool apart = false;
  };
  bool known(const Expr& bound) const { return static_cast<std::size_t>(bound.attr().ints[0]) < scopes_.size(); }
  const Scope& scope(const Expr& bound) const { return scopes_.at(scopes_.size() - 1 - static_cast<std::size_t>(bound.attr().ints[0])); }
  std::vector<Scope> scopes_;
};

}  // namespace

std::string str(const Expr& e) { return Printer(false).print(e); }
std::string pretty(const Expr& e) { return Printer(true).print(e); }

}  // namespace lift
