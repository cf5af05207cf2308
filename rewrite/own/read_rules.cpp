#include "rewrite/own/read_rules.hpp"

#include <algorithm>
#include <set>

#include "ir/expr/attributes.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/elaborate.hpp"
#include "ir/text/near.hpp"
#include "ir/text/words.hpp"
#include "rewrite/engine/catalogue.hpp"

namespace lift {
namespace {

using syntax::Equation;
using syntax::Term;

/// Where a name is written below a term; nothing where it is not.
std::optional<std::size_t> place_of(const Term& t, const std::string& name) {
  if ((t.kind == Term::Kind::Name || t.kind == Term::Kind::Hole) && t.text == name) return t.at;
  for (const syntax::TermPtr& p : t.parts)
    if (const auto at = place_of(*p, name)) return at;
  return std::nullopt;
}

/// From the first word to the last in one line, without comments.
std::string in_one_line(const std::string& text) {
  std::string r;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '`';
    if (!quoted && text.compare(i, 2, "//") == 0) i = std::min(text.find('\n', i), text.size() - 1);
    const bool blank = std::string_view(" \t\r\n").find(text[i]) != std::string_view::npos;
    if (!blank) r += text[i];
    if (blank && r.back() != ' ') r += ' ';
  }
  return r;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One equation, with its variables told from the language's words.
class RuleMaker {
 public:
  RuleMaker(const syntax::Equations& file, const Equation& e)
      : file_(file),
        source_(*file.source),
        e_(e),
        text_(source_.text().substr(e.left_at, e.end - e.left_at)) {
    for (const Equation::Parameter& p : e.parameters) numbers_.insert(p.name);
    while (text_.find(array_) != std::string::npos) array_ += "s";
  }

  Rule made() {
    Rule r;
    for (const Scalar numbers : {f64, f32}) {
      const Sides s = sides(numbers);
      check(s);
      if (r.sides.empty() || !(r.sides[0].lhs == s.lhs && r.sides[0].rhs == s.rhs)) r.sides.push_back(s);
    }
    r.name = e_.name, r.maths = in_one_line(text_), r.exact = !e_.approximately;
    for (const Equation::Parameter& p : e_.parameters) r.takes(p.name, "number").from(p.choices);
    return r;
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    source_.fail(at, "rule " + e_.name + ": " + message);
  }

  /// Names among lengths are numbers wherever they stand, which is known once both sides have been read.
  Sides sides(Scalar numbers) {
    for (;;) {
      Names names;
      for (const std::string& n : numbers_) names.sizes.emplace(n, nat_hole(n));
      syntax::Elaborator elaborator(source_, names);
      for (const syntax::Declaration& d : file_.definitions) elaborator.define(d);
      const bool left = elaborator.lacks_array(*e_.left), right = elaborator.lacks_array(*e_.right);
      if (left != right) {
        check_callee(left ? *e_.right : *e_.left, elaborator);
        fail(left ? e_.right->at : e_.left->at,
             std::string("the ") + (left ? "left" : "right") + " side is a function, as map(f), the " +
                 (left ? "right" : "left") +
                 " side is a value; write both with their array, xs |> map(f), or both without");
      }
      const Expr xs = hole(array_);
      const Sides s{elaborator.side(*e_.left, xs, numbers), elaborator.side(*e_.right, xs, numbers)};
      const std::size_t before = numbers_.size();
      for (const Expr& side : {s.lhs, s.rhs})
        for (const std::string& n : holes_of(side).nats) numbers_.insert(n);
      if (numbers_.size() == before) return s;
    }
  }

  /// A side begins with what may be a slip of a primitive: mpa(f) |> join.
  void check_callee(const Term& t, const syntax::Elaborator& elaborator) const {
    const Term* first = &t;
    while (first->kind == Term::Kind::Pipe) first = first->parts[0].get();
    if (first->kind == Term::Kind::Call) first = first->parts[0].get();
    if (first->kind != Term::Kind::Name || !elaborator.is_unknown(*first)) return;
    const std::string near = nearest(first->text, names_like(first->text));
    if (!near.empty())
      fail(first->at, "'" + first->text + "' is no word of the language; did you mean '" + near + "'?");
  }

  void check(const Sides& s) const {
    const Holes left = holes_of(s.lhs), right = holes_of(s.rhs);
    check_applied(s.lhs);
    if (s.lhs.is(Op::Hole)) fail(e_.left->at, "the left side is a variable, so it stands for everything");
    if (s.lhs == s.rhs) fail(e_.right->at, "both sides are the same");
    for (const std::string& n : right.exprs)
      if (!contains(left.exprs, n)) unbound(n, left);
    for (const std::string& n : right.nats)
      if (!contains(left.nats, n) && !is_parameter(n)) unbound(n, left);
    for (const Equation::Parameter& p : e_.parameters)
      if (!contains(left.nats, p.name) && !contains(right.nats, p.name))
        fail(p.at, "the parameter " + p.name + " is not used");
  }
  bool is_parameter(const std::string& n) const {
    return std::any_of(e_.parameters.begin(), e_.parameters.end(),
                       [&](const Equation::Parameter& p) { return p.name == n; });
  }

  [[noreturn]] void unbound(const std::string& name, const Holes& left) const {
    std::vector<std::string> all = left.exprs;
    all.insert(all.end(), left.nats.begin(), left.nats.end());
    const std::vector<std::string> words = names_like(name);
    all.insert(all.end(), words.begin(), words.end());
    const std::string near = nearest(name, all);
    fail(place_of(*e_.right, name).value_or(e_.right->at),
         "'" + name + "' is no word of the language, and no variable of the left side" +
             (near.empty()
                  ? "; a number that may be chosen is a parameter: " + e_.name + "(" + name + " in {8, 16})"
                  : "; did you mean '" + near + "'?"));
  }

  /// A function's variable stands for any function of parameters; of anything else it could be many.
  void check_applied(const Expr& side) const {
    visit(side, [&](const Expr& x) {
      if (!x.is(Op::Apply) || !x.child(0).is(Op::Hole)) return;
      const std::string name = hole_name(x.child(0));
      for (std::size_t i = 1; i < x.children().size(); ++i)
        if (!x.child(i).is(Op::Bound)) {
          const std::string near = nearest(name, names_like(name));
          fail(place_of(*e_.left, name).value_or(e_.left->at),
               "'" + name + "' is no word of the language" +
                   (near.empty() ? ", and as a variable it is applied on the left side to what is no "
                                   "parameter; write map(" +
                                       name + "), or \\x. ... " + name + "(x)"
                                 : "; did you mean '" + near + "'?"));
        }
    });
  }

  const syntax::Equations& file_;
  const Source& source_;
  const Equation& e_;
  std::string text_;
  std::string array_ = "xs";  ///< what sides without an array are applied to
  std::set<std::string> numbers_;
};

}  // namespace

std::vector<Rule> parse_rules(const std::string& text, const std::string& file) {
  const auto source = std::make_shared<const Source>(text, file);
  const syntax::Equations all = syntax::parse_equations(source);
  std::vector<Rule> rules;
  for (const Equation& e : all.equations) {
    for (const Rule& r : rules)
      if (r.name == e.name) source->fail(e.at, "there is a rule " + e.name + " before; choose another name");
    for (const Rule& r : all_rules())
      if (r.name == e.name)
        source->fail(e.at, "the library has a rule " + e.name + ", see liftgen rules; choose another name");
    rules.push_back(RuleMaker(all, e).made());
  }
  if (rules.empty())
    source->fail(text.size(), "there is no rule; write one as fuse-pair: map(f) |> map(g) = map(f |> g)");
  return rules;
}

}  // namespace lift
