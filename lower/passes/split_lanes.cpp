#include "lower/passes/split_lanes.hpp"

#include <map>

#include "ir/error.hpp"
#include "lower/loops/visit.hpp"
#include "lower/passes/passes.hpp"

namespace lift {
namespace {

using LaneTerms = std::vector<Term>;

std::string lane_name(const std::string& name, int lane, int width) {
  return name + "_" + (width <= 4 ? std::string(1, "xyzw"[lane]) : "l" + std::to_string(lane));
}

/// The statements of one kernel; a vector local's lanes are locals of their own.
class Splitter {
 public:
  Block block(const Block& b) {
    Block r;
    for (const Stmt& s : b) statement(s, r);
    return r;
  }

 private:
  static Term lane_of_local(const Term& t, int l) {
    return local_term(lane_name(t->name, l, t->width), t->type);
  }

  void statement(Stmt s, Block& to) {
    if (auto* f = std::get_if<For>(&s.v)) {
      f->body = block(f->body);
      if (f->kind == LoopKind::Vec) f->kind = LoopKind::Seq, f->width = 1, f->late_store = false;
    } else if (auto* i = std::get_if<If>(&s.v)) {
      i->body = block(i->body);
    } else if (const auto* x = std::get_if<Store>(&s.v); x && x->value->width > 1) {
      const LaneTerms values = lanes(x->value, to);
      for (std::size_t l = 0; l < values.size(); ++l)
        to.push_back({Store{
            x->array, {x->position.at(0) + static_cast<std::int64_t>(l)}, values[l], x->stream, x->async}});
      return;
    } else if (const auto* x = std::get_if<Let>(&s.v); x && x->local->width > 1) {
      return each<Let>(x->local, x->value, to);
    } else if (const auto* x = std::get_if<Declare>(&s.v); x && x->local->width > 1) {
      return each<Declare>(x->local, x->value, to);
    } else if (const auto* x = std::get_if<Assign>(&s.v); x && x->local->width > 1) {
      return each<Assign>(x->local, x->value, to);
    }
    if (Term* value = value_of(s); value && holds_vectors(*value)) *value = lanes(*value, to)[0];
    if (auto* i = std::get_if<If>(&s.v))
      for (Term& c : i->conditions)
        if (holds_vectors(c)) c = lanes(c, to)[0];
    to.push_back(std::move(s));
  }
  /// t is a vector, or made of some.
  static bool holds_vectors(const Term& t) {
    bool found = false;
    visit(t, [&](const Term& x) { found = found || x->width > 1; });
    return found;
  }
  template <class S>
  void each(const Term& local, const Term& value, Block& to) {
    const LaneTerms values = lanes(broadcast(value, local->width), to);
    for (int l = 0; l < local->width; ++l)
      to.push_back({S{lane_of_local(local, l), values[static_cast<std::size_t>(l)]}});
  }

  /// The lanes of t; statements that compute them go to `before`.
  LaneTerms lanes(const Term& t, Block& before) {
    std::map<std::uint32_t, LaneTerms> done;
    return lanes(t, before, done);
  }
  LaneTerms lanes(const Term& t, Block& before, std::map<std::uint32_t, LaneTerms>& done) {
    if (const auto it = done.find(t->id); it != done.end()) return it->second;
    std::vector<LaneTerms> args;
    for (const Term& a : t->args) args.push_back(holds_vectors(a) ? lanes(a, before, done) : LaneTerms{a});
    // The arms of a choice by lane are computed for all lanes.
    if (t->kind == TermKind::Apply && t->op == Op::Select && t->args[0]->width > 1)
      for (std::size_t a : {1U, 2U})
        if (t->args[a]->kind != TermKind::Local && t->args[a]->width > 1)
          args[a] = named(t->args[a], args[a], before);
    LaneTerms r;
    for (int l = 0; l < t->width; ++l) r.push_back(lane(t, args, l));
    return done.emplace(t->id, std::move(r)).first->second;
  }
  LaneTerms named(const Term& vector, const LaneTerms& values, Block& before) {
    const Term whole = local_term("arm" + std::to_string(++names_), vector->type, vector->width);
    LaneTerms r;
    for (int l = 0; l < vector->width; ++l) {
      r.push_back(lane_of_local(whole, l));
      before.push_back({Let{r.back(), values[static_cast<std::size_t>(l)]}});
    }
    return r;
  }
  static Term lane(const Term& whole, const std::vector<LaneTerms>& args, int l) {
    const auto at = [&](std::size_t a) {
      return args[a].size() > 1 ? args[a][static_cast<std::size_t>(l)] : args[a][0];
    };
    Term t = whole;
    if (!args.empty() && t->kind != TermKind::Apply && t->kind != TermKind::Call &&
        t->kind != TermKind::Shuffle) {  // at computed positions
      LaneTerms positions;
      for (const LaneTerms& a : args) positions.push_back(a[0]);
      t = with_args(t, std::move(positions));
      if (t->width == 1) return t;
    }
    switch (t->kind) {
      case TermKind::Local:
        return lane_of_local(t, l);
      case TermKind::Load:
        return load_term(t->name, {t->nats.at(0) + l}, t->type);
      case TermKind::Lanes:
        return compare_term(t->conds[static_cast<std::size_t>(l)]);
      case TermKind::LaneIndex:
        return apply_term(Op::Cast, t->type, {index_term(t->nats[0] + l * t->nats[1])});
      case TermKind::Shuffle: {
        auto from = static_cast<std::size_t>(t->lanes[static_cast<std::size_t>(l)]);
        for (const LaneTerms& a : args) {
          if (from < a.size()) return a[from];
          from -= a.size();
        }
        break;
      }
      case TermKind::Apply:
      case TermKind::Call: {
        LaneTerms all;
        for (std::size_t a = 0; a < args.size(); ++a) all.push_back(at(a));
        return with_args(t, std::move(all));
      }
      default:
        break;
    }
    throw InternalError("split_lanes: lane " + std::to_string(l) + " of " + str(t));
  }

  int names_ = 0;
};

}  // namespace

Block split_lanes(const Block& b) { return Splitter().block(b); }

}  // namespace lift
