#include "tuning/data_files.hpp"

#include <cstring>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "patterns/host_data.hpp"
#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tuning/problem_data.hpp"

namespace lift {
namespace {

std::string what_is_there(const DataFile& file, const NpyHeader& header) {
  return file.declared_at + ": " + file.path.string() + " holds " + str(header);
}

NpyHeader header_of(const DataFile& file) {
  try {
    return read_npy_header(file.path);
  } catch (const UserError& error) {
    throw UserError(file.declared_at + ": " + error.what() + file.relative_to);
  }
}

}  // namespace

Sizes sizes_of_files(const Program& program, const DataFiles& files, const Sizes& given) {
  std::vector<LengthEquation> equations;
  for (const Expr& argument : program.arguments) {
    const auto file = files.find(param_name(argument));
    if (file == files.end() || !file->second.npy) continue;
    const NpyHeader header = header_of(file->second);
    const std::vector<Nat> lengths = shape_of(argument.type());
    if (lengths.size() != header.shape.size())
      throw UserError(what_is_there(file->second, header) + ", but " + param_name(argument) + " is " +
                      argument.type().str() + "; an array of as many dimensions is needed");
    for (std::size_t d = 0; d < lengths.size(); ++d)
      equations.push_back({lengths[d], header.shape[d],
                           file->second.declared_at + ": dimension " + std::to_string(d) + " of " +
                               file->second.path.string()});
  }
  return solve_sizes(equations, given);
}

void check_data_file(const DataFile& file, const Expr& argument) {
  const std::string wanted = param_name(argument) + " : " + argument.type().str();
  if (file.npy) {
    const NpyHeader header = header_of(file);
    if (header.type != element_of(argument.type()).scalar() || header.shape != host::lengths(argument.type()))
      throw UserError(what_is_there(file, header) + ", but wanted is " + wanted +
                      "; change the size, the type or the file");
  }
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file.path, error);
  if (error)
    throw UserError(file.declared_at + ": the data of " + param_name(argument) + ", " + file.path.string() +
                    ", cannot be read: " + error.message() + file.relative_to);
  const std::size_t needed = bytes_of(argument.type());
  if (!file.npy && bytes != needed)
    throw UserError(file.declared_at + ": " + file.path.string() + " has " + std::to_string(bytes) +
                    " bytes, but " + wanted + " has " + std::to_string(needed) +
                    "; change the size or the file");
}

void read_data_file(const std::filesystem::path& path, bool npy, const HostArray& into, bool whole) {
  const std::string bytes = read_file(path);
  const std::size_t wanted = bytes_of(into.type), before = npy ? read_npy_header(path).bytes : 0,
                    there = bytes.size() - std::min(before, bytes.size());
  if (there < wanted || (whole && there > wanted))
    throw UserError(path.string() + ": " + std::to_string(there) + " bytes, but " + into.name + " is " +
                    into.type.str() + " of " + std::to_string(wanted) +
                    " bytes; change the size or the file");
  std::memcpy(into.data, bytes.data() + before, wanted);
}

void write_data_file(const std::filesystem::path& path, const HostArray& from) {
  std::string bytes;
  if (is_npy(path)) bytes = npy_header(element_of(from.type).scalar(), host::lengths(from.type));
  bytes.append(static_cast<const char*>(from.data), bytes_of(from.type));
  write_file_atomically(path, bytes);
}

}  // namespace lift
