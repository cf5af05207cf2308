#include "ir/region.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace lift {
namespace {

thread_local bool within = false;
std::atomic<bool> in_use{false};
std::atomic<std::uint64_t> sweeps{0};

/// Of the process. Its mutex is locked before those of tables.
struct Regions {
  std::mutex mutex;
  std::multimap<detail::TableOrder, detail::Table*> tables;
  std::vector<std::function<void()>> forgetting;
  std::map<const void*, std::function<void(detail::Stay)>> held;
  std::size_t open = 0, gone = 0, after = 1 << 17;
};
Regions& regions() {
  static auto& s = *new Regions;
  return s;
}

std::size_t may_go(const Regions& s) {
  std::size_t n = 0;
  for (const auto& [order, table] : s.tables) n += table->size();
  return n;
}

void sweep(Regions& s) {
  for (const auto& [order, table] : s.tables) table->lock();
  for (const auto& [holder, raise] : s.held) raise(detail::Stay::marked);
  for (auto i = s.tables.rbegin(); i != s.tables.rend(); ++i) i->second->mark();
  for (const auto& forget : s.forgetting) forget();
  for (const auto& [order, table] : s.tables) s.gone += table->sweep();
  ++sweeps;
  for (auto i = s.tables.rbegin(); i != s.tables.rend(); ++i) i->second->unlock();
}

}  // namespace

Region::Region() : before_(within) {
  if (before_) return;
  const std::lock_guard lock(regions().mutex);
  ++regions().open;
  in_use = within = true;
}
Region::~Region() {
  if (before_) return;
  within = false;
  Regions& s = regions();
  const std::lock_guard lock(s.mutex);
  if (--s.open == 0 && may_go(s) >= s.after) sweep(s);
}

OutsideRegions::OutsideRegions() : before_(within) { within = false; }
OutsideRegions::~OutsideRegions() { within = before_; }

Swept swept() {
  const std::lock_guard lock(regions().mutex);
  return {may_go(regions()), regions().gone, sweeps};
}
std::size_t set_sweep_after(std::size_t nodes) {
  const std::lock_guard lock(regions().mutex);
  return std::exchange(regions().after, nodes);
}

namespace detail {
bool within_region() { return within; }
bool regions_are_in_use() { return in_use.load(std::memory_order_relaxed); }
std::uint64_t sweep_number() { return sweeps.load(std::memory_order_relaxed); }

void add_table(TableOrder order, Table& table) {
  const std::lock_guard lock(regions().mutex);
  regions().tables.emplace(order, &table);
}
void add_forgetting(std::function<void()> forget) {
  const std::lock_guard lock(regions().mutex);
  regions().forgetting.push_back(std::move(forget));
}
void hold(const void* holder, std::function<void(Stay)> raise) {
  const std::lock_guard lock(regions().mutex);
  if (raise)
    regions().held[holder] = std::move(raise);
  else
    regions().held.erase(holder);
}
void let_go(const void* holder) { hold(holder, {}); }
}  // namespace detail
}  // namespace lift
