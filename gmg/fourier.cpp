#include "gmg/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "gmg/found_weight.hpp"
#include "ir/error.hpp"

namespace lift::gmg {
namespace {

using Complex = std::complex<double>;

/// A square matrix over the waves that belong together. Wave h has theta + pi along the dimensions that are
/// bits of h.
struct Waves {
  std::size_t n = 0;
  std::vector<Complex> a;
  explicit Waves(std::size_t size) : n(size), a(size * size) {}
  Complex& operator()(std::size_t r, std::size_t c) { return a[r * n + c]; }
  Complex operator()(std::size_t r, std::size_t c) const { return a[r * n + c]; }
};
Waves identity(std::size_t n) {
  Waves m(n);
  for (std::size_t i = 0; i < n; ++i) m(i, i) = 1;
  return m;
}
Waves operator*(const Waves& x, const Waves& y) {
  Waves m(x.n);
  // Products are written out: those of std::complex look for infinities.
  for (std::size_t r = 0; r < x.n; ++r)
    for (std::size_t k = 0; k < x.n; ++k) {
      const double re = x(r, k).real(), im = x(r, k).imag();
      if (re == 0 && im == 0) continue;
      const Complex* const from = &y.a[k * x.n];
      Complex* const to = &m.a[r * x.n];
      for (std::size_t c = 0; c < x.n; ++c)
        to[c] +=
            Complex(re * from[c].real() - im * from[c].imag(), re * from[c].imag() + im * from[c].real());
    }
  return m;
}
Waves power(const Waves& x, int times) {
  Waves m = identity(x.n);
  for (int t = 0; t < times; ++t) m = m * x;
  return m;
}

/// The spectral radius: by norms of powers 2^k, each scaled to 1.
double radius(Waves m) {
  double logarithm = 0, share = 1;
  for (int k = 0; k < 8; ++k) {
    double norm = 0;
    for (const Complex& x : m.a) norm += std::norm(x);
    norm = std::sqrt(norm);
    if (norm == 0) return 0;
    logarithm += share * std::log(norm);
    for (Complex& x : m.a) x /= norm;
    m = m * m;
    share /= 2;
  }
  double norm = 0;
  for (const Complex& x : m.a) norm += std::norm(x);
  return norm == 0 ? 0 : std::exp(logarithm + share * std::log(std::sqrt(norm)));
}

class Analysis {
 public:
  Analysis(const Equation& equation, const Plan& plan, const std::map<std::string, double>& coefficients)
      : equation_(equation),
        plan_(plan),
        rank_(equation.domain().dimensions()),
        waves_(std::size_t{1} << rank_) {
    const Domain& domain = equation.domain();
    ratios_ = plan.ratios.empty() ? suggested_ratios(equation, domain, plan.smoother) : plan.ratios.front();
    if (ratios_.empty()) ratios_.assign(rank_, 2);
    if (std::any_of(ratios_.begin(), ratios_.end(), [](int r) { return r > 2; }))
      throw UserError(
          "gmg: Fourier factors are for ratios of 1 and 2; a ratio of 3 has other waves together");
    std::vector<double> fine, coarse;
    std::vector<std::int64_t> even;
    for (std::size_t d = 0; d < rank_; ++d) {
      fine.push_back(domain.spacing(d)), coarse.push_back(domain.spacing(d) * ratios_[d]);
      even.push_back(64);  // no faces, no odd ends
    }
    fine_ = equation.weights(coefficients, fine), coarse_ = equation.weights(coefficients, coarse);
    if (plan.smoother == Smoother::chebyshev)
      throw UserError(
          "gmg: Fourier factors are for Gauss-Seidel and Jacobi; Chebyshev depends on the spectrum");
    if (const auto axis = lines_of(plan.smoother)) {
      line_ = domain.dimension_of(*axis);
      colours_ = line_colours(equation, domain.with_cells(even), *line_);
      if (colours_->modulus != 2)
        throw UserError("gmg: Fourier factors are for lines whose footprint has 2 or 4 colours");
    } else if (plan.smoother != Smoother::jacobi) {
      colours_ = colours_of(equation, domain.with_cells(even));
      if (!colours_ || colours_->modulus != 2)
        throw UserError(
            "gmg: Fourier factors are for Jacobi, and for A whose footprint has 2, 4 or 8 colours");
    }
    weight_ = plan.weight > 0 ? plan.weight
                              : suggested_weight(equation, domain, ratios_,
                                                 line_      ? plan.smoother
                                                 : colours_ ? Smoother::gauss_seidel
                                                            : Smoother::jacobi,
                                                 colours_ && colours_->count() == 2);
  }

  double two_grid(const std::vector<double>& theta) const { return two_grid(theta, sweep(theta)); }

  FourierFactors at(const std::vector<double>& theta) const {
    const Waves sweep = this->sweep(theta);
    Waves high = identity(waves_);
    for (std::size_t h = 0; h < waves_; ++h)
      if (!is_high(h)) high(h, h) = 0;
    const int sweeps = plan_.down + plan_.up;
    FourierFactors f;
    f.smoothing = std::pow(radius(high * power(sweep, sweeps)), 1.0 / sweeps);
    f.two_grid = two_grid(theta, sweep);
    return f;
  }

  /// Not so for constants, say, where the coarse A of them is 0.
  bool has_correction(const std::vector<double>& theta) const {
    for (std::size_t h = 0; h < waves_; ++h)
      if (std::abs(symbol(coarse_, coarse_angles(theta, h))) < 1e-10 * std::abs(coarse_[0])) return false;
    return true;
  }

  /// Waves along the dimensions that are kept are no images of one another.
  bool is_high(std::size_t h) const {
    for (std::size_t d = 0; d < rank_; ++d)
      if ((h >> d & 1) != 0 && ratios_[d] == 2) return true;
    return false;
  }

 private:
  double along(const std::vector<double>& theta, std::size_t h, std::size_t d) const {
    return theta[d] + ((h >> d & 1) != 0 ? std::numbers::pi : 0);
  }

  Complex symbol(const std::vector<double>& weights, const std::vector<double>& angles) const {
    Complex sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double phase = 0;
      for (std::size_t d = 0; d < rank_; ++d) phase += equation_.footprint()[i][d] * angles[d];
      sum += weights[i] * std::polar(1.0, phase);
    }
    return sum;
  }
  std::vector<double> coarse_angles(const std::vector<double>& theta, std::size_t h) const {
    std::vector<double> angles;
    for (std::size_t d = 0; d < rank_; ++d)
      angles.push_back(ratios_[d] == 2 ? 2 * theta[d] : along(theta, h, d));
    return angles;
  }
  Complex fine_symbol(const std::vector<double>& theta, std::size_t h) const {
    std::vector<double> angles;
    for (std::size_t d = 0; d < rank_; ++d) angles.push_back(along(theta, h, d));
    return symbol(fine_, angles);
  }

  /// Of what a sweep solves for at once: the diagonal, or what A has along lines.
  Complex solved_symbol(const std::vector<double>& theta, std::size_t h) const {
    Complex sum = fine_[0];
    for (std::size_t i = 1; line_ && i < fine_.size(); ++i) {
      const Offset& o = equation_.footprint()[i];
      bool on_line = true;
      for (std::size_t d = 0; d < rank_; ++d) on_line = on_line && (d == *line_ || o[d] == 0);
      if (on_line) sum += fine_[i] * std::polar(1.0, o[*line_] * along(theta, h, *line_));
    }
    return sum;
  }

  /// Cells of one colour: the mean over products of rows of (-1)^(their sum + number), each of which moves
  /// waves to others.
  Waves colour(std::size_t c) const {
    const auto numbers = colours_->numbers(c);
    const std::size_t rows = colours_->rows.size();
    Waves m(waves_);
    for (std::size_t subset = 0; subset < std::size_t{1} << rows; ++subset) {
      std::size_t moved = 0;
      double sign = 1;
      for (std::size_t r = 0; r < rows; ++r) {
        if ((subset >> r & 1) == 0) continue;
        for (std::size_t d = 0; d < rank_; ++d)
          if (colours_->rows[r][d]) moved ^= std::size_t{1} << d;
        if (numbers[r] % 2 != 0) sign = -sign;
      }
      for (std::size_t h = 0; h < waves_; ++h)
        m(h ^ moved, h) += sign / static_cast<double>(std::size_t{1} << rows);
    }
    return m;
  }

  double two_grid(const std::vector<double>& theta, const Waves& sweep) const {
    return radius(power(sweep, plan_.up) * correction(theta) * power(sweep, plan_.down));
  }

  Waves sweep(const std::vector<double>& theta) const {
    Waves change(waves_);  // weight / (diagonal, or a line's matrix) * A
    for (std::size_t h = 0; h < waves_; ++h)
      change(h, h) = weight_ / solved_symbol(theta, h) * fine_symbol(theta, h);
    const auto relaxed = [&](const Waves& where) {
      Waves m = where * change;
      for (Complex& x : m.a) x = -x;
      for (std::size_t h = 0; h < waves_; ++h) m(h, h) += 1;
      return m;
    };
    if (!colours_) return relaxed(identity(waves_));
    Waves all = identity(waves_);
    for (std::size_t c = 0; c < colours_->count(); ++c) all = relaxed(colour(c)) * all;
    return all;
  }

  /// 1 - P (coarse A)^-1 R A. Coarse centres lie half a fine cell above the first of their cells.
  Waves correction(const std::vector<double>& theta) const {
    std::vector<Complex> restricted(waves_), interpolated(waves_);
    for (std::size_t h = 0; h < waves_; ++h) {
      restricted[h] = interpolated[h] = 1;
      for (std::size_t d = 0; d < rank_; ++d) {
        if (ratios_[d] == 1) continue;
        const double t = along(theta, h, d);
        // The mean of e^(-it/2) and e^(it/2).
        restricted[h] *= std::polar(1.0, t / 2) * std::cos(t / 2);
        // Weights 1/4, 3/4, 3/4, 1/4 at -3/2, -1/2, 1/2, 3/2, over the two cells for one.
        interpolated[h] *= std::polar(1.0, -t / 2) * (0.75 * std::cos(t / 2) + 0.25 * std::cos(3 * t / 2));
      }
    }
    Waves m = identity(waves_);
    for (std::size_t from = 0; from < waves_; ++from)
      for (std::size_t to = 0; to < waves_; ++to) {
        bool images = true;  // the same wave on the coarse grid
        for (std::size_t d = 0; d < rank_; ++d)
          images = images && (ratios_[d] == 2 || ((from ^ to) >> d & 1) == 0);
        if (!images) continue;
        const Complex coarse = symbol(coarse_, coarse_angles(theta, from));
        m(to, from) -= interpolated[to] / coarse * restricted[from] * fine_symbol(theta, from);
      }
    return m;
  }

  const Equation& equation_;
  Plan plan_;
  std::size_t rank_, waves_;
  Ratios ratios_;
  std::vector<double> fine_, coarse_;
  std::optional<std::size_t> line_;  ///< the dimension of lines that are solved for
  std::optional<Colours> colours_;
  double weight_ = 1;
};

/// Low frequencies, `samples` along each dimension, -pi/2 among them, where the factors are often largest. Of
/// theta and -theta, whose factors are the same as A is real, one; pi/2 is -pi/2 with the waves in another
/// order.
template <class F>
void for_low_frequencies(std::size_t rank, int samples, const F& f) {
  std::vector<int> at(rank, 0);
  while (true) {
    std::vector<int> mirrored;
    std::vector<double> theta;
    for (const int x : at) {
      mirrored.push_back((samples - x) % samples);
      theta.push_back(std::numbers::pi * (static_cast<double>(x) / samples - 0.5));
    }
    if (at <= mirrored) f(theta);
    std::size_t d = rank;
    while (d > 0 && ++at[d - 1] == samples) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

FourierFactors fourier_factors(const Equation& equation, const Plan& plan,
                               const std::map<std::string, double>& coefficients, int samples) {
  Plan weighed = plan;
  if (const double w = found_weight(equation, plan); w > 0) weighed.weight = w;
  const Analysis analysis(equation, weighed, coefficients);
  FourierFactors worst;
  for_low_frequencies(equation.domain().dimensions(), samples, [&](const std::vector<double>& theta) {
    if (!analysis.has_correction(theta)) return;
    const FourierFactors f = analysis.at(theta);
    worst.smoothing = std::max(worst.smoothing, f.smoothing);
    worst.two_grid = std::max(worst.two_grid, f.two_grid);
  });
  return worst;
}

double best_weight(const Equation& equation, Plan plan, const std::map<std::string, double>& coefficients) {
  const bool jacobi = plan.smoother == Smoother::jacobi;
  double low = jacobi ? 0.5 : 1, high = jacobi ? 1 : 1.5;
  const auto factor = [&](double w) {
    plan.weight = w;
    const Analysis analysis(equation, plan, coefficients);
    double worst = 0;
    for_low_frequencies(equation.domain().dimensions(), 8, [&](const std::vector<double>& theta) {
      if (analysis.has_correction(theta)) worst = std::max(worst, analysis.two_grid(theta));
    });
    return worst;
  };
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double a = high - golden * (high - low), b = low + golden * (high - low), fa = factor(a), fb = factor(b);
  while (high - low > 0.01) {
    if (fa < fb)
      high = b, b = a, fb = fa, a = high - golden * (high - low), fa = factor(a);
    else
      low = a, a = b, fa = fb, b = low + golden * (high - low), fb = factor(b);
  }
  const double best = (low + high) / 2;
  if (jacobi) return best;
  // Where coefficients vary, more is better than here, and too much costs less than too little: as far as the
  // factor stays near the least.
  const double most = 1.15 * factor(best);
  double within = best, beyond = 1.5;
  while (beyond - within > 0.005)
    (factor((within + beyond) / 2) <= most ? within : beyond) = (within + beyond) / 2;
  return within;
}

}  // namespace lift::gmg
