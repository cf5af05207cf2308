// Source text of the language, and messages about places in it.
#pragma once

#include <string>

#include "ir/error.hpp"

namespace lift {

class Source {
 public:
  Source(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}
  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  int line_of(std::size_t at) const;  ///< counts from 1
  /// `name:line:column: message`, the line itself, and a caret below the place.
  std::string located(std::size_t at, const std::string& message) const;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw UserError(located(at, message));
  }

 private:
  std::string text_, name_;
};

}  // namespace lift
