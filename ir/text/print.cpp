// Expressions as text: data first, primitives piped, scalars infix.
//
//   phi |> pad3(1, 1, mirror) |> slide3(3, 1) |> map3(\w. (w[1, 1, 0] + w[1, 1, 2]) / 2)
//
// A rank above 1 is a suffix; a parameter that is the same in all dimensions is written once, else as (1, 1,
// 2). Names of bound variables are in `ir/text/print_names.cpp`. `ir/text/parse.hpp` reads this back, so
// whatever tells two expressions apart is written: the type of a parameter where its use does not give it, f
// after an f32 number, nat(...) around a length.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/number_text.hpp"
#include "ir/text/print_names.hpp"
#include "ir/text/words.hpp"

namespace lift {
namespace {

constexpr std::size_t kWidth = 110;  ///< columns of pretty text

using enum Notation::Precedence;

bool is_infix(const Expr& e) { return row(e.op()).notation.form == Notation::Infix; }

std::string joined(const std::vector<std::string>& parts) {
  std::string s;
  for (const std::string& p : parts) s += (s.empty() ? "" : ", ") + p;
  return s;
}
std::string all_of(std::span<const Nat> ns) {
  std::vector<std::string> all;
  for (const Nat& n : ns) all.push_back(n.str());
  return "(" + joined(all) + ")";
}
std::string same_or_all(std::span<const Nat> ns) {
  if (!ns.empty() && std::all_of(ns.begin(), ns.end(), [&](const Nat& n) { return n == ns[0]; }))
    return ns[0].str();
  return all_of(ns);
}
std::string with_rank(Op op, std::int64_t rank) {
  return std::string(text(op)) + (rank > 1 ? std::to_string(rank) : "");
}

std::string number(double v, Scalar s) {
  if (s == boolean) return v != 0 ? "true" : "false";
  if (has_own_literals(s)) return std::to_string(static_cast<std::int64_t>(v)) + text(s);
  if (s == i32 && std::abs(v) < 1e15) return std::to_string(static_cast<std::int64_t>(v));
  std::string r = exact_text(v);
  if (is_float(s) && r.find_first_of(".ein") == std::string::npos) r += ".0";
  return s == f32 && std::isfinite(v) ? r + "f" : r;
}

/// map_vec<4, strided 2, late store, prefetch 64>, map_lcl<0, items 32>, scan_seq<stored, unroll 4>: the op
/// and what departs from the neutral options.
std::string with_options(const Expr& e) {
  if (e.is(Op::Band)) return words(band_of(e));
  std::vector<std::string> more;
  for (const LoopOptionRow& o : loop_options(e.op())) {
    const std::int64_t n = loop_option(e, o.option);
    if (n == o.neutral && !o.always) continue;
    const std::string word(o.word), space = word.empty() ? "" : " ";
    more.push_back(o.is_flag() ? word : word + space + std::to_string(n));
  }
  return with_rank(e.op(), op_rank(e)) + (more.empty() ? "" : "<" + joined(more) + ">");
}

class Printer {
 public:
  Printer(const Expr& whole, bool lines) : names_(whole), lines_(lines) {}

  /// Text on one line where that fits, else broken at the outermost form.
  std::string print(const Expr& e, int least = Open) {
    const int own = precedence(e);
    std::string s = is_long(e) ? "" : flat([&] { return spell(e); });
    if (lines_ && (s.empty() || !fits(s))) s = spell(e);
    return own < least ? "(" + s + ")" : s;
  }

 private:
  template <class F>
  std::string flat(const F& f) {
    const bool before = lines_;
    lines_ = false;
    std::string s = f();
    lines_ = before;
    return s;
  }
  /// Whether e does not fit on a line by its leaves alone, each a character or more: to print the rest of a
  /// long chain at each of its stages, to see that it does not fit, would take quadratic time.
  bool is_long(const Expr& e) const {
    std::size_t left = kWidth;
    return lines_ && !has_fewer_leaves(e, left);
  }
  static bool has_fewer_leaves(const Expr& e, std::size_t& left) {
    if (left == 0) return false;
    if (e.children().empty()) return --left > 0;
    return std::all_of(e.children().begin(), e.children().end(),
                       [&](const Expr& c) { return has_fewer_leaves(c, left); });
  }
  bool fits(const std::string& s) const { return s.size() + 2 * depth_ <= kWidth; }
  std::string line() const { return "\n" + std::string(2 * depth_, ' '); }
  /// One level further in, on a line of its own (or after a space).
  template <class F>
  std::string inner(const F& f) {
    ++depth_;
    std::string s = (lines_ ? line() : " ") + f();
    --depth_;
    return s;
  }

  int precedence(const Expr& e) const {
    if (e.is(Op::Lambda) || e.is(Op::Let)) return Open;
    if (e.is(Op::Literal)) return std::signbit(literal_number(e)) ? Unary : Atom;
    return row(e.op()).notation.precedence;
  }

  /// name(arguments), one a line where they are long.
  std::string call(const std::string& name, std::span<const Expr> es, const char* brackets = "()",
                   int least = Pipe) {
    std::vector<std::string> parts;
    if (!lines_) {
      for (const Expr& e : es) parts.push_back(print(e, least));
      return name + brackets[0] + joined(parts) + brackets[1];
    }
    std::string s;
    for (const Expr& e : es) s += (s.empty() ? "" : ",") + inner([&] { return print(e, least); });
    return name + brackets[0] + s + brackets[1];
  }

  /// `given`: the types that parameters have from their use.
  std::string lambda(const Expr& f, const std::vector<Type>& given = {},
                     const std::optional<Expr>& source = std::nullopt,
                     const std::vector<std::string>& wanted = {}) {
    if (!f.is(Op::Lambda)) return print(f, Atom);
    const std::string head = "\\" + names_.enter(f, source, wanted, given) + ".";
    std::string body = is_long(f.child(0)) ? "" : " " + flat([&] { return print(f.child(0)); });
    if (lines_ && (body.empty() || !fits(head + body))) body = inner([&] { return print(f.child(0)); });
    names_.leave();
    return head + body;
  }

  std::string iterated(const Expr& e) {
    const Expr& f = e.child(0);
    if (applied_types(e).size() == 2) return lambda(f, applied_types(e), std::nullopt, {"t"});
    return lambda(f, applied_types(e), e.child(1));
  }

  std::string piped(const Expr& array, const std::string& f) {
    return print(array, Pipe) + (lines_ ? line() : " ") + "|> " + f;
  }

  /// Chains of one precedence are one list: a + b - c.
  std::string infix(const Expr& e) {
    const Notation& own = row(e.op()).notation;
    const bool compares = own.precedence == Comparison;
    const bool chain = is_infix(e.child(0)) && precedence(e.child(0)) == own.precedence && !compares;
    std::string s = chain ? infix(e.child(0)) : print(e.child(0), own.precedence + (compares ? 1 : 0));
    return s + inner([&] { return std::string(own.sign) + " " + print(e.child(1), own.precedence + 1); });
  }
  std::string prefix(const Expr& e) {
    const std::string sign(row(e.op()).notation.sign);
    const bool number = e.is(Op::Neg) && e.child(0).is(Op::Literal);  // -1.0 is a number
    return sign + (number ? "(" + print(e.child(0)) + ")" : print(e.child(0), Atom));
  }

  std::string let(const Expr& e) {
    const std::string value = print(e.child(0), Pipe);
    const Expr& f = e.child(1);
    if (!f.is(Op::Lambda)) return "let(" + value + ", " + print(f) + ")";
    std::string name = names_.enter(f, std::nullopt, {}, {parameter_types(f)[0]});
    if (!(parameter_types(f)[0] == e.child(0).type())) name += " : " + parameter_types(f)[0].str();
    const std::string body = print(f.child(0));
    names_.leave();
    return "let " + name + " = " + value + (lines_ ? line() : " ") + "in " + body;
  }

  std::string spell(const Expr& e) {
    switch (row(e.op()).notation.form) {
      case Notation::Infix:
        return infix(e);
      case Notation::Prefix:
        return prefix(e);
      case Notation::Partial:
        return piped(e.child(function_child(e.op()) ? e.children().size() - 1 : 0), partial(e));
      case Notation::Call:
        return called(e);
      case Notation::Own:
        break;
    }
    return in_its_own_way(e);
  }

  std::string in_its_own_way(const Expr& e) {
    switch (e.op()) {
      case Op::Param:
        return quoted(param_name(e));
      case Op::Hole:
        return "?" + hole_name(e);
      case Op::Bound:
        if (const auto name = names_.of(e)) return *name;
        return "#" + std::to_string(bound_depth(e)) + "." +
               std::to_string(bound_index(e));  // of a term that is part of another
      case Op::Get:
        if (const auto name = names_.of(e)) return *name;
        return print(e.child(0), Atom) + "." + std::to_string(tuple_index(e));
      case Op::Literal:
        return number(literal_number(e), e.type().is_scalar() ? e.type().scalar() : f64);
      case Op::Lambda:
        return lambda(e);
      case Op::Let:
        return let(e);
      case Op::Apply:
        return call(print(e.child(0), Atom), e.children().subspan(1));
      case Op::Tuple:
        return call("", e.children(), "{}");
      case Op::At: {
        std::string s;
        for (const Nat& n : at_position(e)) s += (s.empty() ? "" : ", ") + n.str();
        const std::string xs = print(e.child(0), Atom);  // w[0][1] would be read as w[0, 1]
        return (e.child(0).is(Op::At) ? "(" + xs + ")" : xs) + "[" + s + "]";
      }
      case Op::Cast:
        return call(lift::text(declared_type(e).scalar()), e.children());
      case Op::UserFun:
        return call(quoted(user_name(e)), e.children());
      default:
        throw InternalError("print: no notation for " + std::string(text(e.op())));
    }
  }

  /// name(arguments)
  std::string called(const Expr& e) {
    switch (e.op()) {
      case Op::NatValue: {
        const bool plain = nat_of(e).is_variable() && names_.is_free(nat_of(e).str());
        return plain ? nat_of(e).str() : "nat(" + nat_of(e).str() + ")";
      }
      case Op::Generate: {
        std::string s;
        for (const Nat& n : generate_shape(e)) s += n.str() + ", ";
        static const auto& axes = *new std::vector<std::string>{"l", "k", "j", "i"};
        return "generate(" + s +
               lambda(e.child(0), applied_types(e), std::nullopt,
                      {axes.end() - std::min(4, op_rank(e)), axes.end()}) +
               ")";
      }
      case Op::Update:
      case Op::UpdateInPlace:
        return with_rank(e.op(), op_rank(e)) + "(" + print(e.child(0), Pipe) + ", " +
               same_or_all(update_offsets(e)) + "," + inner([&] { return print(e.child(1), Pipe); }) + ")";
      case Op::Layout:
        return "layout(" + layout_text(e) + ", " + print(e.child(0), Pipe) + ")";
      default:
        return call(with_rank(e.op(), op_rank(e)), e.children());
    }
  }

  static std::vector<Type> applied_types(const Expr& e) { return applied_to(e.op(), e.children(), e.attr()); }

  /// What stands after |>, with all arguments but the array.
  std::string partial(const Expr& e) {
    if (e.is(Op::Transpose)) return transpose(e);
    std::vector<std::string> arguments;
    for (const auto& ns : natural_arguments(e))  // of a band as many as there are stages, each written
      arguments.push_back(e.is(Op::Band) && ns.size() > 1 ? all_of(ns) : same_or_all(ns));
    const std::string name = with_options(e);
    switch (row(e.op()).applies) {
      case Applies::Element:
        arguments.push_back(lambda(e.child(0), applied_types(e), e.child(1)));
        break;
      case Applies::Fold:
        arguments.push_back(lambda(e.child(0), applied_types(e), std::nullopt, {"acc"}));
        arguments.push_back(print(e.child(1), Pipe));
        break;
      case Applies::State:
        arguments.push_back(iterated(e));
        break;
      default:
        if (e.is(Op::Pad)) arguments.push_back(boundary(e));
        if (e.is(Op::Gather)) gathered(e, arguments);
    }
    return name + (arguments.empty() ? "" : "(" + joined(arguments) + ")");
  }

  std::string transpose(const Expr& e) {
    std::vector<std::string> order;
    for (const auto d : transpose_order(e)) order.push_back(std::to_string(d));
    return transpose_order(e) == std::vector<std::int64_t>{1, 0} ? "transpose"
                                                                 : "transpose(" + joined(order) + ")";
  }

  std::string boundary(const Expr& pad) {
    const bool given = pad.children().size() > 1;
    return boundary(pad_boundary(pad), pad_number(pad), given ? std::optional(pad.child(1)) : std::nullopt);
  }
  std::string boundary(Boundary b, double plain_number, const std::optional<Expr>& value) {
    const std::string name = lift::text(b);
    if (!value) return name + (b == Boundary::constant ? " " + number(plain_number, f64) : "");
    const bool plain = value->is(Op::Literal) && !std::signbit(literal_number(*value));
    return name + " " +
           (plain ? "(" + print(*value) + ")"  // constant 1.0 is a number of the pad's own
                  : print(*value, Atom));
  }

  void gathered(const Expr& e, std::vector<std::string>& arguments) {
    const auto rank = static_cast<std::size_t>(op_rank(e));
    for (std::size_t d = 0; d < rank; ++d) arguments.push_back(print(e.child(d + 1), Pipe));
    const bool given = e.children().size() > rank + 1;
    if (gather_boundary(e) != Boundary::undefined)
      arguments.push_back(boundary(gather_boundary(e), gather_number(e),
                                   given ? std::optional(e.children().back()) : std::nullopt));
  }

  BoundNames names_;
  bool lines_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string str(const Expr& e) { return Printer(e, false).print(e); }
std::string pretty(const Expr& e) { return Printer(e, true).print(e); }

}  // namespace lift
