// One call of a kernel on a device. Private to this folder.
#pragma once

#include "embed/queue_parts.hpp"
#include "embed/variant.hpp"

namespace lift {

/// Returns when it is done; what lies on the host is copied there and back. See Callable::run.
void run_on_device(const Callable::Impl& impl, const Callable::Variant& v,
                   std::span<const ArgumentValue> arguments, std::span<void* const> returned,
                   std::source_location where);
/// See Callable::ask.
void ask_device(const Callable::Impl& impl, const Callable::Variant& v,
                std::span<const ArgumentValue> arguments, std::span<void* const> returned, Queue& queue,
                std::source_location where);

}  // namespace lift
