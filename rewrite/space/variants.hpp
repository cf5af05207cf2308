// The variants of a program: what there is to decide, in dependency order; what is said of a configuration,
// what is tried first, and how a configuration is derived. A program is one of loops that are around one
// thing (`Inside`), or is made of others: of parts, of forms, of what a step of a loop over time does.
#pragma once

#include <functional>
#include <memory>

#include "rewrite/space/decision.hpp"
#include "rewrite/space/options.hpp"

namespace lift {

/// Some decisions of a configuration, the others as the space would have them: of each a setting, or else how
/// one begins.
using Wishes = Configuration;

class Variants {
 public:
  virtual ~Variants() = default;
  virtual const std::vector<BoundDecision>& decisions() const = 0;  ///< in dependency order
  virtual std::string words(const Configuration& c) const = 0;
  virtual std::vector<Wishes> first_guesses() const = 0;  ///< best first; some are not possible in the space
  virtual Rewriting derive(const Configuration& c) const = 0;
};
/// The configuration that has what is wished for; nothing where the program does not allow it, but for
/// decisions that `may_differ`.
std::optional<Configuration> granted(const Variants& variants, const Wishes& wishes,
                                     bool (*may_differ)(const Key&) = nullptr);
/// A decision of one name in several variants: settings of all, the first of these first.
BoundDecision united(const Key& key, const std::vector<const BoundDecision*>& all);

/// Rules of one's own, and how many steps of its iterations go together, are decisions, too.
std::unique_ptr<Variants> variants_of(const Program& program, const SpaceOptions& options);
/// The same of what a loop over time repeats: as many steps together as are standard.
std::unique_ptr<Variants> variants_of_step(const Program& step, const SpaceOptions& options);

/// Of programs of several sweeps: all have the same loops, over as many cells or fewer.
bool have_one_nest(const Program& program);

/// What there is to decide about loops that are around something, how it is taken, and what is tried first.
struct LoopDecisions {
  std::vector<const Decision*> decisions;  ///< in dependency order: a decision asks only for those before it
  std::vector<const Decision*> said;       ///< in words: from the data that is worked on to the inner loop
  NestFacts (*facts)(const Program& program, const SpaceOptions& options);
  Rewriting (*derive)(const Rewriting& start, const NestFacts& f, const Configuration& c);
  /// `stored`: of the program with its stages stored, where it has such.
  std::vector<Wishes> (*first_guesses)(const NestFacts& f, const NestFacts* stored);
};
const LoopDecisions& decisions_of(Inside inside);

/// Whether a program is one of folds: its loops are around reductions of more than a few elements, all of
/// which have known lengths. On a grid cells are work-items, whatever they compute.
bool are_folds(const Program& program, const SpaceOptions& options);
/// Of a program, or a part of one, by itself.
using MakeVariants =
    std::function<std::unique_ptr<Variants>(const Program& program, const SpaceOptions& options)>;

/// `places`: of the parts, in the order in which they are computed.
std::unique_ptr<Variants> variants_of_parts(Rewriting start, const std::vector<Place>& places,
                                            const MakeVariants& make, const SpaceOptions& options);
/// What is known of a chain whose stages can go in step; nothing of another program.
std::optional<NestFacts> chain_in_step(const Program& program, const SpaceOptions& options);
/// Of a program whose result a loop over time makes: those of a step of it. `step`: of the loop,
/// in the program's body.
std::unique_ptr<Variants> variants_over_time(Rewriting start, const Place& step, const SpaceOptions& options);
/// Of one of a program's forms.
struct VariantsOfForm {
  Setting setting;    ///< by which the form is chosen
  std::string words;  ///< about it
  std::unique_ptr<Variants> variants;
};
/// Decisions by key, each after those that come before it in any of several forms; false where the next one
/// does not agree about that.
bool merge_order(std::vector<const Key*>& keys, const std::vector<BoundDecision>& decisions);
/// All of them as one, whose first decision is the form; without those that take decisions in another order
/// than the ones before.
std::unique_ptr<Variants> by_form(const Key& key, std::vector<VariantsOfForm> forms);

/// Of a program and of what `options.rules` make of it, by `make` each. A rule that matches nowhere is no
/// decision. The first rule is decided first, and the next sees what it has made. UserError: the rules make
/// too many programs.
std::unique_ptr<Variants> variants_by_rules(const Program& program, const SpaceOptions& options,
                                            const MakeVariants& make);
/// Whatever the loops are around, each name once.
const std::vector<const Decision*>& all_decisions();

/// The program in block form, with its stages computed where they are used and, if it has any, stored; facts
/// of both.
class VariantsOfForms : public Variants {
 public:
  struct Form {
    Rewriting start;
    NestFacts facts;
  };
  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override;

 protected:
  explicit VariantsOfForms(Form fused, std::optional<Form> staged = {})
      : fused_(std::move(fused)), staged_(std::move(staged)) {}
  const Form& form(const Configuration& c) const { return is_fused(c) || !staged_ ? fused_ : *staged_; }
  const NestFacts& facts() const { return fused_.facts; }
  const NestFacts* stored_facts() const { return staged_ ? &staged_->facts : nullptr; }

  /// The decision about this program.
  BoundDecision bound(const Decision& d) const;
  /// A decision without settings does not exist in the program.
  void add(BoundDecision d) {
    if (!d.settings.empty()) decisions_.push_back(std::move(d));
  }
  void say(const Decision& d) { said_.push_back(&d); }

 private:
  Form fused_;
  std::optional<Form> staged_;
  std::vector<BoundDecision> decisions_;
  std::vector<const Decision*> said_;
};

/// Of loops that are around one thing, and of the same with their stages stored.
std::unique_ptr<Variants> variants_of_loops(VariantsOfForms::Form fused,
                                            std::optional<VariantsOfForms::Form> staged = {});

}  // namespace lift
