// Vectors in C: types and functions by the extensions that gcc and clang share. Whoever prints asks for
// names; what was asked for is defined before the text that has the names in it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lower/loops/loop.hpp"

namespace lift {

/// Lanes of masks for vectors of a width, all of which are narrower than numbers that are computed with.
std::map<int, Scalar> narrow_masks(const Block& b);

class VectorTypes {
 public:
  /// Masks have lanes as wide as `real`, those of some widths as `narrow` says.
  explicit VectorTypes(Scalar real, std::map<int, Scalar> narrow = {})
      : real_(real), narrow_(std::move(narrow)) {}
  Scalar mask_lane(int width) const {
    const auto it = narrow_.find(width);
    return it == narrow_.end() ? real_ : it->second;
  }

  /// f64x4; of truth values, the mask type: mask4.
  std::string type(Scalar s, int width);
  /// The first without asking for a definition.
  static std::string name(Scalar s, int width);

  // ---- functions: those of a type, each the name of one that takes
  std::string load(Scalar s, int width) { return function("load_", s, width); }    ///< (address)
  std::string store(Scalar s, int width) { return function("store_", s, width); }  ///< (address, vector)
  std::string stream(Scalar s, int width);                                         ///< past the cache
  std::string splat(Scalar s, int width) { return function("splat_", s, width); }  ///< (number)
  std::string select(Scalar s, int width);                                         ///< (mask, then, else)
  /// (vector of f32), to f64, lane by lane: GCC 12 fails where it takes vectors that it has widened itself,
  /// and that are longer than the machine's, for bits ("internal compiler error: in convert_mode_scalar").
  std::string widen(int width);
  /// (vector of i32, positive number): the remainder, never negative, and the quotient, rounded down. Nested
  /// ones, spelled out, would double their text each time.
  std::string remainder(int width);
  std::string quotient(int width);
  std::string from_bytes(int width);           ///< (vector of u8), to i32
  std::string to_bytes(int width);             ///< (vector of i32), to u8
  std::string from_bytes_to_words(int width);  ///< (vector of u8), to u16
  std::string to_bytes_from_words(int width);  ///< (vector of u16), to u8
  std::string shuffle(const Term& t);          ///< (vector) or (vector, vector), as t has arguments

  /// Some function is of the machine's instructions; some takes vectors.
  bool has_intrinsics() const {
    return streams_ || !from_bytes_.empty() || !to_bytes_.empty() || !words_.empty();
  }
  bool passes() const {
    return has_intrinsics() || !shuffles_.empty() || !widened_.empty() || !remainders_.empty() ||
           !quotients_.empty();
  }
  std::string definitions() const;

 private:
  struct Shuffle {
    Scalar type;
    int width;
    std::size_t args;
    std::vector<int> lanes;
    friend bool operator==(const Shuffle&, const Shuffle&) = default;
  };

  std::string function(const std::string& what, Scalar s, int width);
  std::string masks() const;
  std::string mask_functions(int width) const;
  std::string definitions(Scalar s, int width) const;
  /// A function that takes vectors is a macro, as how vectors are passed varies. Empty for one not asked for.
  std::string macro(const std::string& function, const std::string& arguments,
                    const std::string& value) const;
  std::string selection(Scalar s, int width) const;
  std::string streaming(Scalar s, int width) const;
  std::string byte_conversion(int width, bool widens) const;
  std::string word_conversion(int width, bool widens) const;
  std::string shuffle_function(const Shuffle& x, const std::string& function) const;

  Scalar real_;
  std::map<int, Scalar> narrow_;
  std::set<std::pair<Scalar, int>> types_;  ///< but masks
  std::set<int> masks_;                     ///< their widths
  std::set<int> widened_;                   ///< widths
  std::set<int> remainders_, quotients_;    ///< widths
  std::set<int> from_bytes_, to_bytes_;     ///< widths
  std::set<std::pair<int, bool>> words_;    ///< widths of what goes between u8 and u16, and whether it widens
  std::set<std::string> functions_;
  std::vector<std::pair<Shuffle, std::string>> shuffles_;  ///< with their names, in order of appearance
  int other_shuffles_ = 0;                                 ///< those without a name of their own
  bool streams_ = false;
};

}  // namespace lift
