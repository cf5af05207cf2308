// Kinds of program. A kind has its facts, its decisions in dependency order, what it says of a configuration,
// what it would try first, and how it derives a configuration. A program is of one kind:
//   nests       the result is written by loops over cells
//   columns     the loops are around scans along columns
//   folds       the loops are over cells each of which reduces many elements
//   reductions  no loops over cells: the result is reduced from arrays, or is a few numbers
//   chains      stages whose loops differ, computed one after the other or together
#pragma once

#include <functional>
#include <memory>

#include "rewrite/space/common/common.hpp"
#include "rewrite/space/decision.hpp"
#include "rewrite/space/options.hpp"

namespace lift {

/// Some decisions of a configuration, the others as the space would have them: of each a setting, or else how
/// one begins.
using Wishes = Configuration;

/// A decision of a kind, whatever the facts.
struct RegisteredDecision {
  const Key* key;
  SwitchWords switched;
};

class Kind {
 public:
  virtual ~Kind() = default;
  virtual const std::vector<BoundDecision>& decisions() const = 0;  ///< in dependency order
  virtual std::string words(const Configuration& c) const = 0;
  virtual std::vector<Wishes> first_guesses() const = 0;  ///< best first; some are not possible in the space
  virtual Rewriting derive(const Configuration& c) const = 0;
};
/// Of the kind that the program is of; rules of one's own, and how many steps of its iterations go together,
/// are decisions of it.
std::unique_ptr<Kind> make_kind(const Program& program, const SpaceOptions& options);
/// The same of what a loop over time repeats: as many steps together as are standard.
std::unique_ptr<Kind> make_kind_of_step(const Program& step, const SpaceOptions& options);

/// Of programs of several sweeps: all have the same loops, over as many cells or fewer.
bool have_one_nest(const Program& program);

std::unique_ptr<Kind> nests(Rewriting fused, std::optional<Rewriting> staged, const SpaceOptions& options);
std::unique_ptr<Kind> columns_kind(Rewriting start, const SpaceOptions& options);
std::unique_ptr<Kind> folds_kind(Rewriting start, const SpaceOptions& options);
std::unique_ptr<Kind> reductions(Rewriting fused, std::optional<Rewriting> staged,
                                 const SpaceOptions& options);
/// Whether a program is one of folds: its loops are around reductions of more than a few elements, all of
/// which have known lengths. On a grid cells are work-items, whatever they compute.
bool are_folds(const Program& program, const SpaceOptions& options);
/// The kind that a part is of by itself.
using KindOfPart = std::function<std::unique_ptr<Kind>(const Program& part, const SpaceOptions& options)>;

/// `places`: of the parts, in the order in which they are computed.
std::unique_ptr<Kind> stages_kind(Rewriting start, const std::vector<Place>& places,
                                  const KindOfPart& kind_of, const SpaceOptions& options);
/// Null for a program that is no chain whose stages can go in step.
std::unique_ptr<Kind> chains(const Rewriting& start, const SpaceOptions& options);
/// Of a program whose result a loop over time makes: the kind that a step of it is of. `step`: of the loop,
/// in the program's body.
std::unique_ptr<Kind> loop_over_time(Rewriting start, const Place& step, const SpaceOptions& options);
/// The kind that one of a program's forms is of.
struct KindOfForm {
  Setting setting;    ///< by which the form is chosen
  std::string words;  ///< about it
  std::unique_ptr<Kind> kind;
};
/// Decisions by key, each after those that come before it in any of several kinds; false where the next kind
/// does not agree about that.
bool merge_order(std::vector<const Key*>& keys, const std::vector<BoundDecision>& decisions);
/// All of them as one, whose first decision is the form; without those that take decisions in another order
/// than the ones before.
std::unique_ptr<Kind> by_form(const Key& key, std::vector<KindOfForm> kinds);
using MakeKind = std::function<std::unique_ptr<Kind>(const Program& program, const SpaceOptions& options)>;

/// Of a program and of what `options.rules` make of it, by `make` each. A rule that matches nowhere is no
/// decision. The first rule is decided first, and the next sees what it has made. UserError: the rules make
/// too many programs.
std::unique_ptr<Kind> kind_by_rules(const Program& program, const SpaceOptions& options,
                                    const MakeKind& make);
/// All decisions of all kinds, each name once.
const std::vector<RegisteredDecision>& registered_decisions();
std::vector<RegisteredDecision> registered_nest_decisions();
std::vector<RegisteredDecision> registered_column_decisions();
std::vector<RegisteredDecision> registered_fold_decisions();
std::vector<RegisteredDecision> registered_reduction_decisions();
std::vector<RegisteredDecision> registered_chain_decisions();
std::vector<RegisteredDecision> registered_form_decisions();

/// What kinds have in common: the program in block form, with its stages computed where they are used and, if
/// it has any, stored; facts of both.
template <class Facts>
class KindWith : public Kind {
 public:
  struct Form {
    Rewriting start;
    Facts facts;
  };
  const std::vector<BoundDecision>& decisions() const override { return decisions_; }
  std::string words(const Configuration& c) const override {
    std::string s;
    for (const BoundDecision& d : said_) {
      const std::string w = d.words(c);
      if (!w.empty()) s += (s.empty() ? "" : ", ") + w;
    }
    return s;
  }

 protected:
  KindWith(Form fused, std::optional<Form> staged) : fused_(std::move(fused)), staged_(std::move(staged)) {}
  const Form& form(const Configuration& c) const { return is_fused(c) || !staged_ ? fused_ : *staged_; }
  const Facts& facts() const { return fused_.facts; }
  const Facts* stored_facts() const { return staged_ ? &staged_->facts : nullptr; }
  bool has_stages() const { return staged_.has_value(); }

  /// The decision about this program; `view` takes the decision's facts out of the kind's.
  template <class Part, class View>
  BoundDecision bound(const Decision<Part>& d, const View& view) const {
    BoundDecision b;
    b.key = d.key;
    // What is stored is a question about the form in which it is.
    b.settings = d.settings(view(d.key == &key::stages && staged_ ? staged_->facts : fused_.facts));
    if (d.about_stages && staged_)
      for (const Setting& s : d.settings(view(staged_->facts)))
        if (!contains(b.settings, s)) b.settings.push_back(s);
    const auto now = [this, view](const Configuration& c) -> const Part& { return view(form(c).facts); };
    b.allowed = [now, &d, all = b.settings](const Configuration& c) { return allowed(d, all, now(c), c); };
    b.suits = [now, &d](const Configuration& c, const Settings& allowed) {
      return d.suits ? d.suits(now(c), c, allowed) : allowed.front();
    };
    b.words = [now, &d](const Configuration& c) { return d.words ? d.words(now(c), c) : std::string(); };
    b.searched = !d.searched || d.searched(view(fused_.facts));
    return b;
  }
  BoundDecision bound(const Decision<Facts>& d) const {
    return bound(d, [](const Facts& f) -> const Facts& { return f; });
  }
  BoundDecision bound_common(const Decision<ProgramFacts>& d) const {
    return bound(d, [](const Facts& f) -> const ProgramFacts& { return f; });
  }
  /// A decision without settings does not exist in the program.
  void add(BoundDecision d) {
    if (!d.settings.empty()) decisions_.push_back(std::move(d));
  }
  void say(BoundDecision d) { said_.push_back(std::move(d)); }

 private:
  Form fused_;
  std::optional<Form> staged_;
  std::vector<BoundDecision> decisions_, said_;
};

}  // namespace lift
