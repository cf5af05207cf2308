#include "ir/program.hpp"

namespace lift {

Expr index_param(const std::string& name, std::int64_t lower, std::int64_t upper) {
  Attr a;
  a.texts = {name};
  a.types = {Type(i32)};
  a.ints = {0};
  a.nats = {Nat(lower), Nat(upper)};
  return make(Op::Param, {}, std::move(a));
}

}  // namespace lift
