#include "embed/compiler.hpp"

namespace lift {

// These stay when the program ends: a thread may still compile.
NativeCompiler& shared_compiler() {
  static auto& compiler = *new NativeCompiler([] {
    NativeCompilerOptions options;
    options.timeout_seconds = 60;
    return NativeCompiler(options);
  }());
  return compiler;
}

const Vault& shared_vault() {
  static const auto& vault = *new Vault;
  return vault;
}

const Machine& this_machine() {
  static const auto& machine = *new Machine(probe(shared_compiler(), 0, false));
  return machine;
}

}  // namespace lift
