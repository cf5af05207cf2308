// Arrays as numpy writes them to files (.npy, format versions 1 to 3): row-major, in the machine's byte
// order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr/type.hpp"

namespace lift {

/// What stands before the elements.
struct NpyHeader {
  Scalar type = f64;
  std::vector<std::int64_t> shape;  ///< none: a number
  std::size_t bytes = 0;            ///< of the header: where the elements begin
};

bool is_npy(const std::filesystem::path& path);  ///< by its name

/// The header of an array of numbers or truth values.
std::string npy_header(Scalar type, const std::vector<std::int64_t>& shape);
/// The same from a file, of which only that is read. UserError: it is no such file, or holds what no kernel
/// takes: other types, another byte order, columns first.
NpyHeader read_npy_header(const std::filesystem::path& path);
/// "480.640.f32", as types of the language are written.
std::string str(const NpyHeader& header);

}  // namespace lift
