#include "report/field.hpp"

#include <cmath>

#include "ir/error.hpp"

namespace lift::report {

void Field::refuse(const char* wanted) const {
  throw UserError("it is no result that liftgen explore --json has written: '" + path_ + "' is " +
                  (json_ == nullptr ? "missing" : json_->type_name()) + " where " + wanted + " belongs");
}

Field Field::operator[](const std::string& name) const {
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (!known()) return {nullptr, path};
  if (!json_->is_object()) refuse("an object");
  const auto at = json_->find(name);
  return {at == json_->end() ? nullptr : &*at, path};
}

double Field::number() const {
  if (!known()) return 0;
  if (!json_->is_number()) refuse("a number");
  const double value = json_->get<double>();
  constexpr double most = 1e30;  // quotients and products of a few of them are finite
  if (std::fabs(value) > most || (value != 0 && std::fabs(value) < 1 / most))
    refuse("a number of common size");
  return value;
}

std::string Field::text() const {
  if (!known()) return "";
  if (!json_->is_string()) refuse("a text");
  return json_->get<std::string>();
}

bool Field::flag() const {
  if (!known()) return false;
  if (!json_->is_boolean()) refuse("true or false");
  return json_->get<bool>();
}

std::string Field::scalar() const {
  if (!known()) return "";
  if (json_->is_string()) return json_->get<std::string>();
  if (json_->is_number() || json_->is_boolean()) return json_->dump();
  refuse("a text or a number");
}

std::vector<Field> Field::items() const {
  std::vector<Field> all;
  if (!known()) return all;
  if (!json_->is_array()) refuse("a list");
  for (std::size_t i = 0; i < json_->size(); ++i)
    all.emplace_back(&(*json_)[i], path_ + "[" + std::to_string(i) + "]");
  return all;
}

std::vector<std::pair<std::string, Field>> Field::entries() const {
  std::vector<std::pair<std::string, Field>> all;
  if (!known()) return all;
  if (!json_->is_object()) refuse("an object");
  for (const auto& [name, value] : json_->items()) all.emplace_back(name, Field(&value, path_ + "." + name));
  return all;
}

}  // namespace lift::report
