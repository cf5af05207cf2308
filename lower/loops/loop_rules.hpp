// The rules that verify.cpp lists. Each gets a statement and what surrounds it, and says what is wrong there:
// nothing, mostly. Statements within the statement are visited in their turn.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "lower/loops/verify.hpp"
#include "lower/loops/visit.hpp"

namespace lift {

/// What a statement may refer to, and the loops and conditions around it.
class Surroundings {
 public:
  struct Local {
    Term name, value;  ///< `value`: of a Let, or the first one of a variable
    bool variable;     ///< declared by Declare: may be assigned to
  };
  struct Array {
    Type type;
    const KernelArgument* argument;  ///< null: an array of the kernel's own
    AddressSpace space;
  };

  Surroundings(const Kernel& k, Form f);
  const Kernel& kernel;
  const Form form;
  std::vector<const Stmt*> around;  ///< For and If, outermost first

  bool knows(const NatAtom& variable) const;
  const Local* local(const std::string& name) const;
  const Array* array(const std::string& name) const;
  /// Declared in the innermost block itself.
  bool declares(const std::string& local) const;
  bool declares(const NatAtom& index) const;
  const NamedIndices& names() const { return names_; }

  void open() { blocks_.emplace_back(); }
  void close() { blocks_.pop_back(); }
  /// What comes after `s` may refer to what it defines.
  void define(const Stmt& s);
  void define(const Nat& variable);

 private:
  struct Block {
    std::set<const NatAtom*> indices;
    std::map<std::string, Local> locals;
    std::map<std::string, Array> arrays;
  };
  std::vector<Block> blocks_;
  std::set<std::string> sizes_;  ///< and scalar arguments, which are indices by their name
  NamedIndices names_;
};

/// What is wrong; nothing where all is well.
using Complaint = std::optional<std::string>;

// ---- values (value_rules.cpp)
Complaint indices_defined(const Stmt& s, const Surroundings& in);
Complaint values_defined(const Stmt& s, const Surroundings& in);
Complaint arrays_known(const Stmt& s, const Surroundings& in);
Complaint declared_once(const Stmt& s, const Surroundings& in);
Complaint variables_assigned(const Stmt& s, const Surroundings& in);
Complaint types_agree(const Stmt& s, const Surroundings& in);
Complaint widths_agree(const Stmt& s, const Surroundings& in);
Complaint one_index_a_dimension(const Stmt& s, const Surroundings& in);

// ---- loops (structure_rules.cpp)
Complaint loop_attributes(const Stmt& s, const Surroundings& in);
Complaint grid_dimensions(const Stmt& s, const Surroundings& in);
Complaint vector_loops(const Stmt& s, const Surroundings& in);
Complaint uniform_barriers(const Stmt& s, const Surroundings& in);
Complaint independent_iterations(const Stmt& s, const Surroundings& in);
Complaint scratch_of_threads(const Stmt& s, const Surroundings& in);

/// An access beyond its array that is really done: all loops around it at their first or last iteration, the
/// guards evaluated; those that ask memory are not known to hold. (within_arrays.cpp)
Complaint within_arrays(const Kernel& k, Form form);

}  // namespace lift
