// Fields of a JSON document that others may have written: each is what it has to be, or absent, or an error
// that names it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lift::report {

/// null stands for what is not known, as does a field that is not there: numbers are then 0, texts empty.
class Field {
 public:
  using Json = nlohmann::ordered_json;

  Field(const Json* json, std::string path) : json_(json), path_(std::move(path)) {}

  bool known() const { return json_ != nullptr && !json_->is_null(); }
  const std::string& path() const { return path_; }

  // UserError, one line, where something else is there.
  Field operator[](const std::string& name) const;
  double number() const;
  std::string text() const;
  bool flag() const;
  std::string scalar() const;  ///< a text, a number or a flag, as a text
  std::vector<Field> items() const;
  std::vector<std::pair<std::string, Field>> entries() const;  ///< of an object

 private:
  [[noreturn]] void refuse(const char* wanted) const;

  const Json* json_;
  std::string path_;
};

}  // namespace lift::report
