// A level of a multigrid solver in one layout, from C++: red-black sweeps with variable coefficients,
// residual, restriction and prolongation in a loop, all arrays converted at the beginning and the solution
// back at the end, beside the plain OpenMP loops of the same operators on arrays as they are. In turns; both
// give the same numbers. usage: bench_one_layout [cells a side] [seconds to explore] [rounds of 5 sweeps and
// the other three]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <liftgen/lift.hpp>

#include "embed/default_variant.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "patterns/host_data.hpp"
#include "runtime/buffer.hpp"
#include "runtime/native.hpp"

using namespace lift;

namespace {

constexpr int kSweeps = 5;  ///< a round, of two half-sweeps each
using Of = stored_array<double, 4>;
using View = array_view<double, 4>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// One box; what is prolonged is added.
Problem level(const std::string& name, std::int64_t cells) {
  Problem p;
  p.box = cells, p.boxes = 1;
  if (name == "prolongation3d") p.choices["mode"] = "increment";
  return p;
}
Program program_of(const char* name, std::int64_t cells) {
  return find_pattern(name).build(level(name, cells));
}

/// The arrays of the level as a caller has them, with the benchmark's data.
struct Level {
  explicit Level(std::int64_t cells) : fine(cells + 2), coarse(cells / 2 + 2) {
    const Pattern& smooth = find_pattern("smooth3d");
    const Program p = smooth.build(level("smooth3d", cells));
    for (const Expr& a : p.arguments) {
      if (!a.type().is_array()) continue;
      memory.emplace(param_name(a), Buffer(static_cast<std::size_t>(fine * fine * fine) * sizeof(double)));
      smooth.fill(level("smooth3d", cells), {param_name(a), a.type(), memory.at(param_name(a)).data()});
    }
    memory.emplace("res", Buffer(static_cast<std::size_t>(fine * fine * fine) * sizeof(double)));
    memory.emplace("coarse", Buffer(static_cast<std::size_t>(coarse * coarse * coarse) * sizeof(double)));
  }
  View view(const std::string& name) {
    const std::int64_t n = name == "coarse" ? coarse : fine;
    return {static_cast<double*>(memory.at(name).data()), {std::int64_t{1}, n, n, n}};
  }
  std::int64_t fine, coarse;
  std::map<std::string, Buffer> memory;
};

/// The plain loops of an operator.
class Plain {
 public:
  Plain(const char* name, std::int64_t cells) {
    const Program p = program_of(name, cells);
    const Kernel signature = variant_by(p, {Step{"update-in-place", {}, {}}}).kernel;
    CompileResult r =
        compiler().compile({.code = "#define SIMD\n" + find_pattern(name).plain_c(level(name, cells)) +
                                    emit_trampoline(signature, "plain"),
                            .flags = default_flags()});
    if (!r.library)
      throw EnvironmentError(std::string(name) + ": the plain loops do not compile: " + r.error);
    library_ = r.library, call_ = library_->function<int(void**)>("liftgen_call");
  }
  void operator()(std::vector<void*> arguments) const { call_(arguments.data()); }

 private:
  static NativeCompiler& compiler() {
    static NativeCompiler c;
    return c;
  }
  std::shared_ptr<NativeLibrary> library_;
  int (*call_)(void**) = nullptr;
};

void plain_rounds(Level& l, std::int64_t cells, int rounds) {
  static const Plain smooth("smooth3d", cells), residual("residual3d", cells),
      restriction("restriction3d", cells), prolongation("prolongation3d", cells);
  double a = 1, b = 1;
  const auto at = [&](const char* name) { return l.memory.at(name).data(); };
  for (int r = 0; r < rounds; ++r) {
    for (int half = 0; half < 2 * kSweeps; ++half) {
      int color = half % 2;
      smooth({at("phi"), at("rhs"), at("alpha"), at("beta_i"), at("beta_j"), at("beta_k"), at("lambda"), &a,
              &b, &color});
    }
    residual(
        {at("phi"), at("rhs"), at("alpha"), at("beta_i"), at("beta_j"), at("beta_k"), at("res"), &a, &b});
    restriction({at("res"), at("coarse")});
    prolongation({at("coarse"), at("phi")});
  }
}

/// The arrays of the level in a layout.
struct StoredLevel {
  StoredLevel(const LayoutRequest& layout, Level& l) {
    for (const auto& [name, memory] : l.memory) {
      const View view = l.view(name);
      arrays.emplace(name, Of(layout, {view.shape[0], view.shape[1], view.shape[2], view.shape[3]}));
    }
  }
  std::map<std::string, Of> arrays;
};

template <class Smooth, class Residual, class Restriction, class Prolongation>
void stored_rounds(StoredLevel& s, Level& l, const Smooth& smooth, const Residual& residual,
                   const Restriction& restriction, const Prolongation& prolongation, int rounds,
                   double& converting) {
  double start = now();
  for (auto& [name, x] : s.arrays) x.assign(l.view(name));
  converting = now() - start;
  Of &phi = s.arrays.at("phi"), &rhs = s.arrays.at("rhs"), &alpha = s.arrays.at("alpha"),
     &beta_i = s.arrays.at("beta_i"), &beta_j = s.arrays.at("beta_j"), &beta_k = s.arrays.at("beta_k"),
     &lambda = s.arrays.at("lambda"), &res = s.arrays.at("res"), &coarse = s.arrays.at("coarse");
  for (int r = 0; r < rounds; ++r) {
    for (int half = 0; half < 2 * kSweeps; ++half)
      smooth(phi, rhs, alpha, beta_i, beta_j, beta_k, lambda, 1.0, 1.0, half % 2);
    residual(phi, rhs, alpha, beta_i, beta_j, beta_k, res, 1.0, 1.0);
    restriction(res, coarse);
    prolongation(coarse, phi);
  }
  start = now();
  phi.copy_to(l.view("phi"));
  converting += now() - start;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t cells = argc > 1 ? std::atoll(argv[1]) : 256;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 120;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 10;
  ExpressionOptions options;
  options.budget = std::chrono::duration<double>(seconds);
  options.more.rivals = options.more.plain = false;
  const TunedTogether tuned =
      explore_together({program_of("smooth3d", cells), program_of("residual3d", cells),
                        program_of("restriction3d", cells), program_of("prolongation3d", cells)},
                       options, {2 * kSweeps, 1, 1, 1});
  std::printf("%lld^3, f64, a round of %d half-sweeps, residual, restriction, prolongation, by layout:\n",
              static_cast<long long>(cells), 2 * kSweeps);
  for (const LayoutCost& c : tuned.costs)
    std::printf("  %-10s %8.2f ms%s%s\n", str(c.layout).c_str(), c.ms,
                c.layout == tuned.layout ? "  taken" : "", c.why_not.c_str());
  for (const Tuned& t : tuned.operators)
    std::printf("  %-16s %8.3f ms  %s\n", t.program.name.c_str(), t.ms,
                t.report.variants[*t.report.best].name.c_str());

  const auto smooth = tuned.operators[0]
                          .kernel<void(Of&, const Of&, const Of&, const Of&, const Of&, const Of&, const Of&,
                                       double, double, std::int32_t)>();
  const auto residual = tuned.operators[1]
                            .kernel<void(const Of&, const Of&, const Of&, const Of&, const Of&, const Of&,
                                         Of&, double, double)>();
  const auto restriction = tuned.operators[2].kernel<void(const Of&, Of&)>();
  const auto prolongation = tuned.operators[3].kernel<void(const Of&, Of&)>();

  std::vector<double> plain_s, stored_s;
  double largest = 0, difference = 0, converting = 0;
  for (int turn = 0; turn < 4; ++turn) {  // the first warms up
    Level ours(cells), theirs(cells);
    StoredLevel stored_level(tuned.layout, ours);
    double start = now();
    plain_rounds(theirs, cells, rounds);
    plain_s.push_back(now() - start);
    start = now();
    stored_rounds(stored_level, ours, smooth, residual, restriction, prolongation, rounds, converting);
    stored_s.push_back(now() - start);
    const auto x = ours.memory.at("phi").as<double>(), y = theirs.memory.at("phi").as<double>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(ours.fine * ours.fine * ours.fine); ++i)
      largest = std::max(largest, std::abs(y[i])), difference = std::max(difference, std::abs(x[i] - y[i]));
  }
  const auto median = [](std::vector<double> v) {
    v.erase(v.begin());
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  const double plain = median(plain_s), stored = median(stored_s);
  std::printf(
      "%d rounds (%d sweeps): plain OpenMP loops %.3f s, in layout '%s' with all conversions %.3f s (these "
      "%.3f s): %.2fx; "
      "largest difference %.1e of %.1e\n",
      rounds, rounds * kSweeps, plain, str(tuned.layout).c_str(), stored, converting, plain / stored,
      difference, largest);
  return difference <= 1e-9 * largest ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "bench_one_layout: %s\n", e.what());
  return 1;
}
