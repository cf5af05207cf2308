#include "runtime/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "ir/ascii.hpp"
#include "ir/error.hpp"

namespace lift {
namespace {

static_assert(std::endian::native == std::endian::little, "descriptions of types below say '<'");

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::size_t kAlignment = 64;     ///< of the elements within the file
constexpr std::size_t kMostBytes = 65536;  ///< of a header

struct Row {
  Scalar type;
  const char* name;
};
constexpr Row kTypes[] = {{f32, "<f4"}, {f64, "<f8"}, {i32, "<i4"},
                          {i64, "<i8"}, {u8, "|u1"},  {boolean, "|b1"}};

/// What follows 'KEY': in the header's text, a Python dictionary; "" when it is not there.
std::string_view value_of(std::string_view text, const std::string& key) {
  std::size_t at = text.find("'" + key + "'");
  if (at == std::string_view::npos) return "";
  at = text.find(':', at + key.size() + 2);
  if (at == std::string_view::npos) return "";
  at = text.find_first_not_of(' ', at + 1);
  return at == std::string_view::npos ? "" : text.substr(at);
}

std::string quoted(std::string_view value) {
  if (value.size() < 2 || value.front() != '\'') return "";
  const std::size_t end = value.find('\'', 1);
  return end == std::string_view::npos ? "" : std::string(value.substr(1, end - 1));
}

/// "(3, 4)", "(3,)", "()"; false when it is none.
bool parse_shape(std::string_view value, std::vector<std::int64_t>& shape) {
  const std::size_t end = value.find(')');
  if (!value.starts_with('(') || end == std::string_view::npos) return false;
  std::int64_t n = -1;  // no digit yet
  for (const char c : value.substr(1, end)) {
    if (is_digit(c)) {
      n = 10 * std::max<std::int64_t>(n, 0) + (c - '0');
      if (n > std::int64_t{1} << 48) return false;
    } else if (c == ',' || c == ')') {
      if (n >= 0) shape.push_back(n);
      n = -1;
    } else if (c != ' ') {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_npy(const std::filesystem::path& path) { return path.extension() == ".npy"; }

std::string npy_header(Scalar type, const std::vector<std::int64_t>& shape) {
  std::string lengths;
  for (const std::int64_t n : shape) lengths += std::to_string(n) + ", ";
  if (shape.size() > 1) lengths.resize(lengths.size() - 2);
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Row& r) { return r.type == type; });
  std::string text =
      "{'descr': '" + std::string(row->name) + "', 'fortran_order': False, 'shape': (" + lengths + "), }";
  const std::size_t before = kMagic.size() + 4;
  text.resize((before + text.size() + kAlignment) / kAlignment * kAlignment - before, ' ');
  text.back() = '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return header + text;
}

NpyHeader read_npy_header(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) { throw UserError(path.string() + ": " + why); };
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    refuse("is no file, but a pipe, a device or a folder; write the data to a file first");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse(std::string("cannot be read: ") + std::strerror(errno));
  unsigned char fixed[12] = {};
  in.read(reinterpret_cast<char*>(fixed), 10);
  if (!in || std::string_view(reinterpret_cast<char*>(fixed), kMagic.size()) != kMagic || fixed[6] < 1 ||
      fixed[6] > 3)
    refuse("is no .npy file, as numpy.save writes them");
  std::size_t bytes = fixed[8] + 256U * fixed[9], before = 10;
  if (fixed[6] > 1) {
    in.read(reinterpret_cast<char*>(fixed) + 10, 2);
    bytes += 65536U * fixed[10] + 16777216U * fixed[11], before = 12;
  }
  std::string text(std::min(bytes, kMostBytes), ' ');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  NpyHeader header;
  if (!in || bytes > kMostBytes || !parse_shape(value_of(text, "shape"), header.shape))
    refuse("the header of this .npy file is damaged");
  header.bytes = before + bytes;
  const std::string type = quoted(value_of(text, "descr"));
  const auto* row =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Row& r) { return type == r.name; });
  if (row == std::end(kTypes))
    refuse("its elements are '" + type +
           "'; convert them to float32 (f32), float64 (f64), int32 (i32), int64 (i64), uint8 (u8) or bool, "
           "with .astype");
  header.type = row->type;
  if (value_of(text, "fortran_order").starts_with("True") && header.shape.size() > 1)
    refuse("its columns lie together; save numpy.ascontiguousarray(a), whose rows do");
  return header;
}

std::string str(const NpyHeader& header) {
  std::string s;
  for (const std::int64_t n : header.shape) s += std::to_string(n) + ".";
  return s + text(header.type);
}

}  // namespace lift
