#include "runtime/cache.hpp"

#include "ir/error.hpp"

namespace lift {

BinaryCache::BinaryCache(const std::filesystem::path& directory) : vault_(directory) {
  vault_.prune(kMaxCacheBytes);
}

void BinaryCache::keep(const std::string& key, const std::string& binary) const {
  try {
    vault_.keep(key, ".bin", binary);
  } catch (const UserError&) {  // it will be built again
  }
}

}  // namespace lift
