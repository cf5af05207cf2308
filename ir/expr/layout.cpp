#include "ir/expr/layout.hpp"

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/number_text.hpp"

namespace lift {
namespace {

std::int64_t round_up(std::int64_t n, std::int64_t m) { return (n + m - 1) / m * m; }
Nat round_up(const Nat& n, std::int64_t m) { return ceildiv(n, m) * m; }

}  // namespace

std::string str(const LayoutRequest& r) {
  switch (r.kind) {
    case LayoutRequest::Kind::Caller:
      return "caller";
    case LayoutRequest::Kind::Rows:
      return "rows " + std::to_string(r.align) + " " + std::to_string(r.lead);
    case LayoutRequest::Kind::Split:
      return "split " + std::to_string(r.axes) + " " + std::to_string(r.align);
  }
  return "";
}

LayoutRequest parse_layout(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const auto number = [&](std::size_t i) {
    return words.size() > i ? read_number<std::int64_t>(words[i]).value_or(-1) : -1;
  };
  const std::string kind = words.empty() ? "" : words[0];
  LayoutRequest r;
  if (kind == "caller") return r;
  if (kind == "rows" && number(1) > 0 && number(2) >= 0)
    return r.kind = LayoutRequest::Kind::Rows, r.align = number(1), r.lead = number(2), r;
  if (kind == "split" && number(1) > 0 && number(2) > 0)
    return r.kind = LayoutRequest::Kind::Split, r.axes = number(1), r.align = number(2), r;
  throw UserError("layout '" + text +
                  "' is not known; use 'caller', 'rows ALIGN LEAD' or 'split AXES ALIGN'");
}

Layout::Layout(const LayoutRequest& request, const Type& array) : request_(request), shape_(shape_of(array)) {
  using Kind = LayoutRequest::Kind;
  const std::size_t rank = shape_.size();
  if (request.kind == Kind::Split && static_cast<std::size_t>(request.axes) > rank)
    throw UserError("layout split over " + std::to_string(request.axes) + " axes of " + array.str() +
                    "; use at most its rank");
  strides_.assign(rank, 1);
  if (rank == 0) return;
  Nat row = shape_.back();
  if (request.kind == Kind::Rows) row = round_up(row, request.align);
  if (request.kind == Kind::Split) row = round_up(ceildiv(row, 2), request.align);
  // A split row of a power-of-two length puts the rows of a plane onto few cache sets: one more chunk spreads
  // them.
  if (const auto c = row.constant();
      request.kind == Kind::Split && c && *c % (2 * request.align) == 0 && (*c & (*c - 1)) == 0)
    row = row + request.align;
  const auto split_from = rank - static_cast<std::size_t>(request.kind == Kind::Split ? request.axes : 0);
  Nat volume = row;
  for (std::size_t d = rank - 1; d-- > 0;) {
    if (request.kind == Kind::Split && d + 1 == split_from)
      half_ = round_up(volume, 8) + 8, volume = 2 * half_;
    strides_[d] = volume;
    volume = volume * shape_[d];
  }
  if (request.kind == Kind::Split && split_from == 0) half_ = round_up(volume, 8) + 8;
  if (request.kind == Kind::Rows) offset_ = (round_up(request.lead, request.align) - request.lead);
}

Nat Layout::index(const std::vector<Nat>& position) const {
  Nat flat = offset_;
  const std::size_t rank = position.size();
  for (std::size_t d = 0; d + 1 < rank; ++d) flat = flat + position[d] * strides_[d];
  if (rank == 0) return flat;
  if (request_.kind != LayoutRequest::Kind::Split) return flat + position.back();
  Nat parity = 0;
  for (std::size_t d = rank - static_cast<std::size_t>(request_.axes); d < rank; ++d)
    parity = parity + position[d];
  return flat + half_ * mod(parity, 2) + floordiv(position.back(), 2);
}

Layout Layout::renamed(const std::function<Nat(int, const Nat&)>& name) const {
  Layout r = *this;
  for (std::size_t d = strides_.size(); d-- > 0;)
    r.strides_[d] = name(static_cast<int>(strides_.size() - 1 - d), strides_[d]);
  r.half_ = name(-1, half_);
  return r;
}

Nat Layout::size() const {
  if (shape_.empty()) return 1;
  Nat n = offset_ + strides_[0] * shape_[0];
  if (request_.kind == LayoutRequest::Kind::Split && static_cast<std::size_t>(request_.axes) == shape_.size())
    n = offset_ + 2 * half_;
  if (shape_.size() == 1 && request_.kind != LayoutRequest::Kind::Split) n = offset_ + shape_[0];
  return n;
}

Expr in_layout(const LayoutRequest& r, const Expr& x) {
  return make(Op::Layout, {x},
              attributes::layout({static_cast<std::int64_t>(r.kind), r.align, r.lead, r.axes}, str(r)));
}

LayoutRequest layout_of(const Expr& e) {
  LayoutRequest r;
  const auto [kind, align, lead, axes] = layout_numbers(e);
  r.kind = static_cast<LayoutRequest::Kind>(kind);
  r.align = align, r.lead = lead, r.axes = axes;
  return r;
}

}  // namespace lift
