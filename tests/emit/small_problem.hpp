// Data of a small problem for an emitted kernel: arrays in the kernel's layouts, and what the result must be.
#pragma once

#include <cstring>
#include <random>

#include "emit/emit.hpp"
#include "ir/expr/interpret.hpp"
#include "patterns/host_data.hpp"
#include "patterns/operators.hpp"
#include "rewrite/space/space.hpp"

namespace lift::test {

inline void for_positions(const Type& t, const std::function<void(std::size_t, const std::vector<Nat>&)>& f) {
  const auto shape = host::lengths(t);
  for (std::size_t x = 0; x < static_cast<std::size_t>(host::count(t)); ++x) {
    std::vector<Nat> p(shape.size());
    std::size_t rest = x;
    for (std::size_t d = shape.size(); d-- > 0;)
      p[d] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[d])),
      rest /= static_cast<std::size_t>(shape[d]);
    f(x, p);
  }
}

/// |got - want| / max(1, |want|), huge when either is no number.
inline double relative_error(double got, double want) {
  const double e = std::abs(got - want) / std::max(1.0, std::abs(want));
  return std::isnan(e) ? 1e30 : e;
}

/// A pattern's arguments in the caller's layout, as bytes, and the reference's results; those of the
/// interpreter where it has no reference.
class SmallProblem {
 public:
  /// `color`: the value of index params.
  SmallProblem(const Pattern& pattern, const Problem& problem, int color) : program(pattern.build(problem)) {
    for (const Expr& a : program.arguments) {
      data_.emplace_back(bytes_of(a.type()));
      host_.push_back({param_name(a), a.type(), data_.back().data()});
      pattern.fill(problem, host_.back());
      if (!a.attr().nats.empty()) std::memcpy(data_.back().data(), &color, sizeof color);
    }
    if (!pattern.reference) {
      expected_ = interpreted();
      return;
    }
    std::vector<std::vector<unsigned char>> bytes;
    std::vector<HostArray> results;
    for (const ProgramResult& r : results_of(program)) {
      bytes.emplace_back(bytes_of(r.type));
      results.push_back({r.name, r.type, bytes.back().data()});
    }
    pattern.reference(problem, host_, results);
    for (const HostArray& r : results) expected_.push_back(numbers(r));
  }

  Program program;

  /// Storage of each argument of the kernel, aligned to 64 bytes; contents beyond the elements are NaN.
  struct Storage {
    std::vector<std::vector<unsigned char>> bytes;
    std::vector<void*> pointers;
  };
  Storage storage(const Kernel& k) const {
    Storage s;
    for (const KernelArgument& a : k.arguments) {
      const HostArray* from = find(a.name);
      const std::size_t each = size_of((a.type.is_array() ? element_of(a.type) : a.type).scalar());
      const std::size_t n = a.type.is_array() ? static_cast<std::size_t>(*a.layout.size().constant()) : 1;
      s.bytes.emplace_back(n * each + 128, static_cast<unsigned char>(0xff));
      void* p = s.bytes.back().data();
      std::size_t room = s.bytes.back().size();
      s.pointers.push_back(std::align(64, n * each, p, room));
      auto* to = static_cast<unsigned char*>(s.pointers.back());
      if (!a.type.is_array())
        std::memcpy(to, from->data, each);
      else if (from)
        for_positions(a.type, [&](std::size_t x, const std::vector<Nat>& at) {
          std::memcpy(to + static_cast<std::size_t>(*a.layout.index(at).constant()) * each,
                      static_cast<unsigned char*>(from->data) + x * each, each);
        });
    }
    return s;
  }
  /// The largest error over all results.
  double error(const Kernel& k, const Storage& s) const {
    double worst = 0;
    for (std::size_t r = 0; r < k.results.size(); ++r)
      for (std::size_t i = 0; i < k.arguments.size(); ++i) {
        const KernelArgument& a = k.arguments[i];
        if (a.name != k.results[r]) continue;
        const Scalar t = element_of(a.type).scalar();
        for_positions(a.type, [&](std::size_t x, const std::vector<Nat>& at) {
          worst = std::max(
              worst, relative_error(
                         number(s.pointers[i], t, static_cast<std::size_t>(*a.layout.index(at).constant())),
                         expected_[r].at(x)));
        });
      }
    return worst;
  }
  /// Whether two kernels have the same bits in all elements of all results.
  static bool same_bits(const Kernel& one, const Storage& from_one, const Kernel& other,
                        const Storage& from_other) {
    const auto find_in = [](const Kernel& k, const std::string& name) {
      std::size_t i = 0;
      while (k.arguments.at(i).name != name) ++i;
      return i;
    };
    bool same = one.results.size() == other.results.size();
    for (std::size_t r = 0; same && r < one.results.size(); ++r) {
      const std::size_t i = find_in(one, one.results[r]), j = find_in(other, other.results[r]);
      const Type& type = one.arguments[i].type;
      const auto element = [&](const Kernel& k, const Storage& s, std::size_t n, const std::vector<Nat>& at) {
        return static_cast<const unsigned char*>(s.pointers[n]) +
               static_cast<std::size_t>(*k.arguments[n].layout.index(at).constant()) *
                   size_of(element_of(type).scalar());
      };
      for_positions(type, [&](std::size_t, const std::vector<Nat>& at) {
        same &= std::memcmp(element(one, from_one, i, at), element(other, from_other, j, at),
                            size_of(element_of(type).scalar())) == 0;
      });
    }
    return same;
  }
  /// The same of the interpreter's results: whether the reference is what the expression means.
  double interpreter_error() const {
    const std::vector<std::vector<double>> values = interpreted();
    if (values.size() != expected_.size()) return 1e30;
    double worst = 0;
    for (std::size_t r = 0; r < values.size(); ++r)
      for (std::size_t i = 0; i < values[r].size(); ++i)
        worst = std::max(worst, relative_error(values[r][i], expected_[r].at(i)));
    return worst;
  }

 private:
  static std::size_t bytes_of(const Type& t) {
    return static_cast<std::size_t>(host::count(t)) * size_of(element_of(t).scalar());
  }
  static double number(const void* from, Scalar s, std::size_t i) {
    if (s == f32) return static_cast<double>(static_cast<const float*>(from)[i]);
    if (s == f64) return static_cast<const double*>(from)[i];
    if (s == u8) return static_cast<double>(static_cast<const unsigned char*>(from)[i]);
    return static_cast<double>(static_cast<const int*>(from)[i]);
  }
  static std::vector<double> numbers(const HostArray& h) {
    std::vector<double> r;
    for (std::size_t i = 0; i < static_cast<std::size_t>(host::count(h.type)); ++i)
      r.push_back(number(h.data, element_of(h.type).scalar(), i));
    return r;
  }
  /// Results as the interpreter computes them.
  std::vector<std::vector<double>> interpreted() const {
    Interpreter in;
    for (const HostArray& h : host_) {
      const std::vector<double> values = numbers(h);
      if (h.type.is_array())
        in.params[h.name] = make_array(values, h.type);
      else if (is_float(h.type.scalar()))
        in.params[h.name].v = values[0];
      else
        in.params[h.name].v = static_cast<std::int64_t>(values[0]),
        in.sizes[h.name] = static_cast<std::int64_t>(values[0]);
    }
    return flatten_components(in.eval(program.body), program.body.type());
  }
  const HostArray* find(const std::string& name) const {
    for (const HostArray& h : host_)
      if (h.name == name) return &h;
    return nullptr;
  }
  std::vector<std::vector<unsigned char>> data_;
  std::vector<HostArray> host_;
  std::vector<std::vector<double>> expected_;  ///< by result
};

/// Seeds of a space and some random configurations.
inline std::vector<Configuration> configurations(const Space& space, int random, std::uint64_t seed) {
  std::vector<Configuration> all = space.seeds();
  std::mt19937_64 r(seed);
  for (int i = 0; i < random; ++i) {
    Configuration c;
    for (const Parameter& p : space.parameters()) {
      const Settings values = space.allowed(c, *p.key);
      c.set(*p.key, values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(r)]);
    }
    for (const Parameter& p : space.comparisons())
      if (r() % 4 == 0) c.set(*p.key, p.values.back());
    if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(std::move(c));
  }
  return all;
}
inline std::string str(const Configuration& c) {
  std::string s;
  for (const auto& entry : c) s += entry.name() + "=" + entry.text() + " ";
  return s;
}

inline Problem small(std::int64_t box, std::int64_t boxes, const std::string& smoother,
                     const std::string& boundary = "ghost", Scalar type = f64, std::int64_t ghost = 1) {
  Problem p;
  p.box = box, p.boxes = boxes, p.boundary = boundary, p.type = type, p.ghost = ghost,
  p.choices["smoother"] = smoother;
  return p;
}

}  // namespace lift::test
