#include "rewrite/space/space.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "rewrite/engine/strategy.hpp"
#include "rewrite/rules/layout_step.hpp"
#include "rewrite/space/class_keys.hpp"
#include "rewrite/space/keys.hpp"
#include "rewrite/space/variants.hpp"

namespace lift {
namespace {

Settings admitted(const BoundDecision& d, const Configuration& chosen) {
  Settings r = d.allowed(chosen);
  if (r.empty())
    throw InternalError("space: no value of " + std::string(d.key->name) +
                        " agrees with the choices before it");
  return r;
}

UserError no_such(std::string_view name) {
  return UserError("parameter '" + std::string(name) +
                   "' does not exist in this space; see its list of parameters");
}

const BoundDecision& find(const Variants& variants, std::string_view name) {
  for (const BoundDecision& d : variants.decisions())
    if (d.key->name == name) return d;
  throw no_such(name);
}

/// Every decision taken, those that `given` leaves open by their first setting.
Configuration completed(const Variants& variants, const Configuration& given) {
  for (const auto& entry : given) find(variants, entry.key->name);
  Configuration c;
  for (const BoundDecision& d : variants.decisions()) {
    const Settings allowed = admitted(d, c);
    const Setting* wanted = given.find(*d.key);
    if (wanted != nullptr && !contains(allowed, *wanted))
      throw UserError("parameter " + std::string(d.key->name) + " cannot be '" + d.key->text(*wanted) +
                      "' here: " + (allowed.size() == 1 ? "only '" : "the first possible value is '") +
                      d.key->text(allowed.front()) + "'");
    c.set(*d.key, wanted != nullptr ? *wanted : allowed.front());
  }
  return c;
}

}  // namespace

std::vector<SwitchKind> switch_kinds() {
  std::vector<SwitchKind> r;
  for (const Decision* d : all_decisions())
    if (d->switched.title != nullptr) r.push_back({d->key, d->switched.title, d->switched.absent});
  return r;
}

Space::Space(const Program& program, const SpaceOptions& options)
    : program_(program),
      only_layout_(options.only_layout),
      on_threads_(!is_grid(options.target)),
      variants_(variants_of(program, options)) {
  for (const BoundDecision& d : variants_->decisions())
    if (d.settings.size() > 1) (d.searched ? parameters_ : comparisons_).push_back({d.key, d.settings});
}

Settings Space::allowed(const Configuration& chosen, const Key& decision) const {
  return admitted(find(*variants_, decision.name), chosen);
}

std::vector<std::string> Space::allowed_texts(const Configuration& chosen, std::string_view decision) const {
  const BoundDecision& d = find(*variants_, decision);
  std::vector<std::string> r;
  for (const Setting& s : admitted(d, chosen)) r.push_back(d.key->text(s));
  return r;
}

bool Space::gets_layout() const {
  const auto& decisions = variants_->decisions();
  return only_layout_ && only_layout_ != kCallersLayout &&
         std::none_of(decisions.begin(), decisions.end(),
                      [](const BoundDecision& d) { return d.key->name == key::layout.name; });
}

namespace {

/// Whether it has been decided that no update is in place, where one could be.
bool keeps_bases(const Variants& variants, const Configuration& c) {
  const auto& all = variants.decisions();
  const auto d =
      std::find_if(all.begin(), all.end(), [](const BoundDecision& x) { return x.key == &key::in_place; });
  if (d == all.end() || c.find(key::in_place) == nullptr || c[key::in_place]) return false;
  Configuration before;
  for (auto x = all.begin(); x != d; ++x) before.set(*x->key, *c.find(*x->key));
  return contains(d->allowed(before), setting_of(true));
}

}  // namespace

Rewriting Space::derived(const Configuration& given) const {
  const Configuration c = completed(*variants_, given);
  Rewriting r = variants_->derive(c);
  if (on_threads_ && !keeps_bases(*variants_, c))
    if (auto in_place = use("overwrite-dead")(r, {})) r = std::move(*in_place);
  if (!gets_layout()) return r;
  const Step step = layout_step(*only_layout_);
  return run(use(step.rule, step.parameters), std::move(r));
}

Derivation Space::derive(const Configuration& c) const { return derived(c).steps; }

std::string Space::structure(const Configuration& c) const { return variants_->words(c); }

std::string Space::layout(const Configuration& c) const {
  if (only_layout_) return only_layout_ == kCallersLayout ? "" : str(*only_layout_);
  const Choice& layout = c[key::layout];
  return layout.index == kCallerLayout ? "" : key::layout.text(layout);
}

namespace {

bool is_about(const BoundDecision& d, std::initializer_list<const Key*> keys) {
  const std::string_view name = class_of(d.key->name).first;
  return std::any_of(keys.begin(), keys.end(), [&](const Key* k) { return name == k->name; });
}

/// Each decision's plain setting, but for those about which loops there are, which suit one another.
Configuration plain(const Variants& variants, bool tiled) {
  Configuration c;
  for (const BoundDecision& d : variants.decisions()) {
    const Settings allowed = admitted(d, c);
    const bool suits = !d.searched || (tiled && is_about(d, {&key::tile})) ||
                       is_about(d, {&key::width, &key::parallel, &key::grid, &key::order});
    const auto at = std::find_if(allowed.begin(), allowed.end(), [&](const Setting& s) {
      if (is_about(d, {&key::stages})) return s == setting_of(Stages::work);
      if (is_about(d, {&key::inner})) return s == setting_of(Inner::vec);
      return !suits && is_plain(*d.key, s);
    });
    c.set(*d.key, at != allowed.end() ? *at : d.suits(c, allowed));
  }
  return c;
}

}  // namespace

/// Where there is but one loop, threads share tiles of it.
Configuration Space::as_written() const {
  const Configuration c = plain(*variants_, false);
  const auto& all = variants_->decisions();
  const bool shared = std::any_of(all.begin(), all.end(), [&](const BoundDecision& d) {
    return is_about(d, {&key::parallel}) && *c.find(*d.key) != setting_of(Loops{});
  });
  return shared ? c : plain(*variants_, true);
}

std::vector<Configuration> Space::seeds() const {
  std::vector<Configuration> r;
  const auto searched = [&](const Configuration& c) {
    Configuration only;  // what is a parameter
    for (const Parameter& p : parameters_) only.set(*p.key, *c.find(*p.key));
    return only;
  };
  for (const Wishes& wishes : variants_->first_guesses())
    if (const auto c = granted(*variants_, wishes)) add_new(r, searched(*c));
  const Configuration plain = searched(as_written());
  if (on_threads_ && std::find(r.begin(), r.end(), plain) == r.end())
    r.insert(r.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, r.size())), plain);
  return r;
}

}  // namespace lift
