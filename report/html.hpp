// Pieces of HTML. Texts are escaped here; what is called html is taken as it is.
#pragma once

#include <string>
#include <vector>

namespace lift::report {

std::string section(const std::string& id, const std::string& title, const std::string& html);
std::string paragraph(const std::string& text);
/// For a chart: `name` is what it shows, for those who cannot see it.
std::string canvas(const std::string& id, const std::string& name);
/// Columns from the second on are numbers where `numbers` says so. Cells are texts.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> numbers;
  std::string html() const;
};
/// Code that has been highlighted.
std::string code_block(const std::string& html);

/// Of times that are known; "" of 0. Four digits.
std::string ms_text(double ms);
/// "1.23x"; "" of 0.
std::string times_text(double factor);
std::string percent_text(double share);
std::string plain_number(double n);

}  // namespace lift::report
