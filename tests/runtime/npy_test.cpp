// Files of arrays as numpy writes and reads them.
#include <doctest/doctest.h>

#include "runtime/file.hpp"
#include "runtime/npy.hpp"
#include "tests/message.hpp"
#include "tests/runtime/scratch.hpp"

using namespace lift;
using lift::test::message;
using lift::test::Scratch;

namespace npy_test {

TEST_CASE("npy: headers are what numpy writes, and are read as what they say") {
  const Scratch scratch;
  const auto path = scratch.path() / "a.npy";
  // numpy.save of zeros((3, 4), 'f4'), and of zeros(5, bool).
  const std::string plane = std::string("\x93NUMPY\x01\x00v\x00", 10) +
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }" +
                            std::string(58, ' ') + "\n";
  CHECK(plane.size() == 128);
  CHECK(npy_header(f32, {3, 4}) == plane);
  CHECK(npy_header(boolean, {5}).find("{'descr': '|b1', 'fortran_order': False, 'shape': (5,") == 10);
  for (const Scalar type : kScalarTypes)
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, {7}, {2, 3}, {1000000, 2000000, 3, 4}}) {
      write_file_atomically(path, npy_header(type, shape) + "elements");
      const NpyHeader header = read_npy_header(path);
      CHECK(header.type == type);
      CHECK(header.shape == shape);
      CHECK(header.bytes % 64 == 0);
      CHECK(read_file(path).substr(header.bytes) == "elements");
    }
  // Version 2 has a longer length; older ones pad to 16 bytes.
  const std::string text = "{'shape':(2,),'fortran_order':False,'descr':'<i4'}\n";
  write_file_atomically(path, std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(text.size()) +
                                  std::string(3, '\0') + text);
  CHECK(str(read_npy_header(path)) == "2.i32");
  CHECK(read_npy_header(path).bytes == 12 + text.size());
}

TEST_CASE("npy: what no kernel takes is refused with what to do") {
  const Scratch scratch;
  const auto path = scratch.path() / "a.npy";
  const auto refusal = [&](const std::string& header) {
    std::string text = std::string("\x93NUMPY\x01\x00", 8);
    text += {static_cast<char>(header.size()), '\0'};
    write_file_atomically(path, text + header);
    const std::string said = message([&] { read_npy_header(path); });
    return said.starts_with(path.string()) ? said.substr(path.string().size()) : said;
  };
  CHECK(refusal("{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }") ==
        ": its elements are '<u8'; convert them to float32 (f32), float64 (f64), int32 (i32), int64 (i64), "
        "uint8 (u8) or bool, with .astype");
  CHECK(refusal("{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }").find("'>f8'") !=
        std::string::npos);
  CHECK(refusal("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }") ==
        ": its columns lie together; save numpy.ascontiguousarray(a), whose rows do");
  CHECK(refusal("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }") == "");  // one dimension is both
  CHECK(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (2, -3), }").find("damaged") !=
        std::string::npos);
  CHECK(refusal("{'descr': '<f8'").find("damaged") != std::string::npos);
  write_file_atomically(path, "P5 640 480 255 ");
  CHECK(message([&] { read_npy_header(path); }).find("is no .npy file") != std::string::npos);
  write_file_atomically(path, "");
  CHECK(message([&] { read_npy_header(path); }).find("is no .npy file") != std::string::npos);
}

}  // namespace npy_test
