#include "tuning/explanation.hpp"

#include "emit/emit.hpp"
#include "ir/text/parse.hpp"
#include "lower/translate/storage.hpp"

namespace lift {

Explanation explain(const Program& program, const Variant& variant) {
  Explanation e;
  e.high = print_program(program);
  Program now = program;
  for (const Step& step : variant.derivation) {
    now = replay(now, {step});
    e.steps.push_back({str(step), prose(step), print_program(now)});
  }
  e.low = print_program(with_storage(now));
  e.loops = str(variant.kernel);
  e.code = emit_source(variant.kernel);
  return e;
}

}  // namespace lift
