#include "tuning/search/odometer.hpp"

namespace lift {

Configuration Odometer::configuration() const {
  Configuration c;
  for (std::size_t i = 0; i < wheels_.size(); ++i)
    c.set(*space_->parameters()[i].key, wheels_[i].first[wheels_[i].second]);
  return c;
}

void Odometer::complete() {
  Configuration c = configuration();
  for (std::size_t i = wheels_.size(); i < space_->parameters().size(); ++i) {
    const Key& key = *space_->parameters()[i].key;
    wheels_.emplace_back(space_->allowed(c, key), 0);
    c.set(key, wheels_.back().first.front());
  }
}

bool Odometer::step() {
  while (!wheels_.empty() && wheels_.back().second + 1 == wheels_.back().first.size()) wheels_.pop_back();
  if (wheels_.empty()) return false;
  ++wheels_.back().second;
  complete();
  return true;
}

}  // namespace lift
