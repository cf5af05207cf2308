#include "gmg/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "embed/plan.hpp"
#include "ir/error.hpp"
#include "runtime/affinity.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/vault.hpp"
#include "tuning/database/program_key.hpp"

namespace lift::gmg {
namespace {

ArgumentValue array_at(void* data, const Type& type) {
  ArgumentValue v;
  v.data = data;
  for (const Nat& n : shape_of(type)) v.shape[static_cast<std::size_t>(v.rank++)] = n.constant().value();
  std::int64_t stride = 1;
  for (auto d = static_cast<std::size_t>(v.rank); d-- > 0; stride *= v.shape[d]) v.strides[d] = stride;
  return v;
}

ArgumentValue number_at(const void* data) {
  ArgumentValue v;
  v.data = const_cast<void*>(data);  // NOLINT: numbers are read only
  return v;
}

template <class T>
T found(const std::map<std::string, T>& among, const std::string& name, const Program& program) {
  const auto it = among.find(name);
  if (it == among.end()) throw InternalError("gmg: " + program.name + " is called without '" + name + "'");
  return it->second;
}

}  // namespace

Kernel::Kernel(const Program& program, CompileOptions options) : program_(program) {
  options.keep_finished = true;
  const std::vector<ProgramResult> all = results_of(program);
  Signature signature;
  for (const Expr& a : program.arguments) {
    const bool writable = std::find(program.overwritable.begin(), program.overwritable.end(),
                                    param_name(a)) != program.overwritable.end();
    const Scalar element = a.type().is_array() ? element_of(a.type()).scalar() : a.type().scalar();
    signature.arguments.push_back({.element = element,
                                   .rank = a.type().is_array() ? rank_of(a.type()) : 0,
                                   .writable = writable,
                                   .cpp = "array"});
  }
  for (std::size_t r = 0; r < all.size(); ++r)
    if (!updated_argument(program, r, signature)) beside_.push_back(all[r].type);
  for (const Type& t : beside_)
    signature.arguments.push_back(
        {.element = element_of(t).scalar(), .rank = rank_of(t), .writable = true, .cpp = "array"});
  callable_ =
      std::make_unique<Callable>(program, signature, std::move(options), std::source_location::current());
  variant_ = &callable_->variant(Sizes{}, std::source_location::current());
}

Kernel::Bound Kernel::bind(const Arguments& arguments, void* result) const {
  Bound bound;
  bound.kernel_ = this;
  for (const Expr& a : program_.arguments) {
    const std::string& name = param_name(a);
    if (a.type().is_array())
      bound.values_.push_back(array_at(found(arguments.arrays, name, program_), a.type()));
    else if (a.type() == Type(i32))
      bound.values_.push_back(number_at(found(arguments.indices, name, program_)));
    else
      bound.values_.push_back(number_at(found(arguments.numbers, name, program_)));
  }
  if (!beside_.empty()) bound.values_.push_back(array_at(result, beside_.at(0)));
  return bound;
}

void Kernel::Bound::operator()() const {
  kernel_->callable_->run(*kernel_->variant_, values_, {}, std::source_location::current());
}

std::string kernel_key(const Program& program) { return hash_text(canonical_text(program)); }

namespace {

CompileOptions as_written(const Program& program, CompileOptions options) {
  options.derivation = Derivation{};
  if (!program.overwritable.empty()) options.derivation->push_back({"update-in-place", {}, {}});
  options.tuned = false;
  return options;
}

CompileOptions options_for(const LaterKernel& kernel, const Making& making) {
  CompileOptions options = making.options;
  if (making.plain) return as_written(kernel.program(), std::move(options));
  if (making.known.empty()) return options;
  if (const auto it = making.known.find(kernel_key(kernel.program())); it != making.known.end())
    options.derivation = parse_derivation(it->second), options.or_default = true, options.tuned = false;
  return options;
}

}  // namespace

void make_all(std::span<LaterKernel* const> kernels, const Making& making) {
  std::vector<LaterKernel*> missing;
  for (LaterKernel* k : kernels)
    if (!k->is_made() && std::find(missing.begin(), missing.end(), k) == missing.end()) missing.push_back(k);
  std::atomic<std::size_t> next = 0;
  // Threads that are not bound to a processor: OpenMP's run time, which the first kernel brings, counts those
  // of the thread that opens it.
  std::exception_ptr failed;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < missing.size(); k = next++) {
        if (interrupted()) throw UserError("gmg: interrupted while kernels were made");
        missing[k]->make(options_for(*missing[k], making));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failed) failed = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 1; t < default_threads() && static_cast<std::size_t>(t) < missing.size(); ++t)
      threads.emplace_back(work);
    work();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace lift::gmg
