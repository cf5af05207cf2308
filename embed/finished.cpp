#include "embed/finished.hpp"

#include <fmt/format.h>

#include "embed/compiler.hpp"
#include "embed/known_variant.hpp"
#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "patterns/host_data.hpp"
#include "runtime/affinity.hpp"
#include "tuning/database/program_key.hpp"

namespace lift {

extern const char* const kSourceVersion;  // cmake/source_version.cmake

namespace {

constexpr const char* kSuffix = ".finished";
constexpr const char* kHead = "finished kernel 1";

std::string joined(const std::vector<std::string>& words) {
  std::string s;
  for (const std::string& w : words) s += (s.empty() ? "" : " ") + w;
  return s;
}

/// "u f64 1 1 0 64x64 -": name, elements, whether it is written, read, work; lengths; the range of an index.
std::string line_of(const KernelArgument& a) {
  std::string lengths, range;
  if (a.type.is_array())
    for (const auto n : host::lengths(a.type)) lengths += (lengths.empty() ? "" : "x") + std::to_string(n);
  for (const Nat& n : a.range) range += (range.empty() ? "" : ":") + std::to_string(n.constant().value());
  return fmt::format("{} {} {:d} {:d} {:d} {} {}\n", a.name,
                     text((a.type.is_array() ? element_of(a.type) : a.type).scalar()), a.written, a.read,
                     a.work, lengths.empty() ? "-" : lengths, range.empty() ? "-" : range);
}

/// "3x4"; nothing for "-" and for what is none.
std::vector<Nat> numbers_in(std::string_view s, char between) {
  std::vector<Nat> all;
  while (!s.empty() && s != "-") {
    const std::size_t end = std::min(s.find(between), s.size());
    const auto n = read_number<std::int64_t>(s.substr(0, end));
    if (!n) throw UserError("no number");
    all.emplace_back(*n);
    s.remove_prefix(std::min(end + 1, s.size()));
  }
  return all;
}

KernelArgument argument_of(const std::string& line) {
  const std::vector<std::string> w = words_of(line);
  if (w.size() != 7) throw UserError("no argument");
  KernelArgument a;
  a.name = w[0], a.written = w[2] == "1", a.read = w[3] == "1", a.work = w[4] == "1";
  const auto* s = std::find_if(std::begin(kScalarTypes), std::end(kScalarTypes),
                               [&](Scalar x) { return text(x) == w[1]; });
  if (s == std::end(kScalarTypes)) throw UserError("no type");
  const std::vector<Nat> lengths = numbers_in(w[5], 'x');
  a.type = lengths.empty() ? Type(*s) : array(lengths, *s);
  a.range = numbers_in(w[6], ':');
  return a;
}

/// The lines of an entry, and the texts of so many bytes after them.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}
  std::string line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string::npos) throw UserError("no line");
    const std::string s = text_.substr(at_, end - at_);
    at_ = end + 1;
    return s;
  }
  std::size_t number() {
    const auto n = read_number<std::size_t>(line());
    if (!n) throw UserError("no number");
    return *n;
  }
  std::string block() {
    const std::size_t n = number();
    if (n > text_.size() - at_) throw UserError("no text");
    at_ += n;
    return text_.substr(at_ - n, n);
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

std::string block(const std::string& text) { return std::to_string(text.size()) + "\n" + text; }

/// What of the machine decides about kernels.
const std::string& machine_text() {
  static const auto& text = *new std::string([] {  // stays: a thread may still ask for it
    const Machine& m = this_machine();
    std::string s = fmt::format("{}\n{} {} {} {} {} {}\n{}\n", m.device, m.threads, m.cores, m.memories,
                                m.simd, m.vector_bytes, default_threads(), m.compiler);
    for (const CacheLevel& c : m.caches)
      s += fmt::format("{} {} {} {}\n", c.level, c.bytes, c.shared_by, c.count);
    return s;
  }());
  return text;
}

}  // namespace

std::string finished_key(const Program& program, const CompileOptions& options) {
  std::string names = program.name;
  for (const Expr& a : program.arguments) names += " " + param_name(a);
  std::string text = std::string(kHead) + "\n" + kSourceVersion + "\n" + machine_text() + names + "\n" +
                     joined(program.results) + "\n" + joined(program.state) + "\n";
  if (options.derivation) text += fmt::format("by {:d}\n", options.or_default) + str(*options.derivation);
  if (options.tuned) text += "tuned " + database_state(options.database);
  return hash_text(text + "\n" + canonical_text(program));
}

bool find_finished(const std::string& key, Callable::Variant& v) {
  try {
    const std::optional<std::string> entry = shared_vault().find(key, kSuffix);
    if (!entry) return false;
    Reader in(*entry);
    if (in.line() != kHead) return false;
    Kernel kernel;
    kernel.name = in.line(), kernel.target = Target::openmp;
    if (in.line() == "allocates") kernel.scratch = 1;
    for (std::size_t n = in.number(); n > 0; --n) kernel.arguments.push_back(argument_of(in.line()));
    kernel.results = words_of(in.line());
    const std::string origin = in.line();
    Derivation derivation = parse_derivation(in.block());
    v.source = in.block();
    v.kernel = std::move(kernel), v.derivation = std::move(derivation), v.origin = origin;
    return true;
  } catch (const UserError&) {  // a vault that cannot be read, or an entry that is none
    return false;
  }
}

void keep_finished(const std::string& key, const Callable::Variant& v) {
  const Kernel& k = v.kernel;
  if (!k.sizes.empty() || v.origin.find('\n') != std::string::npos) return;
  std::string text = std::string(kHead) + "\n" + k.name + "\n" + (needs_scratch(k) ? "allocates\n" : "-\n") +
                     std::to_string(k.arguments.size()) + "\n";
  for (const KernelArgument& a : k.arguments) text += line_of(a);
  text += joined(k.results) + "\n" + v.origin + "\n" + block(str(v.derivation)) + block(v.source);
  try {
    shared_vault().keep(key, kSuffix, text);
  } catch (const UserError&) {  // a full disk, say: it is made again
  }
}

}  // namespace lift
