#include "gmg/emit_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "emit/emit.hpp"
#include "ir/ascii.hpp"
#include "ir/error.hpp"
#include "ir/number_text.hpp"
#include "patterns/host_data.hpp"

namespace lift::gmg {

extern const char* const text_of_emitted_solver_h;
extern const char* const text_of_emitted_solver_c;
extern const char* const text_of_emitted_main_c;

namespace {

using Role = KernelRole::Role;

/// Every `token` becomes `by`.
std::string replaced(std::string text, const std::string& token, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += by.size())
    text.replace(at, token.size(), by);
  return text;
}

template <class T, class F>
std::string braced(const T& all, const F& f) {
  std::string s;
  for (const auto& x : all) s += (s.empty() ? "" : ", ") + f(x);
  return "{" + s + "}";
}
std::string number(double x) { return exact_text(x); }
std::string whole(std::int64_t x) { return std::to_string(x); }
std::string quoted(const std::string& s) { return "\"" + s + "\""; }

std::int64_t product(const std::vector<std::int64_t>& lengths) {
  std::int64_t n = 1;
  for (const auto length : lengths) n *= length;
  return n;
}

std::string face_name(const Domain& domain, std::size_t side) {
  return domain.name_of(side / 2) + (side % 2 == 0 ? "_low" : "_high");
}

/// Kernels, each once, in files of their own.
class Kernels {
 public:
  explicit Kernels(std::string name) : name_(std::move(name)) {}

  /// The function that calls it with the addresses of its arguments.
  std::string function(const Kernel& kernel) {
    const lift::Kernel& k = kernel.lowered();
    const std::string text = kernel.source() + emit_trampoline(k, k.name);
    auto it = numbers_.find(text);
    if (it == numbers_.end()) {
      it = numbers_.emplace(text, numbers_.size()).first;
      const std::string function = name_ + "_kernel_" + std::to_string(it->second);
      files_[fmt::format("{}_kernel_{}.c", name_, it->second)] = "#define " + k.name + " " + function +
                                                                 "_of_" + k.name + "\n#define liftgen_call " +
                                                                 function + "\n" + text;
      prototypes_ += "int " + function + "(void **arguments);\n";
    }
    return name_ + "_kernel_" + std::to_string(it->second);
  }
  const std::map<std::string, std::string>& files() const { return files_; }
  const std::string& prototypes() const { return prototypes_; }

 private:
  std::string name_, prototypes_;
  std::map<std::string, std::size_t> numbers_;  ///< by text
  std::map<std::string, std::string> files_;
};

class SolverText {
 public:
  SolverText(Solver& solver, const std::string& name)
      : solver_(solver),
        h_(solver.hierarchy()),
        domain_(solver.equation().domain()),
        kernels_(name),
        name_(name) {
    for (const auto& [number, value] : h_.level(0).grid().numbers()) numbers_.push_back(number);
    for (const char* more : {"weight", "first", "second"}) numbers_.emplace_back(more);
  }

  std::map<std::string, std::string> files() {
    const std::string calls = this->calls();  // first: it finds kernels and their memory
    const std::string head = "/* " + name_ + ".h says what this is. Written by liftgen. */\n#include \"" +
                             name_ +
                             ".h\"\n\n#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\n";
    std::map<std::string, std::string> all = kernels_.files();
    all[name_ + ".c"] =
        head + tables() + "\n" + kernels_.prototypes() + "\n" +
        replaced(replaced(text_of_emitted_solver_c, "GENERATED_CALLS\n", calls), "SOLVER", name_);
    all[name_ + ".h"] = header();
    return all;
  }

 private:
  const std::vector<Coefficient>& coefficients() const { return solver_.equation().coefficients(); }

  // ---- calls

  /// The address of an argument, which lies on `level` unless `others` say where.
  std::string address(const std::string& argument, std::size_t level,
                      const std::map<std::string, std::string>& others) const {
    if (const auto it = others.find(argument); it != others.end()) return it->second;
    const std::string at = fmt::format("s->level[{}].", level);
    if (argument == "u" || argument == "f" || argument == "lambda" || argument == "previous")
      return at + argument;
    for (std::size_t c = 0; c < coefficients().size(); ++c)
      if (coefficients()[c].name == argument) return fmt::format("{}c[{}]", at, c);
    for (std::size_t n = 0; n < numbers_.size(); ++n)
      if (numbers_[n] == argument) return fmt::format("&{}x[{}]", at, n);
    if (argument.starts_with("color")) return "&s->color[" + argument.substr(5) + "]";
    throw InternalError("gmg: no memory for the argument '" + argument + "' of an emitted kernel");
  }

  /// A statement that calls a kernel: what it computes goes to `result`, where it is no update of `updated`.
  std::string call(LaterKernel& later, std::size_t level, const std::string& result,
                   const std::map<std::string, std::string>& others = {}, const std::string& updated = "") {
    const Kernel& kernel = later.get();
    const Program program = later.program();
    const lift::Kernel& k = kernel.lowered();
    std::string list;
    std::size_t work = 0;
    const std::size_t given = program.arguments.size();
    for (std::size_t i = 0; i < k.arguments.size(); ++i) {
      const KernelArgument& a = k.arguments[i];
      std::string memory;
      if (i < given) {
        memory = address(param_name(program.arguments[i]), level, others);
      } else if (a.work) {
        const std::int64_t doubles =
            (host::count(a.type) * static_cast<std::int64_t>(size_of(element_of(a.type).scalar())) + 7) / 8;
        if (work_.size() <= work) work_.resize(work + 1, 0);
        work_[work] = std::max(work_[work], doubles);
        memory = fmt::format("s->scratch[{}]", work++);
      } else {
        memory = updated.empty() ? result : "s->beside";
      }
      list += (list.empty() ? "" : ", ") + std::string("(void *)") + memory;
    }
    std::string text =
        fmt::format("void *a[] = {{{}}};\n      s->failed |= {}(a);\n", list, kernels_.function(kernel));
    if (!updated.empty() && k.results.at(0) != k.arguments.at(index_of(program, updated)).name) {
      beside_ = true;
      const std::string to = address(updated, level, others);
      text += fmt::format("      memcpy({}, s->beside, (size_t)count({}) * sizeof(double));\n", to, level);
    }
    return text;
  }
  static std::size_t index_of(const Program& program, const std::string& argument) {
    for (std::size_t i = 0; i < program.arguments.size(); ++i)
      if (param_name(program.arguments[i]) == argument) return i;
    throw InternalError("gmg: " + program.name + " has no argument '" + argument + "'");
  }

  std::string of_role(const KernelRole& r) {
    const std::size_t l = r.level;
    const std::string next = fmt::format("s->level[{}].", l + 1);
    switch (r.role) {
      case Role::diagonal:
        return call(*r.kernel, l, fmt::format("s->level[{}].lambda", l));
      case Role::down:
        return call(*r.kernel, l, next + "f");
      case Role::up:  // numbers are the coarse level's: those of Robin conditions at its spacing
        return call(*r.kernel, l + 1, "", {{"coarse", next + "u"}, {"u", fmt::format("s->level[{}].u", l)}},
                    "u");
      case Role::restrict_f:
        return call(*r.kernel, l, next + "f", {{"fine", fmt::format("s->level[{}].f", l)}});
      case Role::apply:
        return call(*r.kernel, l, "to");
      case Role::norm:
        return call(*r.kernel, l, "&s->sum");
      case Role::coefficient: {
        const auto c = static_cast<std::size_t>(
            std::find_if(coefficients().begin(), coefficients().end(),
                         [&](const Coefficient& x) { return x.name == r.coefficient; }) -
            coefficients().begin());
        return call(*r.kernel, l, fmt::format("{}c[{}]", next, c));
      }
      default:
        return "";
    }
  }

  /// void NAME(SOLVER *s, int l), level by level; `more`: another argument.
  std::string by_level(const std::string& name, const std::vector<KernelRole>& all, Role role,
                       const std::string& more = "") {
    std::map<std::size_t, std::string> cases;
    for (const KernelRole& r : all)
      if (r.role == role) cases[r.level] += "    {\n      " + of_role(r) + "    }\n";
    std::string s = "static void " + name + "(SOLVER *s, int l" + more + ") {\n  switch (l) {\n";
    for (const auto& [level, text] : cases) s += fmt::format("    case {}:\n", level) + text + "    break;\n";
    return s + "    default:\n      (void)s;\n  }\n}\n";
  }

  std::string smoothing(const KernelRole& r) {
    const std::size_t l = r.level;
    if (r.role == Role::sweeps)
      return fmt::format("if (n == {}) {{\n      ", r.sweeps) + call(*r.kernel, l, "", {}, "u") + "    }\n";
    if (r.role == Role::sweep) {
      const Colours& colours = *h_.level(l).colours();
      std::string s = "for (int t = 0; t < n; ++t) {\n";
      for (std::size_t c = 0; c < colours.count(); ++c) {
        const auto numbers = colours.numbers(c);
        s += "      {\n      ";
        for (std::size_t row = 0; row < numbers.size(); ++row)
          s += fmt::format("s->color[{}] = {}; ", row, numbers[row]);
        s += call(*r.kernel, l, "", {}, "u") + "      }\n";
      }
      rows_ = std::max(rows_, colours.rows.size());
      return s + "    }\n";
    }
    previous_ = true;  // weighted Jacobi: new values are written over those before the last ones
    const std::string at = fmt::format("s->level[{}].", l);
    return "for (int t = 0; t < n; ++t) {\n      " + call(*r.kernel, l, "", {}, "previous") +
           fmt::format("      double *const x = {0}u;\n      {0}u = {0}previous, {0}previous = x;\n    }}\n",
                       at);
  }

  std::string calls() {
    const std::vector<KernelRole> all = h_.roles();
    std::string s = "static long count(int l);\n";
    s += by_level("diagonal", all, Role::diagonal) + by_level("coefficients", all, Role::coefficient) +
         by_level("down", all, Role::down) + by_level("up", all, Role::up) +
         by_level("restrict_f", all, Role::restrict_f) + by_level("apply", all, Role::apply, ", double *to");
    for (const KernelRole& r : all)
      if (r.role == Role::norm) s += "static void norm(SOLVER *s) {\n      " + of_role(r) + "}\n";
    std::map<std::size_t, std::string> cases;
    for (const KernelRole& r : all)
      if (r.role == Role::sweep || r.role == Role::sweeps || r.role == Role::polynomial)
        cases[r.level] += smoothing(r);
    s += "static void smooth(SOLVER *s, int l, int n) {\n  switch (l) {\n";
    for (const auto& [level, text] : cases)
      s += fmt::format("    case {}:\n    ", level) + text + "    break;\n";
    s += "    default:\n      (void)s, (void)n;\n  }\n}\n";
    LaterKernel around([this] { return boundary_program(h_.level(0).grid()); });
    return s + "static void boundary(SOLVER *s, double *around) {\n      " +
           call(around, 0, "s->shift", {{"around", "around"}}) + "}\n";
  }

  // ---- tables

  std::string steps(const CycleSteps& steps) const {
    return braced(steps, [](const CycleStep& step) {
      const int leg = step.leg == Leg::down         ? 0
                      : step.leg == Leg::bottom     ? 1
                      : step.leg == Leg::up         ? 2
                      : step.leg == Leg::restrict_f ? 3
                                                    : 4;
      return fmt::format("{{{}, {}}}", leg, step.level);
    });
  }

  std::string tables() const {
    const Plan& plan = solver_.plan();
    const std::size_t levels = h_.size();
    std::vector<std::size_t> all(levels), sides(2 * domain_.dimensions());
    for (std::size_t l = 0; l < levels; ++l) all[l] = l;
    for (std::size_t side = 0; side < sides.size(); ++side) sides[side] = side;
    std::string s = fmt::format(
        "enum {{ RANK = {}, LEVELS = {}, COEFFICIENTS = {}, NUMBERS = {}, WORK = {}, COLOR_ROWS = {}, RADIUS "
        "= {},\n"
        "       SWEEPS_DOWN = {}, SWEEPS_UP = {}, BOTTOM_SWEEPS = {}, DENSE = {:d}, SINGULAR = {:d}, "
        "FULL_START = {:d},\n"
        "       HAS_PREVIOUS = {:d}, HAS_BESIDE = {:d}, BEST_STEPS = {} }};  /* 2: as coefficients are */\n",
        domain_.dimensions(), levels, coefficients().size(), numbers_.size(), work_.size(), rows_,
        solver_.equation().radius(), plan.down, plan.up, plan.bottom_sweeps, h_.bottom() == Bottom::dense,
        h_.singular(), plan.full_start, previous_, beside_,
        !takes_steps(plan, h_.size(), coefficients().size()) ? 0
        : plan.corrections == Corrections::least_energy      ? 1
                                                             : 2);
    s += "static const long cells[LEVELS][RANK] = " +
         braced(all, [&](std::size_t l) { return braced(h_.level(l).grid().domain().cells(), whole); }) +
         ";\n";
    s += "static const long coefficient_elements[LEVELS][COEFFICIENTS + 1] = " +
         braced(all,
                [&](std::size_t l) {
                  std::vector<std::int64_t> n;
                  for (const Coefficient& c : coefficients())
                    n.push_back(product(h_.level(l).grid().shape_of(c)));
                  n.push_back(0);
                  return braced(n, whole);
                }) +
         ";\n";
    std::vector<std::string> names;
    for (const Coefficient& c : coefficients()) names.push_back(c.name);
    names.emplace_back("");
    s += "static const char *const coefficient_names[COEFFICIENTS + 1] = " + braced(names, quoted) + ";\n";
    std::vector<std::int64_t> work = work_;
    work.push_back(0);
    s += "static const long work_elements[WORK + 1] = " + braced(work, whole) + ";  /* doubles */\n";
    s += "/* " + braced(numbers_, [](const std::string& n) { return n; }) + " */\n";
    s +=
        "static const double numbers[LEVELS][NUMBERS] = " +
        braced(all,
               [&](std::size_t l) {
                 return braced(numbers_, [&](const std::string& n) { return number(h_.level(l).number(n)); });
               }) +
        ";\n";
    s += "/* Beyond a face: scale * (the cell within) + shift * g. */\nstatic const struct {\n  const char "
         "*name;\n"
         "  int periodic, slope;\n  double shift, scale, g;\n} faces[2 * RANK] = " +
         braced(sides,
                [&](std::size_t side) {
                  const std::size_t d = side / 2;
                  const bool high = side % 2 != 0;
                  const Condition& c = domain_.condition(d, high);
                  return fmt::format("{{{}, {:d}, {:d}, {}, {}, {}}}", quoted(face_name(domain_, side)),
                                     domain_.is_periodic(d), c.slope != 0,
                                     number(domain_.ghost_shift(d, high)),
                                     number(domain_.ghost_scale(d, high)), number(c.g));
                }) +
         ";\n";
    s += "/* Legs: 0 down, 1 the coarsest level, 2 up, 3 restriction of f, 4 interpolation; and their level. "
         "*/\n";
    s += "static const unsigned char cycle[][2] = " + steps(cycle_steps(plan, levels)) + ";\n";
    const CycleSteps start =
        plan.full_start ? full_start_steps(plan.cycle, levels) : CycleSteps{{0, Leg::bottom}};
    return s + "static const unsigned char full_start[][2] = " + steps(start) + ";\n";
  }

  std::string header() const {
    std::string shape, shapes;
    for (const auto n : domain_.cells()) shape += (shape.empty() ? "" : " x ") + std::to_string(n);
    for (const Coefficient& c : coefficients()) {
      std::string lengths;
      for (const auto n : h_.level(0).grid().shape_of(c))
        lengths += (lengths.empty() ? "" : " x ") + std::to_string(n);
      shapes += (shapes.empty() ? "" : ", ") + c.name + " (" + lengths + ")";
    }
    std::string s = text_of_emitted_solver_h;
    s = replaced(s, "COEFFICIENTS_TEXT", shapes.empty() ? "There are no coefficients." : shapes + ".");
    s = replaced(s, "SHAPE_TEXT", shape),
    s = replaced(s, "RANK_NUMBER", std::to_string(domain_.dimensions()));
    s = replaced(s, "CELLS_NUMBER", std::to_string(domain_.count()));
    s = replaced(s, "SHAPE_NUMBERS", braced(domain_.cells(), whole));
    return replaced(s, "SOLVER", name_);
  }

  Solver& solver_;
  Hierarchy& h_;
  const Domain& domain_;
  Kernels kernels_;
  std::string name_;
  std::vector<std::string> numbers_;
  std::vector<std::int64_t> work_;
  std::size_t rows_ = 0;
  bool previous_ = false, beside_ = false;
};

void check_emitted(Solver& solver, const std::string& name) {
  const auto refuse = [](const std::string& why) { throw UserError("gmg::emit_solver: " + why); };
  if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), in_word))
    refuse("'" + name + "' is no name of C functions; give a word");
  for (const CycleStep& s : cycle_steps(solver.plan(), solver.hierarchy().size()))
    if (s.leg == Leg::first) refuse("K cycles are not written as C; use V, W or F");
  if (!solver.plan().bricks.empty()) refuse("bricks are not written as C; leave them out");
  if (solver.hierarchy().is_mixed()) refuse("cycles in f32 are not written as C; leave mixed out");
  const bool last_sweeps = solver.hierarchy().bottom() == Bottom::sweeps;
  for (std::size_t l = 0; l < solver.hierarchy().size() - (last_sweeps ? 0 : 1); ++l)
    if (lines_of(solver.hierarchy().level(l).smoother()))
      refuse("lines are not written as C; use the smoother gauss-seidel or jacobi");
    else if (solver.hierarchy().level(l).smoother() == Smoother::chebyshev)
      refuse(
          "Chebyshev's iteration is not written as C; use gauss-seidel or jacobi, and an even number of "
          "cells "
          "along periodic axes");
  if (const Bottom b = solver.hierarchy().bottom(); b == Bottom::conjugate_gradients || b == Bottom::bicgstab)
    refuse(
        "conjugate gradients and BiCGStab on the coarsest level are not written as C; use the bottom solver "
        "dense or "
        "sweeps");
}

}  // namespace

std::map<std::string, std::string> emit_solver(Solver& solver, const std::string& name) {
  solver.hierarchy().refresh();
  check_emitted(solver, name);
  return SolverText(solver, name).files();
}

std::string emit_solver_main(Solver& solver, const std::string& name, double a, bool variable,
                             double tolerance) {
  const Domain& domain = solver.equation().domain();
  std::vector<std::size_t> dimensions(domain.dimensions()), sides(2 * domain.dimensions());
  for (std::size_t d = 0; d < dimensions.size(); ++d) dimensions[d] = d;
  for (std::size_t side = 0; side < sides.size(); ++side) sides[side] = side;
  double longest = 0;
  const auto length = [&](std::size_t d) {
    return static_cast<double>(domain.cells()[d]) * domain.spacing(d);
  };
  for (const std::size_t d : dimensions) longest = std::max(longest, length(d));
  std::string s = text_of_emitted_main_c;
  s = replaced(s, "MAIN_EQUATION", a == 0 ? "-div(beta grad u) = f" : "a u - div(beta grad u) = f");
  s = replaced(s, "SPACING_NUMBERS",
               braced(dimensions, [&](std::size_t d) { return number(domain.spacing(d)); }));
  s = replaced(s, "FREQUENCY_NUMBERS", braced(dimensions, [&](std::size_t d) {
                 return number(domain.is_periodic(d) ? 2 * std::numbers::pi / length(d) : 2 / longest);
               }));
  s = replaced(s, "NUMBER_A", number(a)), s = replaced(s, "IS_VARIABLE", variable ? "1" : "0");
  s = replaced(s, "TOLERANCE", number(tolerance));
  s = replaced(s, "IS_SINGULAR", solver.hierarchy().singular() ? "1" : "0");
  s = replaced(s, "CONDITION_NUMBERS", braced(sides, [&](std::size_t side) {
                 const Condition& c = domain.condition(side / 2, side % 2 != 0);
                 return "{" + quoted(face_name(domain, side)) + ", " + number(c.value) + ", " +
                        number(c.slope) + "}";
               }));
  s = replaced(s, "BETA_NAMES",
               braced(dimensions, [&](std::size_t d) { return quoted("beta_" + domain.name_of(d)); }));
  return replaced(s, "SOLVER", name);
}

}  // namespace lift::gmg
