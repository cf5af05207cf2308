#include "tuning/database/program_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "ir/text/parse.hpp"
#include "runtime/vault.hpp"

namespace lift {
namespace {

/// Writes a program without its names.
class CanonicalWriter {
 public:
  explicit CanonicalWriter(const Program& p) : program_(p) {
    for (const Expr& a : p.arguments)
      arguments_.emplace(param_name(a), "a" + std::to_string(arguments_.size()));
    // Sizes that have a length to themselves are numbered first, as those that share one are numbered by
    // name.
    for (const Expr& a : p.arguments)
      for (const Nat& length : shape_of(a.type()))
        if (const auto met = variables(length); met.size() == 1) (void)variable(*met.front());
  }

  std::string write() {
    std::string s;
    for (const Expr& a : program_.arguments) s += "argument " + node(a) + "\n";
    for (const std::string& name : program_.overwritable) s += "overwrite " + argument(name) + "\n";
    const std::string body = node(program_.body);
    for (std::size_t i = 0; i < in_order_.size(); ++i) {  // bounds may mention further ones
      const auto [atom, name] = in_order_[i];
      s += fmt::format("variable {} >= {}", name, nat(atom->lower));
      if (atom->bounded_above) s += " <= " + nat(atom->upper);
      s += fmt::format(" mod {} = {}\n", atom->modulus, atom->residue);
    }
    return s + lines_ + "result " + body + "\n";
  }

  /// In the order in which they have been met, once it is written.
  std::vector<const NatAtom*> sizes() const {
    std::vector<const NatAtom*> r;
    for (const auto& entry : in_order_)
      if (!entry.first->bounded_above) r.push_back(entry.first);
    return r;
  }

 private:
  std::string argument(const std::string& name) const {
    const auto at = arguments_.find(name);
    return at == arguments_.end() ? "free " + name : at->second;
  }

  const std::string& variable(const NatAtom& v) {
    const auto [at, added] = variables_.try_emplace(&v);
    if (added) {
      const auto index_param = arguments_.find(v.name);
      at->second = v.bounded_above && index_param != arguments_.end()
                       ? index_param->second
                       : "n" + std::to_string(variables_.size() - 1);
      in_order_.emplace_back(&v, at->second);
    }
    return at->second;
  }

  std::string factor(const NatAtom& a) {
    if (a.kind == AtomKind::Var) return variable(a);
    constexpr const char* kNames[] = {"", "div", "mod", "min", "max"};
    std::string x = nat(a.a), y = nat(a.b);
    if (a.kind >= AtomKind::Min && y < x) std::swap(x, y);
    return fmt::format("{}({},{})", kNames[static_cast<int>(a.kind)], x, y);
  }

  std::string nat(const Nat& n) {
    // Those met together are numbered by name, which counts there alone: their order in memory is another one
    // in each process.
    std::vector<const NatAtom*> met = variables(n);
    std::sort(met.begin(), met.end(), [](const NatAtom* a, const NatAtom* b) { return a->name < b->name; });
    for (const NatAtom* v : met) (void)variable(*v);
    std::vector<std::string> sum;
    for (const NatTerm& t : terms(n)) {
      std::vector<std::string> product;
      for (const NatFactor& f : t.factors) product.push_back(fmt::format("{}^{}", factor(*f.atom), f.power));
      std::sort(product.begin(), product.end());
      sum.push_back(fmt::format("{}*{}", fmt::join(product, "*"), t.coefficient));
    }
    std::sort(sum.begin(), sum.end());
    return fmt::format("[{}]", fmt::join(sum, "+"));
  }

  std::string type(const Type& t) {
    std::string s;
    switch (t.kind()) {
      case Type::Kind::Any:
        return "any";
      case Type::Kind::Scalar:
        return lift::text(t.scalar());
      case Type::Kind::Array:
        s = nat(t.length());  // in this order: variables are numbered on the way
        return s + "." + type(t.element());
      case Type::Kind::Tuple:
        for (const Type& part : t.parts()) s += type(part) + ",";
        return "{" + s + "}";
      case Type::Kind::Function:
        for (const Type& part : t.parts()) s += type(part) + ",";
        return "(" + s + ")->" + type(t.result());
    }
    return s;
  }

  std::string attributes(const Expr& e) {
    const Attr& a = e.attr();
    std::string s;
    for (const Nat& n : a.nats) s += " " + nat(n);
    for (const std::int64_t i : a.ints) s += " " + std::to_string(i);
    for (const Type& t : a.types) s += " " + type(t);
    if (e.is(Op::Param))
      s += " " + argument(param_name(e)) + " " + type(e.type());
    else
      for (const std::string& word : a.texts) s += fmt::format(" {}:{}", word.size(), word);
    if (a.number != 0) s += fmt::format(" {}", a.number);
    return s;
  }

  /// The name of a node, whose line has been written.
  std::string node(const Expr& e) {
    if (const auto at = nodes_.find(e.id()); at != nodes_.end()) return at->second;
    std::string children;
    for (const Expr& c : e.children()) children += " " + node(c);
    std::string name = "%" + std::to_string(nodes_.size());
    lines_ += fmt::format("{} = {}{} :{}\n", name, lift::text(e.op()), children, attributes(e));
    return nodes_.emplace(e.id(), std::move(name)).first->second;
  }

  const Program& program_;
  std::map<std::string, std::string> arguments_;
  std::unordered_map<const NatAtom*, std::string> variables_;
  std::vector<std::pair<const NatAtom*, std::string>> in_order_;
  std::unordered_map<std::uint32_t, std::string> nodes_;
  std::string lines_;
};

/// The sizes that make the arguments of `symbolic` those of `numbered`; nothing when they do not tell them
/// all.
std::optional<Sizes> sizes_between(const Program& symbolic, const Program& numbered) {
  if (symbolic.arguments.size() != numbered.arguments.size()) return std::nullopt;
  std::vector<LengthEquation> equations;
  for (std::size_t i = 0; i < symbolic.arguments.size(); ++i) {
    const std::vector<Nat> lengths = shape_of(symbolic.arguments[i].type()),
                           numbers = shape_of(numbered.arguments[i].type());
    if (lengths.size() != numbers.size()) return std::nullopt;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      if (!numbers[d].constant()) return std::nullopt;
      equations.push_back({lengths[d], *numbers[d].constant(), "argument"});
    }
  }
  try {
    Sizes sizes = solve_sizes(equations);
    with_sizes(symbolic, sizes);
    return sizes;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string canonical_text(const Program& program) { return CanonicalWriter(program).write(); }

ProgramKey program_key(const Program& program, const Sizes& sizes) {
  if (!sizes.empty() && !sizes_between(program, with_sizes(program, sizes)))
    return program_key(with_sizes(program, sizes), {});
  CanonicalWriter writer(program);
  ProgramKey key;
  key.expression = hash_text(writer.write());
  for (const NatAtom* v : writer.sizes()) {
    const auto at = sizes.find(v->name);
    if (at == sizes.end())
      throw UserError(program.name + ": the size '" + v->name + "' has no value; give a number for it");
    const bool plain = v->name.find_first_of(" \t\n") == std::string::npos;
    key.size_names.push_back(plain ? v->name : "n" + std::to_string(key.sizes.size()));
    key.sizes.push_back(at->second);
  }
  return key;
}

ProgramKey program_key(const Pattern& pattern, const Problem& problem, std::string* text) {
  Problem with_numbers = problem, without = problem;
  with_numbers.symbolic = false, without.symbolic = true;
  const Program numbered = pattern.build(with_numbers);
  try {
    const Program symbolic = pattern.build(without);
    if (const auto sizes = sizes_between(symbolic, numbered)) {
      if (text != nullptr) *text = print_program(symbolic);
      return program_key(symbolic, *sizes);
    }
  } catch (const UserError&) {  // it has none
  }
  if (text != nullptr) *text = print_program(numbered);
  return program_key(numbered, {});
}

}  // namespace lift
