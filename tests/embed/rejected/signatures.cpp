// Signatures that no kernel has: each is refused by the C++ compiler, with a message that says what to write
// instead.
#include <string>

#include "liftgen/compile.hpp"

template <class R, class... Args>
lift::Signature of(R (*)(Args...)) {
  return lift::detail::signature_of<R, Args...>();
}
template <class Function>
constexpr Function* a = nullptr;

lift::Signature pointer() { return of(a<void(float*)>); }
lift::Signature strings() { return of(a<void(const std::vector<std::string>&)>); }
lift::Signature pair() { return of(a<void(std::pair<int, int>)>); }
lift::Signature rank() { return of(a<void(lift::array_view<float, 7>)>); }
lift::Signature borrowed() { return of(a<std::span<float>(std::span<const float>)>); }

using Host = lift::TypedKernel<void(lift::device_array<float, 1>&, std::span<float>)>;
void later(const Host& kernel, lift::Queue& queue, lift::device_array<float, 1>& x) {
  kernel.async(queue, x, {});
}
