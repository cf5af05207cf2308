// C11 with OpenMP and the vector extensions that gcc and clang share.
#include <optional>

#include "emit/c_like.hpp"
#include "emit/c_math.hpp"
#include "emit/hidden_functions.hpp"
#include "emit/stand_alone.hpp"
#include "emit/vector_types.hpp"
#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "lower/loops/visit.hpp"

namespace lift {
namespace {

class OpenMP : public CLike {
 public:
  using CLike::CLike;

  std::string text() {
    const std::string body = function("");
    std::string r = header_comment(
        k_, "cc -O3 -march=native -fopenmp -ffp-contract=fast -fno-math-errno -c " + k_.name + ".c");
    if (helpers_.count("assert")) r += "#include <assert.h>\n";
    if (uses_math() || !k_.user_functions.empty()) r += "#include <math.h>\n";
    if (vectors_.has_intrinsics() || math_.has_intrinsics())
      r += "#ifdef __SSE2__\n#include <immintrin.h>\n#endif\n";
    r += "\n" + helper_functions() +
         "#ifdef __cplusplus\n#define restrict __restrict__\nextern \"C\"\n#endif\n";
    return r + body;
  }
  /// Without comment and includes, for a file that has them.
  std::string static_text() {
    const std::string body = function("static ");
    return helper_functions() + body;
  }

 protected:
  std::string vector_type(Scalar s, int width) override { return vectors_.type(s, width); }
  std::string vector_literal(Scalar s, int width, const std::vector<std::string>& lanes) override {
    // commas in braces would part a macro's arguments
    return "((" + vector_type(s, width) + "){" + joined(lanes) + "})";
  }
  std::string load(const std::string& array, const std::string& index, Scalar s, int width) override {
    const std::string element = array + "[" + index + "]";
    return width == 1 ? element : vectors_.load(s, width) + "(&" + element + ")";
  }
  std::string store(const Store& st, const std::string& index, const std::string& value) override {
    const std::string element = st.array + "[" + index + "]";
    const Scalar s = st.value->type;
    const int w = st.value->width;
    if (w == 1) return element + " = " + value + ";";
    return (st.stream ? vectors_.stream(s, w) : vectors_.store(s, w)) + "(&" + element + ", " + value + ");";
  }
  std::string blend(Scalar s, int width, const std::string& mask, const std::string& a,
                    const std::string& b) override {
    if (s == boolean) return "(((" + mask + ") & (" + a + ")) | (~(" + mask + ") & (" + b + ")))";
    return vectors_.select(s, width) + "(" + mask + ", " + a + ", " + b + ")";
  }
  std::string convert(Scalar from, Scalar to, int width, const std::string& x) override {
    if (from == f32 && to == f64 && chooses_lanes()) return vectors_.widen(width) + "(" + x + ")";
    if (size_of(from) == 2 && size_of(to) == 2) return "((" + vector_type(to, width) + ")" + x + ")";
    if (from == u8 && size_of(to) == 2) {
      const std::string words = vectors_.from_bytes_to_words(width) + "(" + x + ")";
      return to == u16 ? words : "((" + vector_type(to, width) + ")" + words + ")";
    }
    if (to == u8 && size_of(from) == 2)
      return vectors_.to_bytes_from_words(width) + "(" +
             (from == u16 ? x : "(" + vector_type(u16, width) + ")" + x) + ")";
    if (from == u8 && to == i32) return vectors_.from_bytes(width) + "(" + x + ")";
    if (to == u8 && from == i32) return vectors_.to_bytes(width) + "(" + x + ")";
    return "__builtin_convertvector(" + x + ", " + vector_type(to, width) + ")";
  }
  std::string splat(Scalar s, int width, const std::string& x) override {
    if (s == boolean) {  // compilers do not make an int a lane of fewer bytes by themselves
      const std::size_t bytes = size_of(vectors_.mask_lane(width));
      const std::string narrow = bytes == 1 ? "(signed char)" : bytes == 2 ? "(short)" : "";
      return "((" + vector_type(s, width) + "){0} - " + narrow + "(" + x + "))";
    }
    return vectors_.splat(s, width) + "(" + x + ")";
  }
  std::string shuffle(const Term& t) override {
    if (t->width == 1) return term(t->args[0]).in(9) + "[" + std::to_string(t->lanes[0]) + "]";
    const std::string function = vectors_.shuffle(t);
    std::vector<std::string> args;
    for (const Term& a : t->args) args.push_back(term(a).s);
    return function + "(" + joined(args) + ")";
  }
  std::string mask(Scalar s, int width, const std::string& comparison) override {
    const std::string t = vector_type(boolean, width);
    return size_of(s) == size_of(vectors_.mask_lane(width))
               ? "(" + t + ")(" + comparison + ")"
               : "__builtin_convertvector(" + comparison + ", " + t + ")";
  }
  std::string math(Op op, Scalar s, int width, const std::vector<std::string>& args) override {
    if (!is_float(s) && (op == Op::Div || op == Op::Mod))
      helpers_.insert(floor_function(std::string(lift::text(op)), s));
    if (width > 1) vector_type(s, width);
    return math_.function(op, s, width) + "(" + joined(args) + ")";
  }
  /// By a number that stands there compilers divide whole vectors.
  std::optional<std::string> remainder(const std::string& a, std::int64_t m, int width) override {
    return vectors_.remainder(width) + "(" + a + ", " + std::to_string(m) + ")";
  }
  std::optional<std::string> quotient(const std::string& a, std::int64_t m, int width) override {
    return vectors_.quotient(width) + "(" + a + ", " + std::to_string(m) + ")";
  }
  void prefetch(const Prefetch& p) override {
    line("__builtin_prefetch(&" + p.array + "[" + nat(p.position.at(0)).s + "]);");
  }
  void barrier(const Barrier&) override {
    out_ += "#ifdef _OPENMP\n";
    line("#pragma omp barrier");
    out_ += "#endif\n";
  }
  void fence() override { line(*helpers_.insert("store_fence").first + "();"); }
  void statement(const Stmt& s) override {
    const auto* a = std::get_if<Allocate>(&s.v);
    if (!a || a->space != AddressSpace::Scratch) return CLike::statement(s);
    const std::string type = element_type(element_of(a->type).scalar()), offset = nat(a->offset).s;
    if (!shared_)  // once, or by each thread
      return line(type + " *const restrict " + a->name + " = (" + type + " *)(own_scratch(" + scratch_ +
                  ", " + scratch_ + "_bytes) + " + offset + ");");
    if (!own_named_)
      line("char *const own = own_scratch(" + scratch_ + ", " + scratch_ + "_bytes);"), own_named_ = true;
    line(type + " *const restrict " + a->name + " = (" + type + " *)" +
         (offset == "0" ? "own;" : "(own + " + offset + ");"));
  }
  /// As aligned as the caller's arrays, which streaming stores count on.
  std::string own_array(const Allocate& a, Scalar s, const std::string& size) override {
    return element_type(s) + " " + a.name + "[" + size + "] __attribute__((aligned(64)));";
  }
  std::string user_call(const Term& t, const std::vector<std::string>& args) override {
    if (t->width == 1) return t->name + "(" + joined(args) + ")";
    vector_type(t->type, t->width);
    for (const Term& a : t->args) vector_type(a->type, t->width);
    user_vectors_.insert({t->name, t->width});
    return t->name + "_x" + std::to_string(t->width) + "(" + joined(args) + ")";
  }

  void loop(const For& f) override {
    if (f.kind >= LoopKind::Glb)
      throw InternalError(std::string("emit: map_") + lift::text(f.kind) + " in an OpenMP kernel");
    if (f.kind == LoopKind::Par) return parallel(f);
    if (f.team) return team(f);
    if (f.doacross) return doacross(f);
    if (f.waits && !tile_.empty()) return steps_of_tile(f);
    plain_loop(f, f.unroll == 0 ? "" : "#pragma GCC unroll " + std::to_string(f.unroll));
  }

 private:
  void parallel(const For& f) {
    own_named_ = false;
    out_ += "#ifdef _OPENMP\n";
    line(std::string("#pragma omp ") + (in_team_ ? "for " : "parallel for ") +
         (f.collapse > 1 ? "collapse(" + std::to_string(f.collapse) + ") " : std::string()) +
         (f.dynamic > 0 ? "schedule(dynamic, " + std::to_string(f.dynamic) + ")" : "schedule(static)") +
         (in_team_ ? " nowait" : ""));
    out_ += "#endif\n";
    shared_ = true;
    plain_loop(f);
    shared_ = false;
  }
  /// Each thread goes through it, and takes its share of the loops within.
  void team(const For& f) {
    out_ += "#ifdef _OPENMP\n";
    line("#pragma omp parallel");
    out_ += "#endif\n";
    in_team_ = true;
    plain_loop(f);
    in_team_ = false;
  }

  /// Thread t of n takes iterations t, t + n, ...; see turn_helpers.
  void doacross(const For& f) {
    helpers_.insert("turns");
    const std::string lower = nat(f.lower).s, upper = nat(f.upper).in(5);
    open_scope();
    turns_ = own_name("turns");
    const std::string v = declare(f.var);
    line("turn " + turns_ + "[most_turns];");
    line("first_turns(" + turns_ + ", " + lower + ");");
    out_ += "#ifdef _OPENMP\n";
    line("#pragma omp parallel num_threads(threads_in_turns())");
    out_ += "#endif\n";
    line("for (" + index_type_ + " " + v + " = " + lower + " + own_turn(); " + v + " < " + upper + "; " + v +
         " += turns_of_all()) {");
    ++indent_;
    tile_ = v;
    own_named_ = false, shared_ = true;
    block(f.body);
    shared_ = false;
    tile_.clear();
    line("end_turn(" + turns_ + ", " + v + ", last_step);");
    --indent_;
    line("}");
    close_scope();
  }
  void steps_of_tile(const For& f) {
    const std::string lower = nat(f.lower).s, upper = nat(f.upper).in(5);
    open_scope();
    const std::string v = declare(f.var), arguments = "(" + turns_ + ", " + tile_ + ", " + v + ");";
    line("for (" + index_type_ + " " + v + " = " + lower + "; " + v + " < " + upper + "; " +
         (f.step == Nat(1) ? "++" + v : v + " += " + nat(f.step).s) + ") {");
    ++indent_;
    line("await_turn" + arguments);
    block(f.body);
    line("end_turn" + arguments);
    --indent_;
    line("}");
    close_scope();
  }

  /// The kernel itself; what it refers to is known afterwards.
  std::string function(const std::string& qualifier) {
    const bool allocates = needs_scratch(k_);
    if (qualifier.empty())
      for (const std::string& c : contract_of(k_, [&](const NatAtom& a) { return name(a); }))
        line(*helpers_.insert("assert").first + "(" + c + ");");
    if (allocates) {
      scratch_ = own_name("scratch");
      line("const long " + scratch_ + "_bytes = " + nat(k_.scratch).s + ";  /* of each thread */");
      line("char *const " + scratch_ + " = new_scratch(" + scratch_ + "_bytes);");
      line("if (!" + scratch_ + ") return 1;");
    }
    for (const Stmt& s : k_.body) statement(s);
    if (allocates) line("free_scratch(" + scratch_ + ");"), line("return 0;");
    std::string unused;
    const auto use = [&](const std::string& n) {
      if (!mentioned_.count(n)) unused += "  (void)" + n + ";\n";
    };
    for (const std::string& n : k_.sizes) use(n);
    for (const KernelArgument& a : k_.arguments) use(a.name);
    const std::string list = parameters("", qualifier.empty() ? "restrict " : "");
    return wrapped(qualifier + (allocates ? "int " : "void ") + k_.name + "(" +
                       (list.empty() ? "void" : list) + ") {",
                   0) +
           "\n" + unused + out_ + "}\n";
  }
  bool uses_math() const {
    return math_.calls_library() || helpers_.count("INFINITY") > 0 || helpers_.count("NAN") > 0;
  }
  std::string helper_functions() const {
    std::string own;
    if (vectors_.passes() || math_.passes_vectors() || !user_vectors_.empty())
      own +=
          "#pragma GCC diagnostic ignored \"-Wpsabi\"  /* vectors wider than the machine's are passed to "
          "inline functions only */\n";
    own += vectors_.definitions() + math_.definitions();
    if (helpers_.count("store_fence"))
      own += "static inline void store_fence(void) {\n#ifdef __SSE2__\n  _mm_sfence();\n#endif\n}\n";
    const std::string s = scratch_helpers() + turn_helpers() + index_helpers(helpers_, "static inline ") +
                          (own.empty() ? own : own + "\n") + user_functions("static inline ") +
                          vector_user_functions();
    return s.empty() || s.ends_with("\n\n") ? s : s + "\n";
  }

  std::string scratch_helpers() const {
    if (scratch_.empty()) return "";
    return R"(#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif
/* Memory that each thread has to itself, so many bytes of it; NULL where there is not enough. */
static inline char *new_scratch(long bytes) {
  long threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  return (char *)malloc((size_t)bytes * (size_t)threads + 63);
}
/* That of this thread. */
static inline char *own_scratch(char *scratch, long bytes) {
  long thread = 0;
#ifdef _OPENMP
  thread = omp_get_thread_num();
#endif
  return scratch + (64 - (uintptr_t)scratch % 64) % 64 + bytes * thread;
}
static inline void free_scratch(char *scratch) { free(scratch); }
)";
  }

  /// How far a thread has come is one number that only grows: the tile, and the step within it. The thread
  /// of a tile waits for that of the tile before, which is the thread before it.
  std::string turn_helpers() const {
    if (helpers_.count("turns") == 0) return "";
    return R"(#ifdef _OPENMP
#include <omp.h>
#include <sched.h>
#endif
/* How far each thread has come in tiles that threads take in turns: tile and step in one number that grows. */
typedef struct {
  long long done;
  char apart[120];  /* each in lines of its own */
} turn;
enum { most_turns = 256, last_step = 0x7fffffff };
static inline long long turn_of(long tile, long step) { return (long long)tile * 0x100000000LL + step; }
#ifdef _OPENMP
static inline int threads_in_turns(void) {
  return omp_get_max_threads() < most_turns ? omp_get_max_threads() : most_turns;
}
static inline int own_turn(void) { return omp_get_thread_num(); }
static inline int turns_of_all(void) { return omp_get_num_threads(); }
#else
static inline int own_turn(void) { return 0; }
static inline int turns_of_all(void) { return 1; }
#endif
static inline void first_turns(turn *turns, long first) {
  for (int t = 0; t < most_turns; ++t) turns[t].done = turn_of(first - 1, last_step);
}
/* Returns once the thread of the tile before has done the same step. */
static inline void await_turn(const turn *turns, long tile, long step) {
#ifdef _OPENMP
  const long long *const done = &turns[(own_turn() + turns_of_all() - 1) % turns_of_all()].done;
  for (int spins = 0; __atomic_load_n(done, __ATOMIC_ACQUIRE) < turn_of(tile - 1, step); ++spins)
    if (spins > 1000) sched_yield();
#endif
  (void)turns, (void)tile, (void)step;
}
static inline void end_turn(turn *turns, long tile, long step) {
  __atomic_store_n(&turns[own_turn()].done, turn_of(tile, step), __ATOMIC_RELEASE);
}
)";
  }

  std::string vector_user_functions() const {
    std::string s;
    for (const Attr& f : k_.user_functions)
      for (const auto& [name, width] : user_vectors_) {
        if (name != user_name(f)) continue;
        std::vector<std::string> params, lanes;
        for (std::size_t i = 0; i < user_types(f).size(); ++i)
          params.push_back(VectorTypes::name(user_types(f)[i].scalar(), width) + " " + user_parameters(f)[i]),
              lanes.push_back(user_parameters(f)[i] +
                              (user_types(f)[i].scalar() == boolean ? "[lane] != 0" : "[lane]"));
        const std::string vector = VectorTypes::name(user_result(f).scalar(), width),
                          sign = user_result(f).scalar() == boolean ? "-" : "";
        s += "static inline " + vector + " " + name + "_x" + std::to_string(width) + "(" + joined(params) +
             ") {\n  " + vector + " result;\n  for (int lane = 0; lane < " + std::to_string(width) +
             "; ++lane) result[lane] = " + sign + name + "(" + joined(lanes) + ");\n  return result;\n}\n";
      }
    return s;
  }

  /// Whether bits of vectors of f64 are chosen by masks.
  bool chooses_lanes() {
    if (!chooses_lanes_) {
      chooses_lanes_ = false;
      visit_terms(k_.body, [&](const Term& t) {
        if (t->width > 1 && t->type == f64 && (t->op == Op::Min || t->op == Op::Max || t->op == Op::Select))
          chooses_lanes_ = true;
      });
    }
    return *chooses_lanes_;
  }

  std::optional<bool> chooses_lanes_;
  VectorTypes vectors_{real_, narrow_masks(k_.body)};
  MathFunctions math_;
  std::set<std::pair<std::string, int>> user_vectors_;  ///< functions of users that take vectors: name, lanes
  std::string scratch_;       ///< the variable that holds what the threads have to themselves
  std::string turns_, tile_;  ///< variables: what threads know of one another, the tile that one is at
  bool in_team_ = false;      ///< all threads are here
  bool shared_ = false;       ///< within a loop that threads share
  bool own_named_ = false;    ///< in the shared loop that is being spelled, the thread's part has a name
};

}  // namespace

std::string emit_openmp(const Kernel& kernel) {
  check_target(kernel, Target::openmp);
  const Kernel k = without_hidden_functions(kernel);
  return OpenMP(k).text();
}
std::string emit_static(const Kernel& kernel) {
  check_target(kernel, Target::openmp);
  const Kernel k = without_hidden_functions(kernel);
  return OpenMP(k).static_text();
}

std::string emit_trampoline(const Kernel& kernel, const std::string& function) {
  std::vector<std::string> values;
  const auto slot = [&] { return "args[" + std::to_string(values.size()) + "]"; };
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) values.push_back("*(long *)" + slot());
  for (const KernelArgument& a : kernel.arguments)
    values.push_back(a.type.is_array() ? "(void *)" + slot()
                                       : "*(" + c_type(a.type.scalar()) + " *)" + slot());
  std::string call;
  for (const std::string& v : values) call += (call.empty() ? "" : ", ") + v;
  const std::string called = function + "(" + call + ");";
  const bool reports = function == kernel.name && needs_scratch(kernel);
  return "\nint liftgen_call(void **args) { " + (reports ? "return " + called : called + " return 0;") +
         " }\n";
}

}  // namespace lift
