// A locale whose numbers have a comma and grouped digits, made for the length of a test: whether the machine
// has one is of no matter.
#pragma once

#include <doctest/doctest.h>

#include <clocale>
#include <locale>

#include "runtime/process.hpp"
#include "tests/runtime/scratch.hpp"

namespace lift::test {

class DecimalComma {
 public:
  static constexpr const char* kName = "de_DE.UTF-8";

  DecimalComma() : place_("LOCPATH", folder_.path().string()) {
    const auto made = run_process(
        {"localedef", "--no-archive", "-c", "-i", "de_DE", "-f", "UTF-8", (folder_.path() / kName).string()});
    REQUIRE_MESSAGE(made.status == 0,
                    "localedef, of the Debian packages libc-bin and locales: " << made.output);
  }
  std::string folder() const { return folder_.path().string(); }

 private:
  Scratch folder_;
  Variable place_;
};

/// As a host program sets it: of C and of C++.
class InDecimalComma {
 public:
  InDecimalComma() : before_(std::locale::global(std::locale(DecimalComma::kName))) {
    REQUIRE(std::string(std::localeconv()->decimal_point) == ",");
  }
  ~InDecimalComma() { std::locale::global(before_); }
  InDecimalComma(const InDecimalComma&) = delete;
  InDecimalComma& operator=(const InDecimalComma&) = delete;

 private:
  std::locale before_;
};

}  // namespace lift::test
