#include "embed/compiler.hpp"

namespace lift {

NativeCompiler& shared_compiler() {
  static NativeCompiler compiler = [] {
    NativeCompilerOptions options;
    options.timeout_seconds = 60;
    return NativeCompiler(options);
  }();
  return compiler;
}

const Vault& shared_vault() {
  static const Vault vault;
  return vault;
}

const Machine& this_machine() {
  static const Machine machine = probe(shared_compiler(), 0, false);
  return machine;
}

}  // namespace lift
