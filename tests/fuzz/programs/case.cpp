#include "tests/fuzz/programs/case.hpp"

#include <random>
#include <sstream>

#include "embed/default_variant.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/text/parse.hpp"
#include "rewrite/engine/catalogue.hpp"
#include "tests/fuzz/programs/generator.hpp"

namespace lift::fuzz {
namespace {

const char* text(Case::Choice c) {
  return c == Case::Choice::written ? "written" : c == Case::Choice::defaulted ? "default" : "derived";
}

std::vector<double> numbers(const Type& t, std::int64_t count, std::mt19937& random) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<int>(random() % 33);
    const Scalar s = t.scalar();
    all.push_back(s == boolean ? k % 2 : s == u8 ? k : is_integer(s) ? k - 16 : (k - 16) / 4.0);
  }
  return all;
}

}  // namespace

std::string print(const Case& c) {
  std::string s = "// sizes:";
  for (const auto& [name, value] : c.sizes) s += " " + name + "=" + std::to_string(value);
  s += c.symbolic ? "\n// kernel: for any size" : "\n// kernel: for these sizes";
  s += std::string("\n// target: ") + lift::text(c.target) +
       "\n// vectors: " + std::to_string(c.vector_bytes) + "\n// data: " + std::to_string(c.data) +
       "\n// choice: " + text(c.choice) +
       (c.alone         ? "\n// caller: emitted"
        : c.interpreted ? "\n// caller: interpreter"
                        : "") +
       "\n";
  if (c.choice == Case::Choice::derived) {
    std::istringstream steps(str(c.derivation));
    for (std::string line; std::getline(steps, line);) s += "// step: " + line + "\n";
  }
  return s + print_program(c.program);
}

Case parse_case(const std::string& text, const std::string& file) {
  Case c;
  std::istringstream in(text);
  std::string derivation;
  for (std::string line; std::getline(in, line) && line.starts_with("// ");) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(3, colon - 3), value = line.substr(colon + 2);
    if (key == "sizes") {
      std::istringstream words(value);
      for (std::string w; words >> w;)
        c.sizes[w.substr(0, w.find('='))] = std::stoll(w.substr(w.find('=') + 1));
    } else if (key == "kernel") {
      c.symbolic = value == "for any size";
    } else if (key == "target") {
      for (const Target t : {Target::openmp, Target::opencl, Target::cuda})
        if (value == lift::text(t)) c.target = t;
    } else if (key == "vectors") {
      c.vector_bytes = std::stoi(value);
    } else if (key == "data") {
      c.data = std::stoull(value);
    } else if (key == "choice") {
      c.choice = value == "written"   ? Case::Choice::written
                 : value == "default" ? Case::Choice::defaulted
                                      : Case::Choice::derived;
    } else if (key == "caller") {
      c.alone = value == "emitted", c.interpreted = value == "interpreter";
    } else if (key == "step") {
      derivation += value + "\n";
    }
  }
  c.derivation = parse_derivation(derivation);
  know_user_functions();
  c.program = parse_program(text, file);
  return c;
}

Program subject(const Case& c) { return c.symbolic ? c.program : with_sizes(c.program, c.sizes); }

SpaceOptions space_options(const Case& c) {
  SpaceOptions o;
  o.target = c.target, o.threads = 2, o.vector_bytes = c.vector_bytes;
  return o;
}

Kernel kernel_of(const Case& c, const std::string& name) {
  Program p = subject(c);
  p.name = name;
  if (c.choice == Case::Choice::defaulted) return default_variant(p).kernel;
  if (c.choice == Case::Choice::derived) p = replay(p, c.derivation);
  return lower(p, {.vector_bytes = c.vector_bytes, .target = c.target});
}

bool reassociated(const Derivation& d) {
  for (const Step& s : d)
    if (!find_rule(s.rule).exact) return true;
  return false;
}

std::shared_ptr<const Data> data_of(const Program& program, const Sizes& sizes, std::uint64_t seed) {
  const Program p = with_sizes(program, sizes);
  auto data = std::make_shared<Data>();
  std::mt19937 random(static_cast<unsigned>(seed));
  Interpreter in;
  for (const Expr& a : p.arguments) {
    const std::string& name = param_name(a);
    std::vector<double>& to = data->arguments[name];
    if (a.type().is_array()) {
      std::int64_t count = 1;
      for (const Nat& n : shape_of(a.type())) count *= *n.constant();
      to = numbers(element_of(a.type()), count, random);
      in.params[name] = make_array(to, a.type());
    } else if (is_float(a.type().scalar())) {
      to = numbers(a.type(), 1, random);
      in.params[name].v = to[0];
    } else {
      const std::int64_t least = index_lower(a).constant().value_or(0);
      const std::int64_t most = index_upper(a).constant().value_or(least + 1);
      to = {static_cast<double>(least + static_cast<std::int64_t>(seed % 1000) % (most - least + 1))};
      in.params[name].v = static_cast<std::int64_t>(to[0]);
      in.sizes[name] = static_cast<std::int64_t>(to[0]);
    }
  }
  const Value v = in.eval(p.body);
  if (contains_poison(v)) return nullptr;
  data->expected = flatten_components(v, p.body.type());
  data->results = results_of(p);
  return data;
}

std::string round_trip(const Program& program) {
  const std::string printed = print_program(program);
  try {
    const Program q = parse_program(printed);
    if (q.body == program.body && q.arguments == program.arguments && q.overwritable == program.overwritable)
      return "";
    return "parsing what was printed gives another program:\n" + print_program(q);
  } catch (const UserError& e) {
    return std::string("what was printed is not parsed: ") + e.what();
  }
}

std::string twin_defect(const Case& c) {
  try {
    lower_traffic_twins(with_sizes(c.program, c.sizes));
  } catch (const UserError&) {
  } catch (const std::exception& e) {
    return std::string("traffic twin: ") + e.what();
  }
  return "";
}

}  // namespace lift::fuzz
