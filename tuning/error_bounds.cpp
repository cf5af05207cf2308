#include "tuning/error_bounds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "ir/expr/elementary.hpp"
#include "ir/expr/ops.hpp"

namespace lift {
namespace {

/// Thrown where the transformation does not understand a kernel.
struct NotUnderstood {};

constexpr double kSafety = 4;  ///< both the reference and the candidate are off, to first order only

double unit(Scalar type) { return type == f32 ? 0x1p-24 : 0x1p-53; }

Term number(double v) { return constant_term(v, f64); }
Term add(const Term& a, const Term& b) { return apply_term(Op::Add, f64, {a, b}); }
Term sub(const Term& a, const Term& b) { return apply_term(Op::Sub, f64, {a, b}); }
Term mul(const Term& a, const Term& b) { return apply_term(Op::Mul, f64, {a, b}); }
Term divided(const Term& a, const Term& b) { return apply_term(Op::Div, f64, {a, b}); }
Term absolute(const Term& a) { return apply_term(Op::Abs, f64, {a}); }
Term greater_of(const Term& a, const Term& b) { return apply_term(Op::Max, f64, {a, b}); }
Term root(const Term& a) { return apply_term(Op::Sqrt, f64, {a}); }
Term cast(const Term& a, Scalar to) { return a->type == to ? a : apply_term(Op::Cast, to, {a}); }
Term either(const Term& condition, const Term& a, const Term& b) {
  return a == b ? a : apply_term(Op::Select, a->type, {condition, a, b});
}
bool is_zero(const Term& t) { return t->kind == TermKind::Constant && t->number == 0; }
Term plus(const Term& a, const Term& b) { return is_zero(a) ? b : is_zero(b) ? a : add(a, b); }
Term times(const Term& a, const Term& b) { return is_zero(a) || is_zero(b) ? number(0) : mul(a, b); }

/// A number, and how far it may be off; of a condition: 1 where it may be another one, else 0.
struct Dual {
  Term value, error;
};

class Bounds {
 public:
  explicit Bounds(const Kernel& k) : k_(k) {
    for (const KernelArgument& a : k.arguments)
      if (a.type.is_array() && a.written && is_float(element_of(a.type).scalar())) {
        const bool result = std::find(k.results.begin(), k.results.end(), a.name) != k.results.end();
        twins_[a.name] = result ? bound_name(a.name) : a.name + "_off";
        if (!result && !a.work) throw NotUnderstood();
        if (a.work) stored_.insert(twins_[a.name]);
      }
    find_sums(k.body);
  }

  Kernel take() {
    Kernel r = k_;
    r.body = block(k_.body);
    for (const KernelArgument& a : k_.arguments) {
      const auto twin = twins_.find(a.name);
      if (twin == twins_.end()) continue;
      KernelArgument bounds = a;
      bounds.name = twin->second;
      bounds.type = with_element(a.type, a.work ? f64 : f32);
      bounds.layout = Layout({}, bounds.type);
      bounds.written = bounds.read = true;
      if (str(a.layout.request()) != str(bounds.layout.request())) throw NotUnderstood();
      r.arguments.push_back(std::move(bounds));
    }
    return r;
  }

 private:
  static Type with_element(const Type& t, Scalar s) { return array(shape_of(t), Type(s)); }

  // ---- sums: variables that a loop adds to

  static bool is_sum(const Assign& a) {
    const Term& v = a.value;
    return v->kind == TermKind::Apply && v->op == Op::Add && is_float(v->type) &&
           (v->args[0] == a.local) != (v->args[1] == a.local) && !uses(other(a), a.local);
  }
  static Term other(const Assign& a) {
    return a.value->args[0] == a.local ? a.value->args[1] : a.value->args[0];
  }
  static bool uses(const Term& t, const Term& local) {
    bool found = false;
    visit(t, [&](const Term& x) { found |= x == local; });
    return found;
  }
  void find_sums(const Block& b) {
    std::set<std::string> others;
    visit(b, [&](const Stmt& s) {
      const auto* a = std::get_if<Assign>(&s.v);
      if (a == nullptr) return;
      (is_sum(*a) ? sums_ : others).insert(a->local->name);
    });
    for (const std::string& name : others) sums_.erase(name);
  }
  static Term part(const Term& local, const char* suffix) { return local_term(local->name + suffix, f64); }

  // ---- terms

  Dual local(const Term& t) const {
    if (!is_float(t->type)) return {t, number(0)};
    const Term value = local_term(t->name, f64), error = part(t, "_off");
    if (!sums_.count(t->name)) return {value, error};
    const Term k = part(t, "_terms"),
               growth = add(add(number(8), mul(number(4), root(k))), mul(k, number(1.0 / 16)));
    return {add(value, part(t, "_rest")),
            add(error, mul(mul(number(unit(t->type)), part(t, "_sum")), growth))};
  }
  Dual load(const Term& t) const {
    const auto twin = twins_.find(t->name);
    if (!is_float(t->type)) return {t, number(0)};
    if (twin == twins_.end()) return {cast(t, f64), number(0)};
    const Scalar stored = stored_.count(twin->second) ? f64 : f32;
    return {cast(t, f64), cast(load_term(twin->second, t->nats, stored), f64)};
  }
  Dual call(const Term& t, const std::vector<Dual>& args) {
    const auto with = [&](std::size_t moved) {
      std::vector<Term> given;
      for (std::size_t i = 0; i < args.size(); ++i)
        given.push_back(
            cast(i == moved && is_float(t->args[i]->type) ? add(args[i].value, args[i].error) : args[i].value,
                 t->args[i]->type));
      return cast(call_term(t->user, given), f64);
    };
    const Term value = with(args.size());
    Term error = mul(number(8 * unit(t->type)), absolute(value));
    for (std::size_t i = 0; i < args.size(); ++i)
      if (!is_zero(args[i].error)) error = add(error, absolute(sub(with(i), value)));
    return is_float(t->type) ? Dual{value, error} : Dual{cast(value, t->type), number(0)};
  }
  Dual condition(const Term& t, const std::vector<Dual>& args) {
    std::vector<Term> values;
    Term off = number(0);
    for (const Dual& a : args) values.push_back(a.value), off = plus(off, a.error);
    const Term value = apply_term(t->op, boolean, values);
    if (is_zero(off) || !is_float(t->args[0]->type)) return {value, off};
    const Term close = apply_term(Op::Lt, boolean, {absolute(sub(values[0], values[1])), off});
    return {value, either(close, number(1), number(0))};
  }
  Dual select(const Term& t, const std::vector<Dual>& args) {
    const auto& [c, a, b] = std::tie(args[0], args[1], args[2]);
    const Term value = either(c.value, a.value, b.value);
    if (!is_float(t->type) && t->type != boolean) return {value, number(0)};
    const Term error = either(c.value, a.error, b.error);
    if (is_zero(c.error) || t->type == boolean) return {value, error};
    const Term doubtful = apply_term(Op::Lt, boolean, {number(0), c.error});
    return {value,
            either(doubtful, add(absolute(sub(a.value, b.value)), greater_of(a.error, b.error)), error)};
  }
  Dual arithmetic(const Term& t, const std::vector<Dual>& args) {
    std::vector<Term> values;
    for (const Dual& x : args) values.push_back(x.value);
    const Term value = apply_term(t->op, f64, values), u = number(unit(t->type));
    const Dual& a = args[0];
    const Dual& b = args.size() > 1 ? args[1] : args[0];
    switch (t->op) {
      case Op::Add:
      case Op::Sub:
        return {value, plus(plus(a.error, b.error), mul(u, add(absolute(a.value), absolute(b.value))))};
      case Op::Mul:
        return {value, plus(plus(times(absolute(a.value), b.error), times(absolute(b.value), a.error)),
                            mul(u, absolute(value)))};
      case Op::Div:
        return {value, add(divided(plus(a.error, times(absolute(value), b.error)), absolute(b.value)),
                           mul(u, absolute(value)))};
      case Op::Mod:
        return {value, plus(a.error, times(absolute(divided(a.value, b.value)), b.error))};
      case Op::Sqrt: {
        const Term least = greater_of(sub(a.value, a.error), number(0));
        return {value, add(is_zero(a.error) ? number(0) : sub(root(add(a.value, a.error)), root(least)),
                           mul(u, value))};
      }
      case Op::Min:
      case Op::Max:
        return {value, is_zero(a.error)   ? b.error
                       : is_zero(b.error) ? a.error
                                          : greater_of(a.error, b.error)};
      case Op::Neg:
      case Op::Abs:
        return {value, a.error};
      default:
        if (const Elementary* f = elementary(t->op))
          return {value, plus(carried(*f, args, value),
                              times(number(2 * f->ulps * unit(t->type)), absolute(value)))};
        throw NotUnderstood();
    }
  }
  /// What errors of arguments come to. A function that rises or falls is farthest off where the arguments
  /// are: half the sum over the corners of where they may be, which is that of both to first order.
  static Term carried(const Elementary& f, const std::vector<Dual>& args, const Term& value) {
    if (f.is_periodic) return args[0].error;  // sine and cosine: slopes of at most 1
    std::vector<std::vector<Term>> corners{{}};
    for (const Dual& a : args) {
      std::vector<std::vector<Term>> all;
      for (const std::vector<Term>& c : corners)
        for (const Term& at : is_zero(a.error) ? std::vector{a.value}
                                               : std::vector{add(a.value, a.error), sub(a.value, a.error)})
          all.push_back(c), all.back().push_back(at);
      corners = std::move(all);
    }
    Term sum = number(0);
    if (corners.size() > 1)
      for (const std::vector<Term>& c : corners)
        sum = plus(sum, absolute(sub(apply_term(f.op, f64, c), value)));
    return times(number(0.5), sum);
  }
  Dual apply(const Term& t, const std::vector<Dual>& args) {
    if (t->op == Op::Select) return select(t, args);
    if (t->op == Op::Cast) {
      if (!is_float(t->type)) return {cast(cast(args[0].value, t->args[0]->type), t->type), number(0)};
      const Term value = cast(args[0].value, f64);
      return {value, plus(args[0].error, mul(number(unit(t->type)), absolute(value)))};
    }
    if (t->type == boolean) return condition(t, args);
    if (is_float(t->type)) return arithmetic(t, args);
    std::vector<Term> values;
    for (const Dual& a : args) values.push_back(a.value);
    return {apply_term(t->op, t->type, values), number(0)};
  }

  /// `eager`: evaluated in any case, so that it may have a name in `out`.
  Dual dual(const Term& t, Block& out, bool eager) {
    if (t->width != 1) throw NotUnderstood();
    if (const auto known = named_.find(t->id); known != named_.end()) return known->second;
    const bool computes = t->kind == TermKind::Apply || t->kind == TermKind::Call;
    if (!computes && !t->args.empty()) throw NotUnderstood();  // an error may lead to another element
    switch (t->kind) {
      case TermKind::Constant:
        if (!is_float(t->type)) return {t, number(0)};
        return {number(t->type == f32 ? static_cast<double>(static_cast<float>(t->number)) : t->number),
                number(0)};
      case TermKind::Index:
      case TermKind::Compare:
        return {t, number(0)};
      case TermKind::Load:
        return load(t);
      case TermKind::Argument:
        return {is_float(t->type) ? cast(t, f64) : t, number(0)};
      case TermKind::Local:
        return local(t);
      case TermKind::Apply:
      case TermKind::Call:
        break;
      default:
        throw NotUnderstood();
    }
    const bool lazy =
        t->kind == TermKind::Apply && (t->op == Op::Select || t->op == Op::And || t->op == Op::Or);
    std::vector<Dual> args;
    for (std::size_t i = 0; i < t->args.size(); ++i)
      args.push_back(dual(t->args[i], out, eager && (!lazy || i == 0)));
    const Dual r = t->kind == TermKind::Call ? call(t, args) : apply(t, args);
    if (!eager || !is_float(t->type)) return r;
    return named_[t->id] = {name(r.value, out), name(r.error, out)};
  }
  Term name(const Term& t, Block& out) {
    if (t->kind == TermKind::Constant || t->kind == TermKind::Local) return t;
    const Term local = local_term("off" + std::to_string(names_++), f64);
    out.push_back({Let{local, t}});
    return local;
  }

  // ---- statements

  Block block(const Block& b) {
    Block out;
    for (const Stmt& s : b) {
      named_.clear();  // what a statement has named may have changed since
      statement(s, out);
    }
    named_.clear();
    return out;
  }
  void statement(const Stmt& s, Block& out) {
    if (const auto* f = std::get_if<For>(&s.v)) {
      For copy = *f;
      if (f->width != 1 || f->kind > LoopKind::Par) throw NotUnderstood();
      copy.body = block(f->body);
      out.push_back({std::move(copy)});
    } else if (const auto* i = std::get_if<If>(&s.v)) {
      If copy = *i;
      for (Term& c : copy.conditions) c = dual(c, out, false).value;
      copy.body = block(i->body);
      out.push_back({std::move(copy)});
    } else if (const auto* st = std::get_if<Store>(&s.v)) {
      store(*st, out);
    } else if (const auto* l = std::get_if<Let>(&s.v)) {
      define(*l, out);
    } else if (const auto* d = std::get_if<Declare>(&s.v)) {
      define(*d, out);
    } else if (const auto* a = std::get_if<Assign>(&s.v)) {
      assign(*a, out);
    } else if (const auto* x = std::get_if<Allocate>(&s.v)) {
      out.push_back(s);
      if (!is_float(element_of(x->type).scalar())) return;
      twins_[x->name] = x->name + "_off";
      stored_.insert(x->name + "_off");
      out.push_back({Allocate{x->name + "_off", with_element(x->type, f64), x->space}});
    } else if (!std::holds_alternative<Prefetch>(s.v)) {
      throw NotUnderstood();
    }
  }
  void store(const Store& s, Block& out) {
    const Dual d = dual(s.value, out, true);
    const auto twin = twins_.find(s.array);
    if (twin == twins_.end()) {
      out.push_back({Store{s.array, s.position, cast(d.value, s.value->type)}});
      return;
    }
    const bool kept = stored_.count(twin->second) != 0;
    const Term u = mul(number(unit(s.value->type)), absolute(d.value));
    const Term off = kept ? plus(d.error, u) : add(times(number(kSafety), d.error), mul(number(2), u));
    out.push_back({Store{twin->second, s.position, kept ? off : cast(off, f32)}});
    out.push_back({Store{s.array, s.position, cast(d.value, s.value->type)}});
  }
  template <class Definition>
  void define(const Definition& d, Block& out) {
    const Dual v = dual(d.value, out, true);
    if (!is_float(d.local->type)) {
      out.push_back({Definition{d.local, v.value}});
      return;
    }
    out.push_back({Definition{local_term(d.local->name, f64), v.value}});
    out.push_back({Definition{part(d.local, "_off"), v.error}});
    if (!sums_.count(d.local->name)) return;
    out.push_back({Declare{part(d.local, "_rest"), number(0)}});
    out.push_back({Declare{part(d.local, "_terms"), number(0)}});
    out.push_back({Declare{part(d.local, "_sum"), absolute(v.value)}});
  }
  void assign(const Assign& a, Block& out) {
    if (!is_float(a.local->type)) {
      out.push_back({Assign{a.local, dual(a.value, out, true).value}});
      return;
    }
    const Term value = local_term(a.local->name, f64);
    if (!sums_.count(a.local->name)) {
      const Dual v = dual(a.value, out, true);
      const Term kept = name(v.error, out);
      out.push_back({Assign{value, v.value}});
      out.push_back({Assign{part(a.local, "_off"), kept}});
      return;
    }
    const Dual t = dual(other(a), out, true);
    const Term term = name(t.value, out), sum = name(add(value, term), out);
    const Term larger = apply_term(Op::Le, boolean, {absolute(term), absolute(value)});
    const auto assigned = [&](const char* suffix, const Term& more) {
      out.push_back({Assign{part(a.local, suffix), add(part(a.local, suffix), more)}});
    };
    assigned("_rest", either(larger, add(sub(value, sum), term), add(sub(term, sum), value)));
    assigned("_off", t.error);
    assigned("_sum", absolute(term));
    assigned("_terms", number(1));
    out.push_back({Assign{value, sum}});
  }

  const Kernel& k_;
  std::map<std::string, std::string> twins_;  ///< arrays of bounds, by array
  std::set<std::string> stored_;              ///< those of them that are the kernel's own, in f64
  std::set<std::string> sums_;                ///< variables that are only added to
  std::unordered_map<std::uint32_t, Dual> named_;
  int names_ = 0;
};

}  // namespace

std::string bound_name(const std::string& result) { return result + "_bound"; }

std::optional<Kernel> with_error_bounds(const Kernel& kernel) {
  try {
    return Bounds(kernel).take();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace lift
