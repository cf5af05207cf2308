#include "embed/callable.hpp"

#include <algorithm>
#include <mutex>

#include "embed/default_variant.hpp"
#include "embed/finished.hpp"
#include "embed/known_variant.hpp"
#include "embed/variant.hpp"
#include "emit/emit.hpp"
#include "ir/error.hpp"
#include "ir/expr/ops.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "tuning/converter.hpp"
#include "tuning/database/program_key.hpp"
#include "tuning/report.hpp"

namespace lift {

namespace {

std::vector<std::int64_t> numbers(const Type& t) {
  std::vector<std::int64_t> r;
  for (const Nat& n : shape_of(t)) {
    if (!n.constant()) throw InternalError("embed: the length " + n.str() + " is not a number");
    r.push_back(*n.constant());
  }
  return r;
}

/// Of the options: a device for a backend that needs one, and that device's backend. UserError: options and
/// parameters that do not go with it.
void settle_device(CompileOptions& options, const Program& program, const Signature& signature,
                   const std::string& where) {
  const std::string name = !options.name.empty()   ? options.name
                           : !program.name.empty() ? program.name
                                                   : "lift::compile";
  if (options.device && is_grid(options.backend) && options.backend != options.device->backend())
    throw UserError(name + ": CompileOptions::backend is " + text(options.backend) + ", but the device " +
                    options.device->name() + " is of " + text(options.device->backend()) +
                    "; leave the backend out: it is the device's" + where);
  if (!options.device && is_grid(options.backend)) options.device.emplace(options.backend);
  if (options.device) options.backend = options.device->backend();
  if (options.device && options.symbolic)
    throw UserError(name + ": CompileOptions::symbolic is for openmp; kernels for " + text(options.backend) +
                    " are made for the sizes of a call: leave it out" + where);
  if (options.device) return;
  const auto check = [&](const std::string& what, const std::vector<ArgumentKind>& kinds) {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i].on_device)
        throw UserError(
            name + ": " + what + " " + std::to_string(i + 1) + " is " + kinds[i].cpp +
            " in the signature, but an openmp kernel runs on the processors; set "
            "CompileOptions::backend or device, or write a std::vector or a lift::array_view there" +
            where);
  };
  check("argument", signature.arguments);
  check("result", signature.returned);
}

/// UserError: a step names a rule that there is not, at whatever sizes.
void check_rules(const CompileOptions& options, const std::string& name, const std::string& where) {
  if (!options.derivation || options.or_default) return;
  for (const Step& step : *options.derivation) try {
      (void)find_rule(step.rule);
    } catch (const UserError& e) {
      throw UserError(name + ": the derivation's step '" + str(step) + "': " + e.what() + where);
    }
}

TargetDevice target_of(const CompileOptions& options) {
  return {options.backend, options.device ? &options.device->info() : nullptr};
}

ChosenVariant choose(const Program& program, const Pitched* pitched, const Program& unsized_program,
                     const Sizes& sizes, const CompileOptions& options, const LayoutRequest& layout,
                     std::string& origin) {
  const TargetDevice on = target_of(options);
  const auto here = [&](const Derivation& d) { return pitched ? moved(d, *pitched) : d; };
  if (options.tuned && !options.derivation && layout == kCallersLayout)
    if (auto known =
            known_variant(program, program_key(unsized_program, sizes), options.database, here, on)) {
      origin = known->origin;
      return std::move(known->variant);
    }
  if (options.derivation) {
    try {
      return variant_by(program, here(*options.derivation), on);
    } catch (const UserError&) {  // explored at other sizes: a tile does not divide this one, say
      if (!options.or_default) throw;
    }
  }
  return default_variant(program, layout, on);
}

/// Of an array that the kernel is given memory for: between its launches, of its own, or on a device.
std::size_t memory_of(const KernelArgument& a, const Sizes& sizes, bool on_device) {
  const Scalar element = element_of(a.type).scalar();
  if (on_device) return bytes_of(a.layout, element);
  return static_cast<std::size_t>(bytes_of(numbers(with_sizes(a.type, sizes)), size_of(element), a.name));
}

/// UserError where a result of these sizes has more bytes than a number holds.
void check_results(const Plan& plan, const Sizes& sizes) {
  for (const ProgramResult& r : plan.results) {
    const Type t = with_sizes(r.type, sizes);
    if (bytes_of(numbers(t), sizeof(double), "a result") == kTooManyBytes)
      throw UserError("the result, " + t.str() + ", takes more than any memory holds; use smaller sizes");
  }
}

/// UserError where an array of the call would be taken for one that lies otherwise.
void check_layouts(const Kernel& kernel, const Plan& plan, const Signature& signature,
                   const LayoutRequest& layout) {
  const std::size_t given = plan.program.arguments.size();
  for (std::size_t i = 0; i < given; ++i)
    if (const KernelArgument& a = kernel.arguments[i]; a.type.is_array() && a.layout.request() != layout)
      throw UserError(plan.argument_text(i) + " is taken in the layout '" + str(a.layout.request()) +
                      "', not in '" + str(layout) + "'");
  for (std::size_t r = 0; r < plan.results.size(); ++r) {
    const auto a = std::find_if(kernel.arguments.begin(), kernel.arguments.end(),
                                [&](const KernelArgument& x) { return x.name == kernel.results.at(r); });
    const bool is_number = a->layout.size() == Nat(1), stored = a->layout.request() != kCallersLayout;
    const std::size_t to = plan.targets[r].index;
    if (plan.targets[r].kind == ResultTarget::Kind::returned && stored && !is_number) {
      const ArgumentKind& kind = signature.returned[to];
      throw UserError(plan.program.name + ": result " + std::to_string(r + 1) + " is stored in the layout '" +
                      str(layout) + "', but returned as a " + kind.cpp + "; return void, and pass a " +
                      (kind.on_device ? "lift::device_array made from a " : "") +
                      "lift::stored_array for it after the arguments");
    }
    if (plan.targets[r].kind != ResultTarget::Kind::argument || a->layout.request() == layout) continue;
    const bool is_first =
        is_number && (signature.arguments[to].is_scalar() || Layout(layout, a->type).offset() == Nat(0));
    if (!is_first)
      throw UserError(plan.argument_text(to) + " is written in the layout '" + str(a->layout.request()) +
                      "', not in '" + str(layout) + "'" +
                      (is_number ? "; return the number, or pass a reference to one" : ""));
  }
}

/// "p: argument 1 (x) is a view of 2x3 elements with the strides 1 2".
std::string view_text(const Plan& plan, std::span<const ArgumentValue> arguments, std::size_t i) {
  std::string s =
      plan.argument_text(i) + " is a view of " + shape_text(arguments[i]) + " elements with the strides";
  for (int d = 0; d < arguments[i].rank; ++d)
    s += " " + std::to_string(arguments[i].strides[static_cast<std::size_t>(d)]);
  return s;
}

/// UserError: a view that no memory holds; one to be written of which several positions are the same element.
void check_views(const Plan& plan, std::span<const ArgumentValue> arguments, const std::string& where) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].in_reach())
      throw UserError(view_text(plan, arguments, i) + ", which no memory holds; correct its lengths" + where);
  for (const ResultTarget& t : plan.targets)
    if (t.kind != ResultTarget::Kind::returned && repeats(arguments[t.index]))
      throw UserError(view_text(plan, arguments, t.index) +
                      ", and is written, but has one element at several positions; pass an array with an "
                      "element for each" +
                      where);
}

}  // namespace

ChosenVariant Callable::Impl::choose_for(Variant& v, Program& program) const {
  if (v.around.empty()) return choose(program, nullptr, plan.program, v.sizes, options, v.layout, v.origin);
  const Program numbered = program;
  // A result that cannot be computed within an array with gaps is computed beside it, and copied: as it would
  // be without gaps where it updates an argument, else if copies are asked for.
  std::vector<bool> update(plan.results.size());
  for (std::size_t r = 0; r < update.size(); ++r)
    update[r] =
        plan.targets[r].kind != ResultTarget::Kind::returned && !v.around[plan.targets[r].index].empty();
  while (true) {
    const Pitched pitched = within(numbered, plan, v.around, update);
    program = pitched.program;
    ChosenVariant chosen = choose(program, &pitched, plan.program, v.sizes, options, v.layout, v.origin);
    bool settled = true;
    for (std::size_t r = 0; r < update.size(); ++r) {
      if (!update[r] || chosen.kernel.results.at(r) == pitched.into[r]) continue;
      settled = update[r] = false;
      if (plan.targets[r].kind == ResultTarget::Kind::in_place) continue;
      if (!options.copy_views)
        throw UserError(
            plan.argument_text(plan.targets[r].index) +
            " is a view with gaps, which this result cannot be written into without a copy; pass an "
            "array without gaps, or set CompileOptions::copy_views");
      v.around[plan.targets[r].index].clear();
    }
    if (settled) return chosen;
  }
}

std::unique_ptr<Callable::Variant> Callable::Impl::make(const Sizes& sizes, const Around& around,
                                                        const LayoutRequest& layout) const {
  const Region region;
  Program program = with_sizes(plan.program, sizes);  // also checks them
  check_results(plan, sizes);
  if (options.symbolic && around.empty() && layout == kCallersLayout) program = plan.program;
  auto v = std::make_unique<Variant>();
  v->sizes = sizes, v->around = around, v->layout = layout;
  const std::string kept =
      options.keep_finished && !options.device && sizes.empty() && around.empty() && layout == kCallersLayout
          ? finished_key(program, options)
          : "";
  v->finished = !kept.empty() && find_finished(kept, *v);
  if (v->finished) {
    v->native = native_code(v->kernel, callable_source(v->kernel, v->source));
  } else {
    ChosenVariant chosen = choose_for(*v, program);
    check_layouts(chosen.kernel, plan, signature, layout);
    v->derivation = chosen.derivation;
    v->kernel = documented(std::move(chosen.kernel), program, v->derivation);
    v->source = emit_source(v->kernel);
    if (options.device)
      v->grid = grid_code(v->kernel, v->source, *options.device);
    else
      v->native = native_code(v->kernel, callable_source(v->kernel, v->source));
    if (!kept.empty()) keep_finished(kept, *v);
  }
  v->kernel.body.clear();
  Nodes nodes = nodes_of(v->kernel);
  append(nodes, nodes_of(v->grid.kernel));
  v->kept = nodes;
  for (const KernelArgument& a : v->kernel.arguments) {
    v->bytes.push_back(size_of((a.type.is_array() ? element_of(a.type) : a.type).scalar()));
    const bool given = a.type.is_array() && (a.work || options.device);
    v->memory.push_back(given ? memory_of(a, sizes, options.device.has_value()) : 0);
  }
  for (const std::string& name : v->kernel.sizes)
    v->size_arguments.push_back(static_cast<long>(sizes.at(name)));
  for (std::size_t r = 0; r < plan.results.size(); ++r)
    if (plan.targets[r].kind == ResultTarget::Kind::returned)
      v->shapes.push_back(numbers(with_sizes(plan.results[r].type, sizes)));
  return v;
}

const Callable::Variant& Callable::Impl::variant(const Sizes& sizes, const Around& around,
                                                 const LayoutRequest& layout) const {
  const std::tuple key{sizes, around, str(layout)};
  {
    const std::shared_lock lock(mutex);
    if (const auto it = variants.find(key); it != variants.end()) return *it->second;
  }
  const std::unique_lock lock(mutex);
  if (const auto it = variants.find(key); it != variants.end()) return *it->second;
  return *variants.emplace(key, make(sizes, around, layout)).first->second;
}

LayoutRequest Callable::Impl::layout_of_derivation() const {
  return options.derivation ? layout_by(*options.derivation) : kCallersLayout;
}

LayoutRequest Callable::Impl::layout_of_call(std::span<const ArgumentValue> arguments,
                                             const std::string& where) const {
  std::optional<LayoutRequest> all;
  bool differ = false;
  std::string each;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (signature.arguments[i].is_scalar()) continue;
    const LayoutRequest& l = arguments[i].layout;
    each += (each.empty() ? "" : ", ") + plan.argument_text(i) + " in '" + str(l) + "'";
    differ |= all && *all != l;
    all = l;
  }
  const LayoutRequest of_kernel = layout_of_derivation();
  if (differ || (options.derivation && all && *all != of_kernel))
    throw UserError(
        plan.program.name + ": its kernel takes all arrays in one layout" +
        (options.derivation ? ", '" + str(of_kernel) + "' by its derivation" : "") + ", the call has " +
        each + "; pass each as a lift::stored_array (or a lift::device_array made from one) in that layout" +
        where);
  return all.value_or(of_kernel);
}

Around Callable::Impl::around_of_call(std::span<const ArgumentValue> arguments,
                                      const std::string& where) const {
  if (options.device) return {};  // to be copied there, without the gaps
  Around around(arguments.size());
  bool gaps = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].contiguous()) continue;
    if (auto lengths = lengths_around(arguments[i])) {
      around[i] = std::move(*lengths), gaps = true;
    } else if (!options.copy_views) {
      throw UserError(
          view_text(plan, arguments, i) +
          ", which a kernel cannot walk: rows are to have no gaps between their elements, and begin "
          "at multiples of one length; copy it, transpose it in the expression, or set "
          "CompileOptions::copy_views" +
          where);
    }
  }
  return gaps ? around : Around{};
}

Sizes Callable::Impl::sizes_of_call(std::span<const ArgumentValue> arguments,
                                    const std::string& where) const {
  std::string shapes;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!signature.arguments[i].is_scalar())
      shapes += (shapes.empty() ? "" : ", ") +
                (i < plan.program.arguments.size() ? param_name(plan.program.arguments[i]) : "result") + " " +
                shape_text(arguments[i]);
  Sizes sizes;
  try {
    sizes = solve_sizes(equations_of(plan, signature, arguments), options.sizes);
  } catch (const UserError& e) {
    const std::string what = e.what();
    const bool about_result = what.find("(the result)") != std::string::npos;
    throw UserError(what + " (" + shapes + ")" +
                    (about_result ? boundary_hint(plan.program) : "; pass arrays of lengths that agree") +
                    where);
  }
  for (const NatAtom* v : size_variables(plan.program))
    if (!sizes.contains(v->name))
      throw UserError(
          plan.program.name + ": the size '" + v->name + "' does not follow from the arguments (" + shapes +
          "); pass a lift::array_view, which has a shape, or give it in CompileOptions::sizes" + where);
  return sizes;
}

Callable::Callable(const Program& program, Signature signature, CompileOptions options,
                   std::source_location where)
    : impl_(std::make_unique<Impl>()) {
  const Region region;  // what is made goes with it, but for what is kept
  settle_device(options, program, signature, line_of(where));
  impl_->plan = plan_of(program, signature, options, line_of(where));
  Nodes nodes = nodes_of(impl_->plan.program);
  for (const ProgramResult& r : impl_->plan.results) nodes.types.push_back(r.type);
  impl_->kept = nodes;
  impl_->signature = std::move(signature);
  impl_->options = std::move(options);
  check_rules(impl_->options, name(), line_of(where));
  const auto wanted = size_variables(impl_->plan.program);
  std::string all;
  for (const NatAtom* v : wanted) all += (all.empty() ? "its sizes are " : ", ") + v->name;
  for (const auto& size : impl_->options.sizes)
    if (std::none_of(wanted.begin(), wanted.end(), [&](const NatAtom* v) { return v->name == size.first; }))
      throw UserError(name() + ": there is no size '" + size.first + "'; " +
                      (all.empty() ? "all its lengths are numbers" : all) + line_of(where));
  if (wanted.empty()) (void)variant(Sizes{}, where);
}
Callable::~Callable() = default;
Callable::Callable(Callable&&) noexcept = default;
Callable& Callable::operator=(Callable&&) noexcept = default;

const Callable::Variant& Callable::variant(std::span<const ArgumentValue> arguments,
                                           std::source_location where) const {
  std::vector<std::int64_t> shapes;
  for (const ArgumentValue& a : arguments) {
    shapes.insert(shapes.end(), a.shape.begin(), a.shape.begin() + a.rank);
    if (a.layout != kCallersLayout)
      shapes.insert(shapes.end(), {-2, static_cast<std::int64_t>(a.layout.kind), a.layout.align,
                                   a.layout.lead, a.layout.axes});
    if (!a.contiguous()) {
      shapes.push_back(-1);  // no length: strides follow
      shapes.insert(shapes.end(), a.strides.begin(), a.strides.begin() + a.rank);
    }
  }
  {
    const std::shared_lock lock(impl_->mutex);
    if (const auto it = impl_->by_shapes.find(shapes); it != impl_->by_shapes.end()) return *it->second;
  }
  const Region region;
  check_views(impl_->plan, arguments, line_of(where));
  const Sizes sizes = impl_->sizes_of_call(arguments, line_of(where));
  const LayoutRequest layout = impl_->layout_of_call(arguments, line_of(where));
  const Variant& v = variant(sizes, impl_->around_of_call(arguments, line_of(where)), layout, where);
  const std::unique_lock lock(impl_->mutex);
  impl_->by_shapes.emplace(std::move(shapes), &v);
  return v;
}

const Callable::Variant& Callable::variant(const Sizes& sizes, std::source_location where) const {
  return variant(sizes, Around{}, impl_->layout_of_derivation(), where);
}
const Callable::Variant& Callable::variant(const Sizes& sizes, const Around& around,
                                           const LayoutRequest& layout, std::source_location where) const {
  try {
    return impl_->variant(sizes, around, layout);
  } catch (const UserError& e) {
    throw UserError(e.what() + std::string(", asked for in") + line_of(where));
  }
}

std::vector<std::int64_t> Callable::returned_shape(const Variant& v, std::size_t returned) {
  return v.shapes.at(returned);
}
const std::string& Callable::source(const Variant& v) { return v.source; }
const Derivation& Callable::derivation(const Variant& v) { return v.derivation; }
const Kernel& Callable::kernel(const Variant& v) { return v.kernel; }
const Sizes& Callable::sizes(const Variant& v) { return v.sizes; }
const std::string& Callable::origin(const Variant& v) { return v.origin; }
std::string Callable::name() const { return impl_->plan.program.name; }
const std::optional<Device>& Callable::device() const { return impl_->options.device; }

}  // namespace lift
