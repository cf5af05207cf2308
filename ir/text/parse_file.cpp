// .lift files: declarations to a program.
#include <algorithm>
#include <cmath>
#include <set>

#include "ir/ascii.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/c_text.hpp"
#include "ir/expr/verify.hpp"
#include "ir/text/elaborate.hpp"
#include "ir/text/near.hpp"

namespace lift {
namespace {

using syntax::Declaration;
using K = Declaration::Kind;

LiftData data_of(const Declaration& d, const Source& source) {
  LiftData r;
  r.declared_at = source.name() + ":" + std::to_string(source.line_of(d.data_at));
  const std::string& kind = d.words[0];
  const auto& v = d.numbers;
  if (kind == "number") r.kind = LiftData::Kind::number, r.low = r.high = v[0];
  if (kind == "wave" && v.size() == 2) r.low = v[0] - std::abs(v[1]), r.high = v[0] + std::abs(v[1]);
  if (kind == "raw") r.kind = LiftData::Kind::raw, r.path = d.text;
  if (kind == "npy") r.kind = LiftData::Kind::npy, r.path = d.text;
  if (kind != "random") return r;
  r.kind = LiftData::Kind::random;
  if (!v.empty()) {
    if (!(v[0] >= 0 && v[0] <= 1e15))
      source.fail(d.data_at, "the seed of random is a number between 0 and 10^15");
    r.seed = static_cast<std::uint64_t>(v[0]);
  }
  if (v.size() == 3) r.low = v[1], r.high = v[2];
  if (!(r.low < r.high))
    source.fail(d.data_at,
                "random numbers lie between two different ones, the smaller first: random(7, 0, 1)");
  return r;
}

/// Makes one program of the declarations, with some sizes given.
class ProgramMaker {
 public:
  ProgramMaker(const syntax::File& file, const std::string& name, const std::map<std::string, Nat>& sizes)
      : source_(*file.source), elaborator_(source_, Names{}) {
    program_.name = name;
    elaborator_.names().sizes = sizes;
    for (const Declaration& d : file.declarations) declare(d);
    if (!has_body())
      source_.fail(source_.text().size(), "the file declares no result; end it with: result = an expression");
  }
  Program take() { return std::move(program_); }

 private:
  bool has_body() const { return static_cast<bool>(program_.body); }
  void declare(const Declaration& d) {
    if (has_body() && d.kind == K::Result)
      source_.fail(d.at, "there is one result; several are a tuple: result y, z = {..., ...}");
    if (has_body()) source_.fail(d.at, "nothing comes after the result; move this declaration before it");
    switch (d.kind) {
      case K::Param: {
        const Type t = elaborator_.type(*d.type);
        check_parameter(t, d.type->at);
        for (const auto& [name, at] : d.names) argument(param(name, t));
        return;
      }
      case K::Index:
        for (const auto& [name, at] : d.names) argument(index_param(name, d.lower, d.upper));
        return;
      case K::Overwrite:
        return overwrite(d);
      case K::Definition:
        return elaborator_.define(d);
      case K::User:
        return user(d);
      case K::Result:
        return result(d);
      case K::Program:
      case K::Size:
        return;
    }
  }

  void check_parameter(const Type& t, std::size_t at) const {
    const Type element = element_of(t);
    if (!element.is_scalar())
      source_.fail(at, "a parameter is a scalar or an array of scalars, not " + t.str() +
                           "; declare one parameter for each component, and zip them");
    if (t.is_scalar() && !is_float(t.scalar()))
      source_.fail(
          at, "a scalar parameter is a f32 or f64; for a whole number write index NAME in LEAST .. GREATEST");
  }
  void argument(const Expr& p) {
    elaborator_.names().params.emplace(param_name(p), p);
    program_.arguments.push_back(p);
  }
  void overwrite(const Declaration& d) {
    for (const auto& [name, at] : d.names) {
      const auto it = elaborator_.names().params.find(name);
      if (it == elaborator_.names().params.end()) {
        std::vector<std::string> all;
        for (const auto& [n, e] : elaborator_.names().params) all.push_back(n);
        const std::string near = nearest(name, all);
        source_.fail(at, "there is no parameter '" + name + "' to overwrite; " +
                             (near.empty() ? "declare it before" : "did you mean '" + near + "'?"));
      }
      if (!it->second.type().is_array())
        source_.fail(at, "'" + name + "' is no array; only arrays can be overwritten");
      program_.overwritable.push_back(name);
    }
  }
  void user(const Declaration& d) {
    if (const auto why = why_no_function_body(d.text))
      source_.fail(d.names[0].second,
                   "the C text of '" + d.names[0].first + "' is not the body of one function: " + *why);
    Attr a = attributes::user_fun(d.names[0].first, d.text, elaborator_.type(*d.type));
    for (const syntax::Binder& b : d.binders) attributes::add_parameter(a, b.name, elaborator_.type(*b.type));
    elaborator_.names().functions.emplace(d.names[0].first, std::move(a));
  }
  void result(const Declaration& d) {
    const Type declared = d.type ? elaborator_.type(*d.type) : Type::any();
    const Expr body = elaborator_.value_declared(*d.body, declared);
    if (d.type) {
      if (!(declared == body.type()))
        elaborator_.fail(d.type->at, "the result has type " + body.type().str() + ", declared is " +
                                         declared.str() + difference(body.type(), declared));
    }
    if (body.type().is_function() || mentions_any(body.type()))
      source_.fail(d.at, "the result is of type " + body.type().str() +
                             "; it must be an array or a number: apply the function");
    program_.body = body;
    for (const auto& [name, at] : d.names) program_.results.push_back(name);
    try {
      results_of(program_);
      check_decisions(program_);
    } catch (const UserError& error) {
      source_.fail(d.at, error.what());
    }
  }

  /// What to try when the shapes differ.
  static std::string difference(const Type& got, const Type& wanted) {
    if (!(element_of(got) == element_of(wanted)))
      return "; cast the elements with map and " + element_of(wanted).str() +
             "(...), or declare the type it has";
    const auto a = shape_of(got), b = shape_of(wanted);
    if (a.size() != b.size())
      return "; the ranks differ: join or split dimensions, or declare the shape it has";
    const std::string suffix = a.size() > 1 && a.size() < 10 ? std::to_string(a.size()) : "";
    for (std::size_t i = 0; i < a.size(); ++i)
      if (const auto lost = simplify(b[i] - a[i]).constant(); lost && *lost > 0)
        return "; it has " + std::to_string(*lost) + " elements fewer in dimension " + std::to_string(i) +
               ", as a slide leaves them: put a boundary condition such as pad" + suffix + "(" +
               std::to_string(*lost / 2) + ", " + std::to_string(*lost - *lost / 2) + ", clamp) before it";
    return "; declare the shape it has";
  }

  const Source& source_;
  syntax::Elaborator elaborator_;
  Program program_;
};

}  // namespace

namespace {

void check_identifier(const std::string& name, std::size_t at, const Source& source) {
  if (!is_c_identifier(name))
    source.fail(at, "'" + name +
                        "' cannot be a name in C, in which the kernel is written; use letters, digits and _");
}

/// Names of arguments, results, functions and the program itself become names in C.
void check_c_name(const std::string& name, std::size_t at, const Source& source) {
  static const auto& words = *new std::set<std::string>{
      "auto",   "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
      "else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
      "long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
      "switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "main",   "abs",
      "fabs",   "fabsf",    "sqrtf",    "fmin",     "fmax",  "fminf",    "fmaxf",   "malloc", "free",
      "printf", "memcpy",   "kernel",   "global",   "local", "private"};
  if (words.count(name))
    source.fail(at, "'" + name + "' is a word of C, in which the kernel is written; choose another name");
  check_identifier(name, at, source);
}

/// blur of dir/blur.lift
std::string name_of(const std::string& file) {
  std::string name;
  const std::size_t slash = file.rfind('/');
  for (const char c : file.substr(slash == std::string::npos ? 0 : slash + 1)) {
    if (c == '.') break;
    name += in_word(c) ? c : '_';
  }
  return name.empty() || is_digit(name[0]) ? "program_" + name : name;
}

/// Every name is declared once, whatever it names.
class Declared {
 public:
  explicit Declared(const Source& source) : source_(source) {}
  void add(const std::string& name, std::size_t at) {
    const auto [it, added] = at_.emplace(name, at);
    if (!added)
      source_.fail(at, "'" + name + "' is declared already, in line " +
                           std::to_string(source_.line_of(it->second)) + "; choose another name");
  }

 private:
  const Source& source_;
  std::map<std::string, std::size_t> at_;
};

}  // namespace

LiftSize LiftFile::size_of(const Declaration& d, const std::string& name) const {
  const Source& source = *file_->source;
  Nat least = 1;
  if (d.least) {
    Names before;
    for (const LiftSize& s : sizes_) before.sizes.emplace(s.name, s.symbol());
    least = syntax::Elaborator(source, before).nat(*d.least);
    if (Facts().refutes(less_equal(0, least)))
      source.fail(d.at, "a size is 0 or more; write where " + name + " >= 0");
    if (!Facts().proves(less_equal(0, least))) least = max(least, 0);
  }
  if (d.value && (*d.value < least.constant().value_or(0) || *d.value % d.modulus != d.residue))
    source.fail(d.at, "the value " + std::to_string(*d.value) + " of " + name +
                          " does not meet its own conditions; change one of them");
  return {name, d.value, least, d.modulus, d.residue};
}

LiftFile::LiftFile(const std::string& text, const std::string& file) {
  const auto source = std::make_shared<const Source>(text, file);
  file_ = std::make_shared<const syntax::File>(syntax::parse_file(source));
  Declared declared(*source);
  for (const Declaration& d : file_->declarations) {
    if (d.kind == K::Overwrite) continue;
    if (d.kind == K::Program && d.names.size() != 1)
      source->fail(d.at, "a file is one program; give one name");
    if (d.kind == K::User)
      for (const syntax::Binder& b : d.binders) check_c_name(b.name, b.at, *source);
    std::vector<LiftSize> made;
    for (const auto& [name, at] : d.names) {
      if (d.kind == K::Size)
        check_identifier(name, at, *source);
      else if (d.kind != K::Definition)
        check_c_name(name, at, *source);
      declared.add(d.kind == K::Program ? "program " + name : name, at);
      if (d.kind == K::Program && !name_.empty())
        source->fail(d.at, "a file is one program; it is called '" + name_ + "' already");
      if (d.kind == K::Program) name_ = name;
      if (d.kind == K::Size) made.push_back(size_of(d, name));
      if (d.kind == K::Param && !d.words.empty()) data_.emplace(name, data_of(d, *source));
      if (d.kind == K::Index && d.value) {
        LiftData v;
        v.kind = LiftData::Kind::number, v.low = v.high = static_cast<double>(*d.value);
        data_.emplace(name, v);
      }
    }
    sizes_.insert(sizes_.end(), made.begin(), made.end());
  }
  if (name_.empty()) name_ = name_of(file);
  for (const Declaration& d : file_->declarations)
    if ((d.kind == K::User || d.kind == K::Param || d.kind == K::Index) &&
        std::any_of(d.names.begin(), d.names.end(), [&](const auto& n) { return n.first == name_; }))
      source->fail(d.at, "the kernel is called '" + name_ +
                             "' too; choose another name, or name the program: program NAME");
}

const std::string& LiftFile::file() const { return file_->source->name(); }

void LiftFile::check_size(const LiftSize& s, std::int64_t value) const {
  const auto wrong = [&](const std::string& why) {
    return UserError("--size " + s.name + "=" + std::to_string(value) + ": " + file() + " admits only " +
                     s.name + why);
  };
  if (value < s.lower.constant().value_or(0)) throw wrong(" >= " + s.lower.str());
  if (value % s.modulus != s.residue)
    throw wrong(" mod " + std::to_string(s.modulus) + " = " + std::to_string(s.residue) + "; use " +
                std::to_string(value - value % s.modulus + s.residue));
  if (value > 1000000000000000) throw wrong(" up to 10^15");
}

Program LiftFile::program(const std::map<std::string, std::int64_t>& given) const {
  for (const auto& [name, value] : given)
    if (std::none_of(sizes_.begin(), sizes_.end(),
                     [&, &wanted = name](const LiftSize& s) { return s.name == wanted; })) {
      std::string all;
      for (const LiftSize& s : sizes_) all += (all.empty() ? "" : ", ") + s.name;
      throw UserError("--size " + name + "=" + std::to_string(value) + ": " + file() + " has no size '" +
                      name + "'; " + (all.empty() ? "it declares none" : "there are: " + all));
    }
  std::map<std::string, Nat> symbols;
  std::map<const NatAtom*, Nat> numbers;
  for (LiftSize s : sizes_) {  // those before it are what it may be at least
    const Nat any = s.symbol();
    s.lower = substitute(s.lower, numbers);
    const auto value = given.find(s.name);
    if (value != given.end()) check_size(s, value->second);
    const Nat n = value != given.end() ? Nat(value->second) : s.symbol();
    symbols.emplace(s.name, n);
    if (!(n == any)) numbers.emplace(variables(any).front(), n);
  }
  return ProgramMaker(*file_, name_, symbols).take();
}

std::map<std::string, std::int64_t> LiftFile::values(const std::map<std::string, std::int64_t>& given) const {
  std::map<std::string, std::int64_t> all = given;
  for (const LiftSize& s : sizes_) {
    if (all.count(s.name)) continue;
    if (!s.value)
      throw UserError(file() + ": the size " + s.name + " has no value; pass --size " + s.name +
                      "=1024, or declare one: size " + s.name + " = 1024");
    all.emplace(s.name, *s.value);
  }
  return all;
}

Program parse_program(const std::string& text, const std::string& file) {
  return LiftFile(text, file).program();
}

}  // namespace lift
