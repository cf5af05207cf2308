#include "rewrite/own/check_rule.hpp"

#include <chrono>
#include <sstream>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/number_text.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/own/random_expressions.hpp"

namespace lift {
namespace {

constexpr int kInstances = 200;  ///< that hold are enough
constexpr int kAtLeast = 20;     ///< fewer say nothing
constexpr int kTried = 20000;    ///< of which most may have no type
constexpr int kWrong = 20;       ///< of these the shortest is shown
constexpr double kSeconds = 4;

/// Rounding, of data around 1 at these sizes.
double tolerance(Scalar s) { return s == f32 ? 1e-4 : 1e-10; }

/// An expression of the form of a left side, closed but for arguments.
struct Instance {
  Expr left;
  Arguments arguments;
};

class Instances {
 public:
  Instances(const Rule& r, const Expr& pattern, Scalar scalar, unsigned seed)
      : rule_(r), random_(seed, scalar, true) {
    visit(pattern, [&](const Expr& e) {
      for (const Nat& n : e.attr().nats)
        if (const auto k = n.constant(); k && *k > 2 && *k <= 256) written_.push_back(static_cast<int>(*k));
    });
  }

  /// Throws TypeError where what was drawn does not fit together.
  Instance next(const Expr& pattern) {
    Match m;
    Instance made;
    numbers_.clear(), lengths_.clear(), random_.number_arguments_anew();
    for (const RuleParameter& p : rule_.parameters) {
      const int n = p.choices.empty() || random_.n(0, 2) > 0 ? random_.n(1, 4) : small(p.choices);
      made.arguments.emplace_back(n);
      bind(m, p.name, n);
    }
    for (const std::string& name : holes_of(pattern).nats)
      if (m.nats.count(variables(nat_hole(name))[0]) == 0) bind(m, name, random_.n(1, 4));
    made.left = filled_in(pattern, m, [&](const std::string&, const HoleUse& use) {
      return use.applied_to ? function(use) : value(use);
    });
    return made;
  }
  RandomExpressions& random() { return random_; }

 private:
  void bind(Match& m, const std::string& name, int n) {
    m.nats.emplace(variables(nat_hole(name))[0], Nat(n));
    numbers_.push_back(n);
  }
  int small(const std::vector<std::int64_t>& choices) {
    const std::int64_t n =
        choices[static_cast<std::size_t>(random_.n(0, static_cast<int>(choices.size()) - 1))];
    return static_cast<int>(std::min<std::int64_t>(n, 8));
  }
  int length() {
    const int how = random_.n(0, 5);
    if (how < 2 && !lengths_.empty())
      return lengths_[static_cast<std::size_t>(random_.n(0, static_cast<int>(lengths_.size()) - 1))];
    int n = random_.n(1, how < 4 ? 3 : 8);
    if (how < 4)
      for (const int k : numbers_)
        if (n * k <= 16 && random_.n(0, 2) > 0) n *= k;
    lengths_.push_back(n);
    return n;
  }

  /// As long as a window that the rule has, or a multiple of a chunk; 0: as any other.
  int long_length() {
    if (written_.empty() || random_.n(0, 2) == 0) return 0;
    const int k = written_[static_cast<std::size_t>(random_.n(0, static_cast<int>(written_.size()) - 1))];
    return k * random_.n(1, 2) + random_.n(0, 1) * random_.n(0, 3);
  }

  Expr array(int rank) {
    std::vector<Nat> shape;
    constexpr int kElements = 150;  // of long arrays, in which functions are applied to each
    int elements = 1;
    for (int d = 0; d < rank; ++d) {
      int n = length();
      if (const int k = long_length(); k > 0 && k * elements <= kElements) n = k;
      shape.emplace_back(n), elements *= n;
    }
    const Type scalar = random_.scalar();
    switch (random_.n(0, 5)) {
      case 0:  // of pairs: parameters of programs are arrays of scalars
        return zip_n(rank, {random_.array(shape, scalar), random_.array(shape, scalar)});
      default:
        return random_.array(shape, scalar);
    }
  }
  Expr value(const HoleUse& use) {
    const OpClass cls = use.of == Op::Count ? OpClass::Binding : row(use.of).cls;
    if (cls == OpClass::Scalar) return random_.scalar_argument();
    const bool mixed = cls == OpClass::Binding || is_reduce(use.of) || is_scan(use.of);
    if (mixed && random_.n(0, 2) == 0) return random_.scalar_argument();
    return array(use.rank + (random_.n(0, 2) == 0 ? random_.n(0, 2) : 0));
  }
  Expr function(const HoleUse& use) {
    return random_.fun(*use.applied_to, use.returns ? *use.returns : result(use));
  }
  Type result(const HoleUse& use) {
    const int how = random_.n(0, 5);
    if (how < 3) return random_.scalar();
    if (how == 3) return use.applied_to->front();
    return how == 4 ? Type::array(length(), Type(random_.scalar())) : random_.element();
  }

  const Rule& rule_;
  RandomExpressions random_;
  std::vector<int> numbers_, lengths_;  ///< of the instance
  std::vector<int> written_;            ///< numbers in the rule that lengths have to do with
};

using Values = std::map<std::string, Value>;

Value whole_numbers(RandomExpressions& random, const Type& t) {
  if (!t.is_array()) return {static_cast<double>(random.n(-9, 9))};
  Value::Array all;
  for (std::int64_t i = 0; i < *t.length().constant(); ++i) all.push_back(whole_numbers(random, t.element()));
  return {all};
}

/// Both sides on the same data.
struct Compared {
  Value left, right;
  double difference = 0;
  bool same = false;
};
Compared compared(const Rule& r, const Expr& left, const Expr& right, const Values& values, Scalar scalar) {
  Compared c{interpret(left, values), interpret(right, values)};
  c.same = identical(c.left, c.right);
  c.difference = c.same ? 0 : difference(c.left, c.right);
  c.same = c.same || (!r.exact && c.difference < tolerance(scalar));
  return c;
}

/// What a number, or an array of them, is written as.
std::string written(const Value& v, Scalar s) {
  if (const auto* a = std::get_if<Value::Array>(&v.v)) {
    std::string text;
    for (const Value& x : *a) text += (text.empty() ? "" : ", ") + written(x, s);
    return "[" + text + "]";
  }
  std::string text = exact_text(v.number());
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + (s == f32 ? "f" : "");
}

/// A program that computes both sides, on this data.
std::string program_text(const Expr& left, const Expr& right, const Values& values, Scalar scalar) {
  Program p{"counterexample", params_of(tuple({left, right})), tuple({left, right}), {}};
  p.results = {"left", "right"};
  std::istringstream lines(print_program(p));
  std::string text, definitions;
  for (const Expr& a : p.arguments)
    definitions += "def " + param_name(a) + " = " + written(values.at(param_name(a)), scalar) + "\n";
  for (std::string line;
       std::getline(lines, line);) {  // data in place of parameters and what is said of them
    if (line.starts_with("param ")) continue;
    if (line.starts_with("result")) text += definitions + "\n";
    if (!line.empty() || !text.ends_with("\n\n")) text += line + "\n";
  }
  return text;
}

std::string indented(const std::string& text) {
  std::string r = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    r += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) r += "  ";
  }
  return r;
}

/// Instances of one pair of sides; what was found.
class Check {
 public:
  Check(const Rule& r, const Expr& pattern, Scalar scalar)
      : rule_(r), pattern_(pattern), scalar_(scalar), instances_(r, pattern, scalar, 1) {}

  int run() {
    const auto began = std::chrono::steady_clock::now();
    for (int tried = 0; tried < kTried && held_ < kInstances && wrong_ < kWrong; ++tried) {
      try {
        one();
      } catch (const TypeError& error) {
        if (why_not_.empty()) why_not_ = error.what();
      } catch (const UserError& error) {
        if (why_not_.empty()) why_not_ = error.what();
      }
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
      if (took.count() > kSeconds) break;
    }
    if (wrong_ > 0) throw UserError(counterexample_);
    return held_;
  }
  const std::string& why_not() const { return mistyped_.empty() ? why_not_ : mistyped_; }
  bool is_mistyped() const { return !mistyped_.empty(); }

 private:
  void one() {
    const Instance x = instances_.next(pattern_);
    const auto after = apply(rule_, Site{x.left, {}}, x.arguments);
    if (!after) {
      if (after.failure().mistyped && mistyped_.empty())
        mistyped_ = "of " + str(x.left) + " it " + after.reason();
      else if (why_not_.empty())
        why_not_ = after.reason();
      return;
    }
    Values values;
    const std::vector<Expr> arguments = params_of(tuple({x.left, *after}));
    for (const Expr& p : arguments) values[param_name(p)] = instances_.random().value(p.type());
    Compared c = compared(rule_, x.left, *after, values, scalar_);
    if (c.same) return void(++held_);
    ++wrong_;
    Values whole;
    for (const Expr& p : arguments) whole[param_name(p)] = whole_numbers(instances_.random(), p.type());
    if (const Compared d = compared(rule_, x.left, *after, whole, scalar_); !d.same) c = d, values = whole;
    note(x.left, *after, values, c);
  }

  void note(const Expr& left, const Expr& right, const Values& values, const Compared& c) {
    const std::string text = program_text(left, right, values, scalar_);
    const bool rounding = rule_.exact && c.difference < tolerance(scalar_);
    if (!counterexample_.empty() &&
        (rounding ? !rounding_ || text.size() >= shortest_ : !rounding_ && text.size() >= shortest_))
      return;
    shortest_ = text.size(), rounding_ = rounding;
    counterexample_ =
        "rule " + rule_.name + " does not hold: " + rule_.maths + "\n" +
        "both sides, as a program, and their results:\n" + indented(text) + "  // left:  " + str(c.left) +
        "\n  // right: " + str(c.right) + "\n" +
        (rounding ? "they differ by rounding alone: if the rule is to hold in real arithmetic, say so: " +
                        rule_.name + " approximately: ..."
                  : "correct the rule, or leave it out");
  }

  const Rule& rule_;
  Expr pattern_;
  Scalar scalar_;
  Instances instances_;
  int held_ = 0, wrong_ = 0;
  std::size_t shortest_ = 0;
  bool rounding_ = false;  ///< the one shown differs by rounding alone: any other says more
  std::string counterexample_, why_not_, mistyped_;
};

}  // namespace

int check_rule(const Rule& r) {
  int held = 0;
  std::string why;
  bool mistyped = false;
  for (const Sides& s : r.sides)
    for (const Scalar scalar : {f64, f32}) {
      Check check(r, s.lhs, scalar);
      held += check.run();
      if (why.empty() || (check.is_mistyped() && !mistyped)) why = check.why_not();
      mistyped = mistyped || check.is_mistyped();
    }
  if (held < kAtLeast && !r.sides.empty())
    throw UserError("rule " + r.name + ": " + r.maths + ": " +
                    (mistyped ? "its sides never have one type: " + why + "; correct the right side"
                              : "only " + std::to_string(held) +
                                    " random instances of its left side have a type, too few to check it: " +
                                    why + "; correct the left side, or write it with fewer variables"));
  return held;
}

}  // namespace lift
