// Kernels as C++ functions.
//
//   auto n    = lift::nat("n");
//   auto blur = lift::fun(lift::array(lift::f32, n), [](lift::Expr xs) {
//     return xs | lift::pad(1, 1, lift::clamp) | lift::slide(3, 1)
//               | lift::map([](lift::Expr w) { return (w[0] + w[1] + w[2]) / 3.0f; });
//   });
//   auto kernel = lift::compile<std::vector<float>(const std::vector<float>&)>(blur);
//   std::vector<float> smoothed = kernel(signal);
//
// Parameters. float, double, std::int32_t, std::int64_t and std::uint8_t for numbers; for arrays any
// contiguous range of these (std::vector, std::span, std::array), lift::array_view or a std::mdspan. A range
// is the row-major contents of an array of any rank. Everything is passed as it lies, views whose rows have
// gaps, too; views that kernels cannot walk are refused, or copied for each call on request
// (CompileOptions::copy_views).
//
// Devices. With CompileOptions::backend or device, kernels run there, in this process; arrays of the host are
// copied there and back for each call, lift::device_array are not copied at all.
//
// Results are returned (a number, a std::vector, a lift::device_array, a std::tuple of several), or, from a
// kernel that returns void, written to further parameters after the arguments; an array that the expression
// updates, passed as writable, is overwritten.
//
// The signature is checked against the expression where the kernel is made, arguments against the signature
// by C++, and lengths at the call. Calls from several threads are safe.
#pragma once

#include "embed/one_layout.hpp"
#include "ir/expr/build.hpp"
#include "liftgen/signature.hpp"

namespace lift {

/// A size: a length that is known when a kernel is called; at least 1. Sizes of one name are one.
inline Nat nat(const std::string& name) { return Nat::size(name); }

template <class Function>
class TypedKernel;

/// Copies share what has been compiled.
template <class R, class... Args>
class TypedKernel<R(Args...)> {
 public:
  TypedKernel(const Program& program, CompileOptions options, Where where)
      : callable_(std::make_shared<const Callable>(program, detail::signature_of<R, Args...>(),
                                                   std::move(options), where)) {}
  // No moves: one that was moved from can be called, too.
  TypedKernel(const TypedKernel&) = default;
  TypedKernel& operator=(const TypedKernel&) = default;
  ~TypedKernel() = default;

  /// UserError: lengths that do not agree, with all shapes; outputs that overlap other arguments.
  /// EnvironmentError: no C compiler; no memory left on the device, or it failed. InternalError: a defect of
  /// liftgen.
  R operator()(Args... args, Where where = Where::current()) const {
    return call([&](const Callable::Variant& variant, std::span<const ArgumentValue> values,
                    std::span<void* const> to) { callable_->run(variant, values, to, where); },
                where, args...);
  }

  /// Has it done in a queue of the kernel's device, after what that queue was asked for before, and returns.
  /// Arrays and results are lift::device_array, which may go before it is done; numbers are taken as they are
  /// now. UserError: as a call, a queue of another device, a kernel for processors. What goes wrong later is
  /// thrown by queue.wait().
  R async(Queue& queue, Args... args, Where where = Where::current()) const {
    static_assert((detail::goes_to_a_queue<Args>() && ...) && detail::stays_on_device<R>,
                  "lift::TypedKernel::async: what a queue works on later is on its device: write "
                  "lift::device_array in the signature, and numbers by value; a number that is a result is a "
                  "lift::device_array<T, 1>");
    return call([&](const Callable::Variant& variant, std::span<const ArgumentValue> values,
                    std::span<void* const> to) { callable_->ask(variant, values, to, queue, where); },
                where, args...);
  }

  /// Compiles for these sizes now, rather than at the first call that has them.
  void prepare(const Sizes& sizes, Where where = Where::current()) const { callable_->variant(sizes, where); }
  /// The C text for these sizes.
  const std::string& source(const Sizes& sizes = {}, Where where = Where::current()) const {
    return Callable::source(callable_->variant(sizes, where));
  }
  /// How it is computed at these sizes.
  const Derivation& derivation(const Sizes& sizes = {}, Where where = Where::current()) const {
    return Callable::derivation(callable_->variant(sizes, where));
  }

  /// With CompileOptions::tuned, what was taken from the database at these sizes, in a line; "" when nothing
  /// was known.
  const std::string& origin(const Sizes& sizes = {}, Where where = Where::current()) const {
    return Callable::origin(callable_->variant(sizes, where));
  }

 private:
  /// `run` is given memory for what is returned.
  template <class Run>
  R call(const Run& run, Where where, std::remove_reference_t<Args>&... args) const {
    const std::array<ArgumentValue, sizeof...(Args)> values{detail::value_of<Args>(args)...};
    const Callable::Variant& variant = callable_->variant(values, where);
    const auto place = [&](auto& result, std::size_t n) {
      detail::make_room(result, Callable::returned_shape(variant, n), callable_->device());
      return static_cast<void*>(detail::address(result));
    };
    if constexpr (std::is_void_v<R>) {
      run(variant, values, {});
    } else if constexpr (detail::is_result<R>) {
      R result{};
      void* const to = place(result, 0);
      run(variant, values, {&to, 1});
      return result;
    } else {
      R results{};
      std::vector<void*> to;
      std::apply([&](auto&... r) { (to.push_back(place(r, to.size())), ...); }, results);
      run(variant, values, to);
      return results;
    }
  }

  std::shared_ptr<const Callable> callable_;
};

/// A kernel from a function, or from a closed expression.
template <class Function>
TypedKernel<Function> compile(const Expr& function, CompileOptions options = {},
                              Where where = Where::current()) {
  return TypedKernel<Function>(Program{{}, {}, function, {}}, std::move(options), where);
}
/// A kernel from a program: an expression over named arguments.
template <class Function>
TypedKernel<Function> compile(const Program& program, CompileOptions options = {},
                              Where where = Where::current()) {
  return TypedKernel<Function>(program, std::move(options), where);
}

template <class Function>
TypedKernel<Function> Tuned::kernel(Where where) const {
  return TypedKernel<Function>(program, options(), where);
}

}  // namespace lift
