// The C header of an emitted kernel, for C and C++.
#include <fmt/format.h>

#include <algorithm>

#include "emit/c_like.hpp"
#include "emit/stand_alone.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "lower/translate/acceptor.hpp"

namespace lift {
namespace {

std::string plain_text(const Nat& n) {
  return index_text(n, [](const NatAtom& a) { return a.name; });
}

/// Which of the results the array holds after the call: ": result 2 of 3"; "" where it holds none.
std::string result_text(const Kernel& k, const KernelArgument& a) {
  if (a.work) return ": for intermediate values";
  const auto it = std::find(k.results.begin(), k.results.end(), a.name);
  if (it == k.results.end()) return "";
  if (k.results.size() == 1) return ": the result";
  return fmt::format(": result {} of {}", it - k.results.begin() + 1, k.results.size());
}

/// "double [4][n + 2]", "int, 0 to 1"
std::string description(const Kernel& k, const KernelArgument& a) {
  if (!a.type.is_array()) {
    std::string s = c_type(a.type.scalar());
    if (a.range.size() == 2) s += ", from " + a.range[0].str() + " to " + a.range[1].str();
    return s;
  }
  std::string s = c_element_type(element_of(a.type).scalar());
  s += " ";
  for (const Nat& n : a.layout.shape()) s += "[" + plain_text(n) + "]";
  s += a.written ? (a.read ? ", read and written" : ", written") : ", read";
  s += result_text(k, a);
  return is_rearranged(a) ? s + ", in the layout '" + str(a.layout.request()) + "' (see below)" : s;
}

std::string prototype(const Kernel& k) {
  std::string list;
  const auto add = [&](const std::string& parameter) { list += (list.empty() ? "" : ", ") + parameter; };
  for (const std::string& n : k.sizes) add("long " + n);
  for (const KernelArgument& a : k.arguments) {
    const bool array = a.type.is_array();
    add(std::string(array && !a.written ? "const " : "") +
        (array ? c_element_type(element_of(a.type).scalar()) : c_type(a.type.scalar())) +
        (array ? " *" : " ") + a.name);
  }
  return (needs_scratch(k) ? "int " : "void ") + k.name + "(" + (list.empty() ? "void" : list) + ");";
}

/// Where an element of a rearranged array lies, as a C function of its position.
std::string index_definition(const Kernel& k, const KernelArgument& a) {
  const std::vector<std::string> names = position_names(a);
  std::vector<Nat> position;
  std::string shown, list;
  for (const std::string& n : k.sizes) list += (list.empty() ? "long " : ", long ") + n;
  for (std::size_t d = 0; d < names.size(); ++d) {
    position.push_back(Nat::fresh(names[d], 0, a.layout.shape()[d] - 1));
    shown += "[" + names[d] + "]", list += (list.empty() ? "long " : ", long ") + names[d];
  }
  std::string unused;
  const Nat index = a.layout.index(position);
  for (const std::string& n : k.sizes) {
    const auto vs = variables(index);
    if (std::none_of(vs.begin(), vs.end(), [&](const NatAtom* v) { return v->name == n; }))
      unused += "  (void)" + n + ";\n";
  }
  return fmt::format("/* {0}{1} is element {2}(...) of {3}. */\n", a.name, shown, index_function(k, a),
                     plain_text(a.layout.size())) +
         wrapped("static inline long " + index_function(k, a) + "(" + list + ") {", 0) + "\n" + unused +
         wrapped("return " + plain_text(index) + ";", 1) + "\n}\n\n";
}

}  // namespace

std::string index_text(const Nat& n, const std::function<std::string(const NatAtom&)>& name) {
  const IndexFunction spelled_out = [](const std::string& f, const std::string& a, const std::string& b) {
    if (f == "min" || f == "max")
      return fmt::format("({0} {2} {1} ? {0} : {1})", a, b, f == "min" ? "<" : ">");
    if (f == "mod") return fmt::format("((({0}) % ({1}) + ({1})) % ({1}))", a, b);
    return fmt::format("(({0}) < 0 ? -((({1}) - 1 - ({0})) / ({1})) : ({0}) / ({1}))", a, b);
  };
  return index_text(n, name, spelled_out, false).s;
}

std::vector<std::string> needs_of(const Kernel& k, const std::function<std::string(const NatAtom&)>& name,
                                  bool of_sizes_alone) {
  const auto known = [&](const NatAtom* v) {
    return std::find(k.sizes.begin(), k.sizes.end(), v->name) != k.sizes.end() ||
           (!of_sizes_alone && std::any_of(k.arguments.begin(), k.arguments.end(),
                                           [&](const KernelArgument& a) { return a.name == v->name; }));
  };
  std::vector<std::string> all;
  for (const NatCond& c : k.needs) {
    const auto of = variables(c.a);
    if (!std::all_of(of.begin(), of.end(), known)) continue;
    // What is subtracted stands on the other side, and a number beside the fewer.
    Nat left = 0, right = 0;
    const Nat number = constant_part(c.a);
    for (const NatTerm& t : terms(c.a - number)) {
      Nat product = t.coefficient;
      for (const NatFactor& f : t.factors)
        for (int p = 0; p < f.power; ++p) product = product * atom_nat(*f.atom);
      if (t.coefficient > 0)
        left = left + product;
      else
        right = right - product;
    }
    const bool turned = left == Nat(0);
    if (turned) std::swap(left, right);
    const Nat beside = turned ? number : -number;
    if (right == Nat(0) || Facts().proves_nonnegative(beside))
      right = right + beside;
    else
      left = left - beside;
    const char* relation[] = {turned ? " <= " : " >= ", " == ", " != "};
    all.push_back(index_text(left, name) + relation[static_cast<int>(c.kind)] + index_text(right, name));
  }
  return all;
}

SizeRange size_range(const Kernel& k, const std::string& size) {
  for (const KernelArgument& a : k.arguments)
    for (const Nat& n : shape_of(a.type))
      for (const NatAtom* v : variables(n))
        if (v->name == size) return {v->lower, v->modulus, v->residue};
  return {};
}
std::vector<std::string> contract_of(const Kernel& k,
                                     const std::function<std::string(const NatAtom&)>& name) {
  std::vector<std::string> all;
  for (const std::string& size : k.sizes) {
    const SizeRange r = size_range(k, size);
    if (!(r.lower == Nat(1))) all.push_back(size + " >= " + index_text(r.lower, name));
    if (r.modulus > 1) all.push_back(fmt::format("{} % {} == {}", size, r.modulus, r.residue));
  }
  const std::vector<std::string> needs = needs_of(k, name);
  all.insert(all.end(), needs.begin(), needs.end());
  return all;
}
std::string str(const SizeRange& r) {
  std::string s = "at least " + plain_text(r.lower);
  if (r.modulus == 2) return s + (r.residue == 0 ? " and even" : " and odd");
  if (r.modulus > 1) s += " and " + std::to_string(r.residue) + " modulo " + std::to_string(r.modulus);
  return s;
}

bool is_rearranged(const KernelArgument& a) {
  return a.type.is_array() && a.layout.request().kind != LayoutRequest::Kind::Caller;
}
std::string index_function(const Kernel& k, const KernelArgument& a) { return k.name + "_index_" + a.name; }
std::vector<std::string> position_names(const KernelArgument& a) {
  std::vector<std::string> names = dimension_names(a.layout.shape().size());
  for (std::size_t d = 0; d < names.size(); ++d)
    if (std::count(names.begin(), names.end(), names[d]) > 1) names[d] += std::to_string(d);
  for (std::string& n : names) n += "_at";
  return names;
}
Nat row_major_size(const KernelArgument& a) {
  Nat n = 1;
  for (const Nat& length : a.layout.shape()) n = n * length;
  return n;
}

std::string header_around(const Kernel& k, const std::string& introduction, const std::string& before,
                          const std::string& after) {
  std::string guard = k.name + "_H";
  for (char& c : guard) c = upper_case(c);
  std::string s =
      "/* " + k.name +
      ": arrays are stored row by row unless said otherwise, are fastest at multiples of 64 bytes, and "
      "do not\n * overlap." +
      introduction + "\n *\n";
  for (const std::string& n : k.sizes) s += fmt::format(" *   {:<10} long, {}\n", n, str(size_range(k, n)));
  for (const std::string& c : needs_of(k, [](const NatAtom& a) { return a.name; }))
    s += fmt::format(" *   {:<10} {}\n", "where", c);
  for (const KernelArgument& a : k.arguments) s += fmt::format(" *   {:<10} {}\n", a.name, description(k, a));
  s += " */\n#ifndef " + guard + "\n#define " + guard + "\n\n" + before;
  for (const KernelArgument& a : k.arguments)
    if (is_rearranged(a)) s += index_definition(k, a);
  return s + after + "#endif\n";
}

std::string emit_c_header(const Kernel& k) {
  const char* status =
      " Returns 0, or 1\n * where there is no memory for what threads keep in between: then nothing has been "
      "computed.";
  return header_around(k, needs_scratch(k) ? status : "",
                       "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + wrapped(prototype(k), 0) + "\n\n",
                       "#ifdef __cplusplus\n}\n#endif\n\n");
}

}  // namespace lift
