#include "tuning/kernel_host.hpp"

#include <chrono>
#include <map>
#include <mutex>

#include "ir/error.hpp"
#include "runtime/buffer.hpp"
#include "runtime/message.hpp"
#include "runtime/native.hpp"
#include "runtime/parallel.hpp"

namespace lift {
namespace {

// ---- what the worker does

std::mutex mutex;  ///< without a worker, several threads may be here

std::map<void*, Buffer>& memory() {
  static auto* m = new std::map<void*, Buffer>;
  return *m;
}

std::string allocate(std::string_view input) {
  Reader in(input);
  const auto bytes = in.take<std::size_t>();
  Buffer buffer(bytes, BufferOptions{in.take<int>(), -1});
  void* at = buffer.data();
  const std::lock_guard lock(mutex);
  memory().emplace(at, std::move(buffer));
  return bytes_of_value(at);
}

std::string release(std::string_view input) {
  const std::lock_guard lock(mutex);
  memory().erase(Reader(input).take<void*>());
  return "";
}

/// Opened once; several thousand at most, as each takes several of the system's maps.
std::shared_ptr<NativeLibrary> opened(const std::string& path) {
  static auto* libraries = new std::map<std::string, std::shared_ptr<NativeLibrary>>;
  constexpr std::size_t most = 2000;
  const std::lock_guard lock(mutex);
  std::shared_ptr<NativeLibrary>& library = (*libraries)[path];
  if (!library) library = std::make_shared<NativeLibrary>(path);
  std::shared_ptr<NativeLibrary> kept = library;
  if (libraries->size() > most) libraries->clear();
  return kept;
}

std::string call(std::string_view input) {
  Reader in(input);
  const auto times = in.take<int>(), threads = in.take<int>();
  std::vector<void*> arguments(in.take<std::size_t>());
  for (void*& a : arguments) a = in.take<void*>();
  const auto library = opened(in.rest());
  auto* function = library->function<int(void**)>("liftgen_call");
  set_openmp_threads(threads);
  const auto begin = std::chrono::steady_clock::now();
  int failed = 0;
  for (int time = 0; time < times; ++time) failed |= function(arguments.data());
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  if (failed) throw UserError("there is not enough memory for what the kernel keeps in between");
  return bytes_of_value(elapsed.count());
}

std::string fill(std::string_view input) {
  Reader in(input);
  auto* to = in.take<char*>();
  const auto* from = in.take<const char*>();
  const auto bytes = in.take<std::size_t>();
  constexpr std::size_t unit = 64;  // so that each part begins with a whole pattern
  parallel_for_chunks((bytes + unit - 1) / unit, in.take<int>(), [&](std::size_t first, std::size_t last) {
    const std::size_t begin = first * unit, end = std::min(bytes, last * unit);
    if (from != nullptr)
      std::memcpy(to + begin, from + begin, end - begin);
    else
      lift::poison(to + begin, end - begin);
  });
  return "";
}

std::string read(std::string_view input) {
  Reader in(input);
  const auto* from = in.take<const char*>();
  return {from, in.take<std::size_t>()};
}

std::string compare(std::string_view input) {
  Reader in(input);
  const auto type = in.take<Scalar>();
  const auto* a = in.take<const void*>();
  const auto* b = in.take<const void*>();
  const auto* bounds = in.take<const float*>();
  const auto n = in.take<std::int64_t>();
  const auto mean = in.take<double>();
  return bytes_of_value(difference(type, a, b, bounds, n, mean, in.take<double>()));
}

}  // namespace

template <class Result, class... Arguments>
Result KernelHost::ask(Worker::Task task, const Arguments&... arguments) {
  std::string answer = worker_->call(task, (std::string() + ... + bytes_of_value(arguments)), limit_seconds_);
  if constexpr (std::is_same_v<Result, std::string>)
    return answer;
  else if constexpr (!std::is_void_v<Result>)
    return Reader(answer).take<Result>();
}

KernelHost::KernelHost(int threads, bool apart) : KernelHost(threads, std::make_shared<Worker>(apart)) {}
KernelHost::KernelHost(int threads, std::shared_ptr<Worker> worker)
    : worker_(std::move(worker)), threads_(threads) {}
KernelHost::~KernelHost() { worker_->guard(this, {}); }

std::shared_ptr<void> KernelHost::allocate(std::size_t bytes) {
  auto* at = ask<void*>(lift::allocate, bytes, threads_);
  return {at, [this, made = worker_->generation()](void* address) {
            try {
              if (worker_->is_running() && worker_->generation() == made) ask<void>(release, address);
            } catch (const std::exception&) {  // the worker is gone, and all of its memory
            }
          }};
}

double KernelHost::call(const std::filesystem::path& object, std::span<void* const> arguments, int times) {
  std::string addresses;
  for (void* const a : arguments) addresses += bytes_of_value(a);
  return ask<double>(lift::call, times, threads_, arguments.size(), addresses, object.string());
}

void KernelHost::copy(void* to, const void* from, std::size_t bytes) {
  ask<void>(fill, to, from, bytes, threads_);
}

void KernelHost::poison(void* to, std::size_t bytes) {
  ask<void>(fill, to, static_cast<const void*>(nullptr), bytes, threads_);
}

std::string KernelHost::read(const void* from, std::size_t bytes) {
  return ask<std::string>(lift::read, from, bytes);
}

Difference KernelHost::compare(Scalar type, const void* a, const void* b, const float* bounds, std::int64_t n,
                               double mean, double tolerance) {
  return ask<Difference>(lift::compare, type, a, b, bounds, n, mean, tolerance);
}

}  // namespace lift
