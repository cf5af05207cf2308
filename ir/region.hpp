// How long nodes live: expressions, types, nats and terms are interned, and their handles count nothing.
//
// Outside of regions nodes stay for ever, and every handle stays valid. What a thread makes within a Region
// may go when the region has ended, unless it is held (Held), or a thread outside has met it: whatever such a
// thread makes or finds stays for ever, with all it is made of. So a host that works on many programs puts
// each into a region; hosts that have none lose nothing.
//
// Nodes go at quiescence alone: when the last region of the process ends, and there are enough of them. See
// docs/decisions/0027-regions.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "ir/error.hpp"

namespace lift {

/// While it lives, what this thread makes may go afterwards. Regions within regions are part of the
/// outermost. Threads that are started within one are outside, unless they have one of their own, and are
/// joined before it ends.
class Region {
 public:
  Region();
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  bool before_;
};

/// While it lives, what this thread makes or finds stays for ever: for statics that are made when they are
/// first asked for.
class OutsideRegions {
 public:
  OutsideRegions();
  ~OutsideRegions();
  OutsideRegions(const OutsideRegions&) = delete;
  OutsideRegions& operator=(const OutsideRegions&) = delete;

 private:
  bool before_;
};

/// f(), for ever.
template <class F>
auto for_ever(F&& f) {
  const OutsideRegions outside;
  return f();
}

struct Swept {
  std::size_t may_go = 0;  ///< nodes of regions that are there
  std::size_t gone = 0;    ///< those that went so far
  std::size_t sweeps = 0;
};
Swept swept();
/// Nodes that are waited for before they go; 0: they go when the last region ends. Returns what it was
/// before.
std::size_t set_sweep_after(std::size_t nodes);

namespace detail {

/// How long a node stays; what it is made of stays as long.
enum class Stay : std::uint8_t { region, marked, for_ever };

/// Of a node. Threads read it while another raises it.
class Stays {
 public:
  Stays() = default;
  Stays(const Stays& s) noexcept : stay_(s.get()) {}
  Stays& operator=(const Stays& s) noexcept { return set(s.get()), *this; }
  Stay get() const { return stay_.load(std::memory_order_relaxed); }
  void set(Stay s) const { stay_.store(s, std::memory_order_relaxed); }
  /// Whether it was less.
  bool raise(Stay s) const { return get() < s && (set(s), true); }

 private:
  mutable std::atomic<Stay> stay_ = Stay::for_ever;
};

bool within_region();          ///< this thread is
bool regions_are_in_use();     ///< there has been one: there may be nodes that go
std::uint64_t sweep_number();  ///< what a thread remembers by itself is of one sweep

/// The nodes of a table since regions are in use; used while the table is locked. A node has `stays`.
template <class Node>
class Comings {
 public:
  void made(Node& n) {
    if (!regions_are_in_use()) return;
    n.stays.set(within_region() ? Stay::region : Stay::for_ever);
    nodes_.push_back(&n);
  }
  /// Found, where it was asked for.
  void met(Node& n) {
    if (n.stays.get() == Stay::for_ever || within_region()) return;
    n.stays.set(Stay::for_ever);
    raised_.push_back(&n);
  }
  /// What stays for ever, whose parts may not have been told.
  template <class F>
  void each_for_ever(F&& f) {
    for (Node* n : nodes_)
      if (n->stays.get() == Stay::for_ever) f(*n);
    for (Node* n : raised_) f(*n);
  }
  /// drop(node) for those of regions that nothing marked; how many.
  template <class F>
  std::size_t sweep(F&& drop) {
    std::vector<Node*> left;
    std::size_t gone = 0;
    for (Node* n : nodes_) {
      if (n->stays.get() == Stay::region)
        drop(*n), ++gone;
      else if (n->stays.get() == Stay::marked)
        n->stays.set(Stay::region), left.push_back(n);
    }
    nodes_ = std::move(left);
    raised_.clear(), raised_.shrink_to_fit();
    return gone;
  }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Node*> nodes_, raised_;
};

/// Where nodes lie, and their ids, which no other node ever has.
template <class Node>
class Places {
 public:
  Node& put(Node n) {
    if (next_ == std::numeric_limits<std::uint32_t>::max())
      throw UserError("this process has made as many expressions as it can number; go on in another one");
    n.id = next_++;
    if (free_.empty()) {
      if (used_ % kBlock == 0) blocks_.push_back(std::make_unique<Node[]>(kBlock));
      return blocks_.back()[used_++ % kBlock] = std::move(n);
    }
    Node* const place = free_.back();
    free_.pop_back();
    return *place = std::move(n);
  }
  void free(Node& n) {
    n = Node();
    free_.push_back(&n);
  }
  std::uint32_t next() const { return next_; }

 private:
  static constexpr std::size_t kBlock = 256;
  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::size_t used_ = 0;
  std::vector<Node*> free_;
  std::uint32_t next_ = 0;
};

/// A table of nodes, or of what is known of them. A table that locks another one while it is locked itself
/// comes first.
class Table {
 public:
  virtual ~Table() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
  /// Tells what nodes that stay for ever are made of; called from the last table to the first.
  virtual void mark() = 0;
  virtual std::size_t sweep() = 0;                ///< how many nodes went
  virtual std::size_t size() const { return 0; }  ///< nodes since regions are in use
};
enum class TableOrder : std::uint8_t { indices, positions, expressions, terms, types, nats };
void add_table(TableOrder order, Table& table);

/// Called when nodes go: for what remembers results that have handles.
void add_forgetting(std::function<void()> forget);

/// What is held, by the address of its holder.
void hold(const void* holder, std::function<void(Stay)> raise);
void let_go(const void* holder);

}  // namespace detail

/// A handle that keeps its node, and all that is made of, for as long as it lives.
template <class Handle>
class Held {
 public:
  Held() { detail::hold(this, {}); }
  Held(const Handle& h) : handle_(h) { hold(); }  // NOLINT: a handle becomes a held one
  Held(const Held& h) : handle_(h.handle_) { hold(); }
  Held& operator=(const Held& h) {
    handle_ = h.handle_;
    hold();
    return *this;
  }
  ~Held() { detail::let_go(this); }
  /// To be used within a region, or while this lives.
  const Handle& get() const { return handle_; }
  const Handle* operator->() const { return &handle_; }
  const Handle& operator*() const { return handle_; }

 private:
  void hold() {
    detail::hold(this, [h = handle_](detail::Stay s) { raise(h, s); });
  }
  Handle handle_{};
};

}  // namespace lift
