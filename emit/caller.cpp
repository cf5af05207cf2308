// Stand-alone use of an emitted kernel: a caller with a main() that runs it on made-up data, compares its
// results with the same expression as plain loops, and times it.
#include <fmt/format.h>

#include <algorithm>

#include "emit/c_like.hpp"
#include "emit/caller.hpp"
#include "emit/stand_alone.hpp"
#include "ir/error.hpp"

namespace lift {

std::string c_type(const KernelArgument& a) {
  return a.type.is_array() ? c_element_type(element_of(a.type).scalar()) : c_type(a.type.scalar());
}
const KernelArgument* find(const Kernel& k, const std::string& name) {
  for (const KernelArgument& a : k.arguments)
    if (a.name == name) return &a;
  return nullptr;
}

namespace {

constexpr const char* c_head =
    R"(/* Runs {0} on made-up data, compares it with the same expression as plain loops, and times it:
 *
 *   cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno {0}.c {0}_main.c -lm -o {0}
 *   ./{0}{1}
 *
 * It ends with status 1 when results differ. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L
#endif
)";

constexpr const char* includes = R"(#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "{0}.h"

)";

constexpr const char* helpers = R"(/* ---- data, comparison, time */

static void *allocate(size_t bytes) {
  void *p = NULL;
  if (posix_memalign(&p, 64, bytes + 64) != 0) {
    fprintf(stderr, "not enough memory for %lu bytes\n", (unsigned long)bytes);
    exit(1);
  }
  memset(p, 0, bytes + 64);
  return p;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

)";

// For arrays of one element type; 1 is its name, 2 the formula of an element.
constexpr const char* new_helper =
    R"(static {0} *new_{1}(long n) {{ return ({0} *)allocate((size_t)n * sizeof({0})); }}

)";
constexpr const char* fill_helper = R"(static void fill_{1}({0} *a, long n, int seed) {{
  for (long x = 0; x < n; ++x) a[x] = {2};
}}

)";
constexpr const char* difference_helper = R"(/* The largest difference, as a part of the largest value. */
static double difference_{1}(const {0} *got, const {0} *expected, long n) {{
  double largest = 0, scale = 1e-30;
  for (long x = 0; x < n; ++x) {{
    const double d = fabs((double)got[x] - (double)expected[x]), e = fabs((double)expected[x]);
    if (!(d <= largest)) largest = d == d ? d : 1e300;
    if (e > scale) scale = e;
  }}
  return largest / scale;
}}

)";

/// Of sums that may be rounded and ordered differently.
const char* tolerance(const KernelArgument& a) {
  return element_of(a.type).scalar() == f32 ? "1e-4" : "1e-11";
}

Scalar scalar_of(const KernelArgument& a) { return element_of(a.type).scalar(); }

/// In the names of functions.
std::string type_name(Scalar s) { return s == boolean ? "byte" : s == u8 ? "u8" : c_type(s); }
/// As a part of the text that printf is given.
std::string in_format(const std::string& s) {
  std::string r;
  for (const char c : s) r += std::string(c == '%' ? 2 : 1, c);
  return r;
}
std::string element_formula(Scalar s) {
  switch (s) {
    case Scalar::boolean:
      return "(x + seed) % 3 == 0";
    case Scalar::u8:
      return "(unsigned char)((37 * x + seed) % 256)";
    case Scalar::i32:
    case Scalar::i64:
      return "(" + c_type(s) + ")((x + seed) % 7)";
    default:
      return "(" + c_type(s) + ")(1 + 0.25 * sin(0.37 * (double)x + seed))";
  }
}

}  // namespace

Caller::Caller(const Kernel& kernel, const Kernel& reference,
               const std::map<std::string, std::int64_t>& sizes)
    : k_(kernel), r_(reference), sizes_(sizes) {
  for (const std::string& r : kernel.results)
    if (!find(kernel, r)) throw InternalError("emit: " + kernel.name + " has no argument " + r);
  if (kernel.results.size() != reference.results.size())
    throw InternalError("emit: " + kernel.name + " and its reference have different results");
  r_.name = k_.name + "_reference";
  reserved_ = {k_.name,  r_.name,   "allocate", "seconds", "main",   "argc",   "argv",
               "printf", "fprintf", "stderr",   "free",    "memcpy", "atol",   "start",
               "ms",     "best",    "run",      "wrong",   "error",  "sizeof", "exit"};
  for (const char* t : {"float", "double", "int", "byte", "long", "u8"})
    for (const char* f : {"new_", "fill_", "difference_"}) reserved_.insert(std::string(f) + t);
  for (const KernelArgument& a : k_.arguments)
    reserved_.insert("n_" + a.name), reserved_.insert(a.name + "_rows"),
        reserved_.insert(a.name + "_expected");
}

std::string Caller::text() {
  std::string usage;
  for (const std::string& n : sizes()) usage += " " + std::to_string(typical(n));
  std::string s = fmt::format(fmt::runtime(head() + includes), k_.name, usage);
  s += "/* ---- the expression as plain loops, one element at a time */\n\n" + emit_static(r_) + "\n" +
       helpers;
  std::set<Scalar> types;
  const std::string body = (sizes().empty() ? "int main(void) {\n" : "int main(int argc, char **argv) {\n") +
                           read_sizes() + inputs() + reference_run() + kernel_run() + timing() + "}\n";
  for (const auto& arguments : {k_.arguments, r_.arguments})
    for (const KernelArgument& a : arguments)
      if (a.type.is_array()) types.insert(scalar_of(a));
  for (const Scalar t : types)
    for (const auto& [name, helper] : {std::pair<std::string, const char*>{"new_", new_helper},
                                       {"fill_", fill_helper},
                                       {"difference_", difference_helper}})
      if (helpers_.count(name + type_name(t)))
        s += fmt::format(fmt::runtime(helper), c_element_type(t), type_name(t), element_formula(t));
  return s + functions() + body;
}
std::string Caller::head() const { return c_head; }

/// The variable that holds an argument: its own name unless main() needs that for something else.
std::string Caller::var(const std::string& name) const {
  std::string v = name;
  while (reserved_.count(v)) v += "_";
  return v;
}
std::string Caller::nat(const Nat& n) const {
  return index_text(n, [&](const NatAtom& a) { return var(a.name); });
}
std::int64_t Caller::typical(const std::string& size) const {
  const auto it = sizes_.find(size);
  return it == sizes_.end() ? 64 : it->second;
}
std::string Caller::helper(const std::string& name, const KernelArgument& a) {
  return *helpers_.insert(name + type_name(scalar_of(a))).first;
}
void Caller::line(std::string& s, const std::string& text, int indent) { s += wrapped(text, indent) + "\n"; }

std::vector<std::string> Caller::sizes() const {
  std::vector<std::string> all = k_.sizes;
  for (const std::string& n : r_.sizes)
    if (std::find(all.begin(), all.end(), n) == all.end()) all.push_back(n);
  return all;
}

std::string Caller::read_sizes() const {
  std::string s;
  int at = 0;
  for (const std::string& n : sizes()) {
    const std::string v = var(n);
    line(s, fmt::format("const long {0} = argc > {1} ? atol(argv[{1}]) : {2};", v, ++at, typical(n)));
    const bool of_kernel = std::find(k_.sizes.begin(), k_.sizes.end(), n) != k_.sizes.end();
    const SizeRange range = size_range(of_kernel ? k_ : r_, n);
    std::string wrong = fmt::format("{} < {}", v, nat(range.lower));
    if (range.modulus > 1) wrong += fmt::format(" || {} % {} != {}", v, range.modulus, range.residue);
    line(s, "if (" + wrong + ") {");
    line(s, fmt::format("fprintf(stderr, \"{} must be {}\\n\");", n, str(range)), 2);
    line(s, "return 2;", 2), line(s, "}");
  }
  const auto plain = needs_of(
      k_, [](const NatAtom& a) { return a.name; }, true);
  const auto spelled = needs_of(
      k_, [&](const NatAtom& a) { return var(a.name); }, true);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    line(s, "if (!(" + spelled[i] + ")) {");
    line(s, fmt::format("fprintf(stderr, \"{} must hold\\n\");", in_format(plain[i])), 2);
    line(s, "return 2;", 2), line(s, "}");
  }
  return s;
}

/// Arrays as the caller has them, row by row, and scalars.
std::string Caller::inputs() {
  std::string s;
  int seed = 0;
  for (const KernelArgument& a : k_.arguments) {
    const std::string v = var(a.name);
    if (a.type.is_array()) {
      line(s, fmt::format("const long n_{} = {};", a.name, size_of_rows(a)));
      line(s, fmt::format("{} *{} = {}(n_{});", c_type(a), v, helper("new_", a), a.name));
      if (is_input(a)) line(s, fmt::format("{}({}, n_{}, {});", helper("fill_", a), v, a.name, ++seed));
    } else {
      const auto lower = a.range.empty() ? std::nullopt : a.range[0].constant();
      line(s, fmt::format("const {} {} = {};", c_type(a), v,
                          lower                        ? std::to_string(*lower)
                          : !is_float(a.type.scalar()) ? "1"
                          : a.type.scalar() == f32     ? "0.125f"
                                                       : "0.125"));
    }
  }
  return s + "\n";
}
/// The number of elements: the product of the lengths, or the name of an equal number.
std::string Caller::size_of_rows(const KernelArgument& a) const {
  for (const KernelArgument& other : k_.arguments)
    if (&other == &a)
      break;
    else if (other.type.is_array() && row_major_size(other) == row_major_size(a))
      return "n_" + other.name;
  if (const auto n = row_major_size(a).constant()) return std::to_string(*n);
  std::vector<std::string> lengths;
  for (const Nat& n : a.layout.shape())
    lengths.push_back(n.is_constant() || n.is_variable() ? nat(n) : "(" + nat(n) + ")");
  return joined(lengths, " * ");
}
bool Caller::is_input(const KernelArgument& a) const { return a.read || !a.written || find(r_, a.name); }

std::string Caller::call(const std::string& function, std::vector<std::string> before, const Kernel& k,
                         const std::function<std::string(const KernelArgument&)>& argument) const {
  for (const std::string& n : k.sizes) before.push_back(var(n));
  for (const KernelArgument& a : k.arguments) before.push_back(argument(a));
  return function + "(" + joined(before) + ");";
}
std::string Caller::run(int indent) const {
  std::string s, run = call(k_.name, {}, k_, [&](const KernelArgument&a) {
                   return a.type.is_array() ? stored(a) : var(a.name);
                 });
  if (!needs_scratch(k_)) return line(s, run, indent), s;
  run.pop_back();  // of the statement, its semicolon
  line(s, "if (" + run + " != 0) {", indent);
  line(s, "fprintf(stderr, \"not enough memory for " + k_.name + "\\n\");", indent + 1);
  line(s, "exit(1);", indent + 1), line(s, "}", indent);
  return s;
}

/// The reference works on copies of what it writes.
std::string Caller::reference_run() {
  std::string s;
  for (const KernelArgument& a : r_.arguments) {
    if (!a.type.is_array() || !a.written) continue;
    line(s, fmt::format("{} *{}_expected = {}({});", c_type(a), a.name, helper("new_", a), size_of_rows(a)));
    if (!a.work && find(k_, a.name))  // scratch of the same name is another array
      line(s, fmt::format("memcpy({0}_expected, {1}, (size_t)n_{0} * sizeof *{1});", a.name, var(a.name)));
  }
  line(s, call(r_.name, {}, r_, [&](const KernelArgument& a) {
         return a.type.is_array() && a.written ? a.name + "_expected" : var(a.name);
       }));
  return s + "\n";
}

/// Where the kernel finds an array: the caller's, or a copy in the kernel's own layout.
std::string Caller::stored(const KernelArgument& a) const {
  return is_rearranged(a) ? a.name + "_stored" : var(a.name);
}
std::string Caller::stored_size(const KernelArgument& a) const {
  return is_rearranged(a) ? nat(a.layout.size()) : "n_" + a.name;
}
bool Caller::is_result(const KernelArgument& a) const {
  return std::find(k_.results.begin(), k_.results.end(), a.name) != k_.results.end();
}

/// `body` for each element of a rearranged array: where it is in the caller's rows, and in the kernel's
/// layout.
std::string Caller::for_elements(
    const KernelArgument& a,
    const std::function<std::string(const std::string& rows, const std::string& at)>& body) const {
  const std::vector<Nat>& shape = a.layout.shape();
  const std::vector<std::string> names = position_names(a);
  std::string s, flat, list;
  int indent = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    line(s, fmt::format("for (long {0} = 0; {0} < {1}; ++{0})", names[d], nat(shape[d])), indent++);
    flat =
        d == 0 ? names[d] : (d == 1 ? flat : "(" + flat + ")") + " * (" + nat(shape[d]) + ") + " + names[d];
    list += (d ? ", " : "") + names[d];
  }
  std::string sizes;
  for (const std::string& n : k_.sizes) sizes += var(n) + ", ";
  list = index_function(k_, a) + "(" + sizes + list + ")";
  line(s, body(var(a.name) + "[" + flat + "]", stored(a) + "[" + list + "]"), indent);
  return s;
}
std::string Caller::kernel_run() {
  std::string s;
  for (const KernelArgument& a : k_.arguments) {
    if (!is_rearranged(a)) continue;
    line(s, fmt::format("{} *{} = {}({});", c_type(a), stored(a), helper("new_", a), nat(a.layout.size())));
    s += for_elements(a,
                      [](const std::string& rows, const std::string& at) { return at + " = " + rows + ";"; });
  }
  s += prepare() + run(1) + fetch();
  line(s, "int wrong = 0;");
  for (std::size_t i = 0; i < k_.results.size(); ++i) {
    const KernelArgument& a = *find(k_, k_.results[i]);
    if (is_rearranged(a))
      s += for_elements(
          a, [](const std::string& rows, const std::string& at) { return rows + " = " + at + ";"; });
    line(s, "{");
    line(s,
         fmt::format("const double error = {}({}, {}_expected, n_{});", helper("difference_", a), var(a.name),
                     r_.results.at(i), a.name),
         2);
    line(s,
         fmt::format("printf(\"{}: {} differs by %.1e of its largest value\\n\", error);", k_.name, a.name),
         2);
    line(s, fmt::format("if (!(error <= {})) wrong = 1;", tolerance(a)), 2);
    line(s, "}");
  }
  return s + "\n";
}

std::string Caller::timing() const {
  std::string s;
  line(s, "double best = 1e30;");
  line(s, "for (int run = 0; run < 10; ++run) {");
  line(s, "const double start = seconds();", 2);
  s += run(2);
  line(s, "const double ms = 1e3 * (seconds() - start);", 2);
  line(s, "if (ms < best) best = ms;", 2);
  line(s, "}");
  line(s, fmt::format("printf(\"{}: %.4f ms, %s\\n\", best, wrong ? \"WRONG\" : \"correct\");", k_.name));
  for (const KernelArgument& a : k_.arguments) {
    if (!a.type.is_array()) continue;
    line(s, "free(" + var(a.name) + ");");
    if (is_rearranged(a)) line(s, "free(" + stored(a) + ");");
  }
  for (const KernelArgument& a : r_.arguments)
    if (a.type.is_array() && a.written) line(s, "free(" + a.name + "_expected);");
  s += release();
  line(s, "return wrong;");
  return s;
}

std::string emit_c_caller(const Kernel& kernel, const Kernel& reference,
                          const std::map<std::string, std::int64_t>& sizes) {
  return Caller(kernel, reference, sizes).text();
}

}  // namespace lift
