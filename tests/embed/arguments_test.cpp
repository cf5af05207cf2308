// Views in memory: which of them meet, which are blocks of an array, and what copies take out of them,
// against all their elements one by one.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "embed/arguments.hpp"
#include "embed/pitched.hpp"

using namespace lift;

namespace arguments_test {
namespace {

ArgumentValue view(void* data, const std::vector<std::int64_t>& shape,
                   const std::vector<std::int64_t>& strides) {
  ArgumentValue v;
  v.data = data, v.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), v.shape.begin());
  std::copy(strides.begin(), strides.end(), v.strides.begin());
  return v;
}
/// Of each element how many elements it lies from the first, in the order of rows.
std::vector<std::int64_t> offsets(const ArgumentValue& v) {
  std::vector<std::int64_t> all{0};
  for (std::size_t d = 0; d < static_cast<std::size_t>(v.rank); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t o : all)
      for (std::int64_t i = 0; i < v.shape[d]; ++i) next.push_back(o + i * v.strides[d]);
    all = next;
  }
  return all;
}
std::set<std::uintptr_t> bytes_of(const ArgumentValue& v, std::size_t bytes) {
  std::set<std::uintptr_t> all;
  for (const std::int64_t o : offsets(v))
    for (std::size_t b = 0; b < bytes; ++b)
      all.insert(reinterpret_cast<std::uintptr_t>(v.data) +
                 static_cast<std::uintptr_t>(o * static_cast<std::int64_t>(bytes)) + b);
  return all;
}
bool do_meet(const ArgumentValue& a, std::size_t a_bytes, const ArgumentValue& b, std::size_t b_bytes) {
  const auto of_a = bytes_of(a, a_bytes), of_b = bytes_of(b, b_bytes);
  return std::any_of(of_a.begin(), of_a.end(), [&](std::uintptr_t x) { return of_b.count(x) != 0; });
}

}  // namespace

TEST_CASE("arguments: views that have an element in common are said to, whatever their strides are") {
  std::mt19937 random(7);
  const auto some = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  std::vector<char> memory(4096);
  int met = 0, apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto any = [&](int rank) {
      std::vector<std::int64_t> shape, strides;
      for (int d = 0; d < rank; ++d) shape.push_back(some(1, 4)), strides.push_back(some(-3, 9));
      return std::pair(shape, strides);
    };
    const std::size_t a_bytes = some(0, 1) ? 8 : 4, b_bytes = some(0, 3) ? a_bytes : 4;
    const auto [shape, strides] = any(some(1, 3));
    auto [other, others] = any(some(0, 3) ? static_cast<int>(shape.size()) : some(1, 3));
    if (other.size() == shape.size() && some(0, 3)) others = strides;
    const ArgumentValue a = view(memory.data() + 2048, shape, strides),
                        b = view(memory.data() + 2048 + 4 * some(-40, 40), other, others);
    const bool expected = do_meet(a, a_bytes, b, b_bytes), got = overlap(a, a_bytes, b, b_bytes);
    (got ? met : apart) += 1;
    if (expected && !got) FAIL_CHECK(shape_text(a) << " and " << shape_text(b) << " meet");
    CHECK(got == overlap(b, b_bytes, a, a_bytes));
  }
  CHECK(met > 1000);
  CHECK(apart > 1000);
}

TEST_CASE("arguments: blocks of one array that lie between each other are apart") {
  // Rows of eight in planes of 48: what is said of blocks is exact.
  std::vector<double> memory(4 * 48);
  for (std::int64_t j = 0; j < 6; ++j)
    for (std::int64_t i = 0; i < 8; ++i)
      for (const std::vector<std::int64_t>& shape :
           {std::vector<std::int64_t>{2, 3, 4}, {1, 6, 1}, {3, 1, 8}, {2, 2, 2}}) {
        const ArgumentValue a = view(memory.data(), {2, 3, 4}, {48, 8, 1}),
                            b = view(memory.data() + 8 * j + i, shape, {48, 8, 1});
        CAPTURE(j);
        CAPTURE(i);
        CAPTURE(shape_text(b));
        CHECK(overlap(a, 8, b, 8) == do_meet(a, 8, b, 8));
      }
  // Colours of one row are apart; of other types, or half an element further on, that is not understood.
  const ArgumentValue red = view(memory.data(), {8}, {2}), black = view(memory.data() + 1, {8}, {2});
  CHECK_FALSE(overlap(red, 8, black, 8));
  CHECK(overlap(red, 8, view(memory.data() + 1, {8}, {3}), 8));
  // Transposed, blocks are as they were; rows that overlap one another are not understood.
  const auto turned = [&](std::int64_t at) { return view(memory.data() + at, {4, 3}, {1, 8}); };
  CHECK(overlap(turned(0), 8, turned(9), 8));
  CHECK(overlap(turned(0), 8, turned(2), 8));
  CHECK_FALSE(overlap(turned(0), 8, turned(4), 8));
  CHECK_FALSE(overlap(turned(4), 8, turned(0), 8));
  CHECK(overlap(view(memory.data(), {4, 3}, {2, 2}), 8, view(memory.data() + 1, {4, 3}, {2, 2}), 8));
  CHECK(overlap(red, 8, view(memory.data() + 1, {2, 4}, {8, 2}), 8));
  CHECK(overlap(red, 8, view(reinterpret_cast<char*>(memory.data()) + 4, {4}, {2}), 8));
  CHECK(overlap(red, 8, view(memory.data() + 1, {8}, {2}), 4));
  // A view from its last element backwards, and one that is all the same element.
  CHECK_FALSE(overlap(view(memory.data() + 7, {8}, {-1}), 8, view(memory.data() + 15, {8}, {-1}), 8));
  CHECK(overlap(view(memory.data() + 7, {8}, {-1}), 8, view(memory.data() + 3, {1}, {1}), 8));
  CHECK(overlap(view(memory.data() + 2, {5}, {0}), 8, red, 8));
}

TEST_CASE("arguments: a view is a block of an array exactly where its rows are those of one") {
  int blocks = 0;
  for (std::int64_t planes = 1; planes <= 3; ++planes)
    for (std::int64_t rows = 1; rows <= 3; ++rows)
      for (std::int64_t columns = 1; columns <= 3; ++columns)
        for (std::int64_t x = -1; x <= 14; ++x)
          for (std::int64_t y = -1; y <= 6; ++y)
            for (std::int64_t z = 0; z <= 2; ++z) {
              const ArgumentValue v = view(nullptr, {planes, rows, columns}, {x, y, z});
              const auto around = lengths_around(v);
              CAPTURE(shape_text(v));
              CAPTURE(x);
              CAPTURE(y);
              CAPTURE(z);
              if (around) {
                ++blocks;
                REQUIRE(around->size() == 3);
                std::vector<std::int64_t> expected;
                for (std::int64_t k = 0; k < planes; ++k)
                  for (std::int64_t j = 0; j < rows; ++j)
                    for (std::int64_t i = 0; i < columns; ++i)
                      expected.push_back((k * (*around)[1] + j) * (*around)[2] + i);
                CHECK(offsets(v) == expected);
                for (std::size_t d = 0; d < 3; ++d) CHECK((*around)[d] >= v.shape[d]);
              } else if (planes > 1 && rows > 1 && columns > 1) {
                // Neighbours apart, rows upon one another, or planes that begin within a row.
                CHECK((z != 1 || y < columns || x < rows * y || x % std::max<std::int64_t>(y, 1) != 0));
              }
            }
  CHECK(blocks > 100);
  CHECK(lengths_around(view(nullptr, {}, {})) == std::vector<std::int64_t>{});
  CHECK(lengths_around(view(nullptr, {5}, {1})) == std::vector<std::int64_t>{5});
  CHECK_FALSE(lengths_around(view(nullptr, {5}, {2})));
}

TEST_CASE("arguments: copies take the elements of a view, in the order of its rows, and put them back") {
  std::mt19937 random(3);
  const auto some = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int trial = 0; trial < 500; ++trial) {
    const int rank = some(1, 4);
    std::vector<std::int64_t> shape, strides;
    for (int d = 0; d < rank; ++d)
      shape.push_back(some(0, 9) ? some(1, 4) : 0), strides.push_back(some(-9, 9));
    if (some(0, 1)) strides.back() = 1;
    std::vector<float> memory(512), dense(256, -1);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    const ArgumentValue v = view(memory.data() + 256, shape, strides);
    const std::vector<std::int64_t> at = offsets(v);
    REQUIRE(static_cast<std::int64_t>(at.size()) == v.count());
    gather(v, sizeof(float), dense.data());
    for (std::size_t i = 0; i < at.size(); ++i) CHECK(dense[i] == static_cast<float>(256 + at[i]));
    CHECK(dense[at.size()] == -1);
    // Each element gets the last value that is meant for it; others stay.
    std::vector<float> expected = memory;
    for (std::size_t i = 0; i < at.size(); ++i) {
      dense[i] = static_cast<float>(1000 + i);
      expected[static_cast<std::size_t>(256 + at[i])] = dense[i];
    }
    scatter(dense.data(), sizeof(float), v);
    CHECK(memory == expected);
  }
}

TEST_CASE("arguments: rows without gaps are one after the other; lengths of one have no stride") {
  const auto contiguous = [](const std::vector<std::int64_t>& shape,
                             const std::vector<std::int64_t>& strides) {
    return view(nullptr, shape, strides).contiguous();
  };
  CHECK(contiguous({3, 4}, {4, 1}));
  CHECK_FALSE(contiguous({3, 4}, {5, 1}));
  CHECK_FALSE(contiguous({3, 4}, {4, 2}));
  CHECK(contiguous({1, 4}, {99, 1}));
  CHECK(contiguous({3, 1}, {1, 99}));
  CHECK_FALSE(contiguous({3, 1}, {2, 1}));
  CHECK(contiguous({}, {}));
  CHECK(shape_text(view(nullptr, {}, {})) == "a number");
  CHECK(as_array(view(nullptr, {}, {})).count() == 1);
  CHECK(as_array(view(nullptr, {}, {})).rank == 1);
  CHECK(as_array(view(nullptr, {2, 2}, {2, 1})).rank == 2);
}

}  // namespace arguments_test
