// Arguments from files and results into files: raw elements, row-major and in the machine's byte order, or
// numpy's .npy (runtime/npy.hpp).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "ir/expr/sizes.hpp"
#include "patterns/pattern.hpp"

namespace lift {

struct DataFile {
  std::filesystem::path path;
  bool npy = false;           ///< else raw
  std::string declared_at;    ///< for messages: "blur.lift:3", "--input x=x.npy"
  std::string relative_to{};  ///< "; its name is relative to the .lift file"
};
using DataFiles = std::map<std::string, DataFile>;  ///< by argument

/// Sizes that shapes of .npy files determine, beside those `given`; `program` is over size variables.
/// UserError: shapes that contradict one another or what is given, of another rank; not readable.
Sizes sizes_of_files(const Program& program, const DataFiles& files, const Sizes& given);

/// Before anything is computed: the file is there, and holds what `argument` is. UserError.
void check_data_file(const DataFile& file, const Expr& argument);

/// Fills an array; not `whole`: with the first elements of a larger one. UserError: a file that is shorter
/// or, if whole, of another length.
void read_data_file(const std::filesystem::path& path, bool npy, const HostArray& into, bool whole);

/// As numpy's where the name ends in .npy, else raw; what was there is replaced. UserError.
void write_data_file(const std::filesystem::path& path, const HostArray& from);

}  // namespace lift
