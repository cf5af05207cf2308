#include "ir/expr/attributes.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "ir/error.hpp"
#include "ir/expr/ops.hpp"

// Where each attribute lies: the only file that knows.
namespace lift {
namespace {

constexpr std::size_t kRank = 0;                               ///< among the ints
constexpr std::size_t kGatherBoundary = 1;                     ///< after its rank
constexpr std::size_t kAxis = 0, kBandWidth = 1, kShifts = 2;  ///< among the nats of a band
constexpr std::size_t kShape = 0, kRun = 1;                    ///< among its ints
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLastDimension = 3, kLastOfGroup = 2, kMostRows = 16;

/// The halves of the nats: two numbers a dimension.
std::span<const Nat> half(AttrRef a, bool second) {
  const std::span<const Nat> all(a.attr.nats);
  return all.subspan(second ? all.size() / 2 : 0, all.size() / 2);
}

using enum LoopOption;
//                               option     slot word        neutral least most
constexpr LoopOptionRow width{Width, 1, "", 1, 1, kAny}, device{Dimension, 1, "", 0, 0, kLastDimension, true},
    group{Dimension, 1, "", 0, 0, kLastOfGroup, true}, stride{Stride, 2, "strided", 1, 1, kAny},
    late{LateStore, 3, "late store", 0, 0, 1}, ahead{Prefetch, 4, "prefetch", 0, 0, kAny},
    items{Items, 5, "items", 0, 1, kAny}, rotating{Rotate, 6, "rotate", 0, 0, 1},
    stored{Stored, 0, "stored", 0, 0, 1}, unroll{Width, 1, "unroll", 1, 1, kAny},
    later{Prefetch, 2, "prefetch", 0, 0, kAny}, dynamic{Dynamic, 5, "dynamic", 0, 1, kAny},
    joined{Joined, 6, "joined", 0, 1, 2}, rows_together{Rows, 3, "rows", 0, 1, kMostRows},
    columns_a_step{Columns, 4, "columns", 0, 1, kAny}, taken_in_turns{Turns, 5, "turns", 0, 1, kAny};
constexpr std::array sequential{width, stride, late, ahead, rotating};
constexpr std::array in_vectors{width, stride, late, ahead};
constexpr std::array among_threads{width, stride, late, ahead, dynamic, joined};
constexpr std::array on_device{device, stride, late, ahead, items};
constexpr std::array in_group{group, stride, late, ahead, items};
constexpr std::array scanned{stored, unroll, later, rows_together, columns_a_step, taken_in_turns};

}  // namespace

int op_rank(Op op, const Attr& a) {
  switch (row(op).payload.kind) {
    case Payload::Rank:
      return static_cast<int>(a.ints.at(kRank));
    case Payload::PerAxis:
    case Payload::Shape:
      return static_cast<int>(a.nats.size());
    case Payload::TwoPerAxis:
    case Payload::Boundary:
      return static_cast<int>(a.nats.size() / 2);
    case Payload::Order:
      return static_cast<int>(a.ints.size());
    default:
      return 1;
  }
}

std::vector<std::span<const Nat>> natural_arguments(const Expr& e) {
  switch (row(e.op()).payload.kind) {
    case Payload::Number:
    case Payload::PerAxis:
      return {e.attr().nats};
    case Payload::TwoPerAxis:
    case Payload::Boundary:
      return {half(e, false), half(e, true)};
    case Payload::Band: {
      const std::span<const Nat> all(e.attr().nats);
      return {all.subspan(kAxis, 1), all.subspan(kBandWidth, 1), all.subspan(kShifts)};
    }
    default:
      return {};
  }
}

int bound_depth(AttrRef e) { return static_cast<int>(e.attr.ints[0]); }
int bound_index(AttrRef e) { return static_cast<int>(e.attr.ints[1]); }
const std::string& hole_name(AttrRef e) {
  static const auto& none = *new std::string;
  return e.attr.texts.empty() ? none : e.attr.texts[0];
}
const std::string& param_name(const Expr& e) { return e.attr().texts.at(0); }
bool is_index_param(const Expr& e) { return e.is(Op::Param) && !e.attr().nats.empty(); }
const Nat& index_lower(AttrRef e) { return e.attr.nats.at(0); }
const Nat& index_upper(AttrRef e) { return e.attr.nats.at(1); }
const Type& declared_type(AttrRef e) { return e.attr.types.at(0); }
const std::vector<Type>& parameter_types(AttrRef e) { return e.attr.types; }
double literal_number(AttrRef e) { return e.attr.number; }
const Nat& nat_of(AttrRef e) { return e.attr.nats.at(0); }

int tuple_index(AttrRef e) { return static_cast<int>(e.attr.ints[0]); }
const std::vector<Nat>& at_position(AttrRef e) { return e.attr.nats; }
const std::vector<Nat>& split_lengths(AttrRef e) { return e.attr.nats; }
std::span<const Nat> slide_sizes(AttrRef e) { return half(e, false); }
std::span<const Nat> slide_steps(AttrRef e) { return half(e, true); }
std::span<const Nat> low_widths(AttrRef e) { return half(e, false); }
std::span<const Nat> high_widths(AttrRef e) { return half(e, true); }
Boundary pad_boundary(AttrRef e) { return static_cast<Boundary>(e.attr.ints[0]); }
double pad_number(AttrRef e) { return e.attr.number; }
Boundary gather_boundary(AttrRef e) { return static_cast<Boundary>(e.attr.ints.at(kGatherBoundary)); }
double gather_number(AttrRef e) { return e.attr.number; }
const std::vector<std::int64_t>& transpose_order(AttrRef e) { return e.attr.ints; }
const std::vector<Nat>& generate_shape(AttrRef e) { return e.attr.nats; }
const std::vector<Nat>& update_offsets(AttrRef e) { return e.attr.nats; }
const Nat& iterate_times(AttrRef e) { return e.attr.nats.at(0); }
const Nat& buffer_slots(AttrRef e) { return e.attr.nats.at(0); }
const Nat& ring_planes(AttrRef e) { return e.attr.nats.at(0); }
Band band_of(AttrRef e) {
  const auto number = [&](std::size_t n) { return e.attr.nats.at(n).constant().value(); };
  Band b{static_cast<Band::Shape>(e.attr.ints.at(kShape)), static_cast<Band::Run>(e.attr.ints.at(kRun)),
         static_cast<std::size_t>(number(kAxis)), number(kBandWidth)};
  for (std::size_t n = kShifts; n < e.attr.nats.size(); ++n) b.shifts.push_back(number(n));
  return b;
}
namespace {

struct ShapeRow {
  Band::Shape shape;
  const char *word, *one;  ///< as it is written; a band of it in a message
};
constexpr std::array kShapes = std::to_array<ShapeRow>({{Band::skewed, "skewed", "a skewed one"},
                                                        {Band::overlapped, "overlapped", "an overlapped one"},
                                                        {Band::phases, "phases", "one in phases"}});
struct RunRow {
  Band::Run run;
  const char *word, *how;
  Band::Shape of;  ///< bands that may be gone through so
};
constexpr std::array kRuns = std::to_array<RunRow>(
    {{Band::team, "team", "for a team", Band::skewed}, {Band::turns, "turns", "by turns", Band::skewed}});

}  // namespace

const char* text(Band::Shape s) {
  for (const ShapeRow& r : kShapes)
    if (r.shape == s) return r.word;
  return "";
}
const char* text(Band::Run run) {
  for (const RunRow& r : kRuns)
    if (r.run == run) return r.word;
  return "";
}
bool agree(Band::Shape s, Band::Run run) {
  return run == Band::all ||
         std::any_of(kRuns.begin(), kRuns.end(), [&](const RunRow& r) { return r.run == run && r.of == s; });
}
std::optional<Band> band_in_words(std::span<const std::string> words) {
  std::optional<Band> b;
  if (words.empty() || words.size() > 2) return b;
  for (const ShapeRow& r : kShapes)
    if (words[0] == r.word) b = Band{r.shape};
  if (!b || words.size() == 1) return b;
  for (const RunRow& r : kRuns)
    if (words[1] == r.word) return b->run = r.run, b;
  return std::nullopt;
}
std::string bands_in_words() {
  std::string s = "a band is ";
  for (std::size_t i = 0; i < kShapes.size(); ++i)
    s += std::string(i == 0 ? "" : i + 1 < kShapes.size() ? ", " : " or ") + kShapes[i].word;
  for (const ShapeRow& shape : kShapes) {
    std::string how;
    for (const RunRow& r : kRuns)
      if (r.of == shape.shape) how += (how.empty() ? " " : " or ") + std::string(r.how);
    if (!how.empty()) s += std::string(", ") + shape.one + how + " as well";
  }
  return s;
}
std::string words(const Band& b) {
  return std::string(text(Op::Band)) + "<" + text(b.shape) + (b.run == Band::all ? "" : ", ") + text(b.run) +
         ">";
}
bool is_band(const Expr& e, Band::Shape s) { return e.is(Op::Band) && band_of(e).shape == s; }

const std::string& user_name(AttrRef e) { return e.attr.texts.at(0); }
const std::string& user_body(AttrRef e) { return e.attr.texts.at(1); }
const Type& user_result(AttrRef e) { return e.attr.types.at(0); }
std::span<const Type> user_types(AttrRef e) { return std::span(e.attr.types).subspan(1); }
std::span<const std::string> user_parameters(AttrRef e) { return std::span(e.attr.texts).subspan(2); }
const std::string& layout_text(AttrRef e) { return e.attr.texts.at(0); }
LayoutNumbers layout_numbers(AttrRef e) {
  const auto& n = e.attr.ints;
  return {n.at(0), n.at(1), n.at(2), n.at(3)};
}

// ---- how loops run

std::span<const LoopOptionRow> loop_options(Op op) {
  switch (op) {
    case Op::MapSeq:
    case Op::MapUnroll:
      return sequential;
    case Op::MapPar:
      return among_threads;
    case Op::MapVec:
      return in_vectors;
    case Op::MapGlb:
    case Op::MapWrg:
      return on_device;
    case Op::MapLcl:
      return in_group;
    case Op::ScanSeq:
    case Op::ScanBackSeq:
      return scanned;
    default:
      return {};
  }
}

const LoopOptionRow* find_option(Op op, LoopOption option) {
  for (const LoopOptionRow& r : loop_options(op))
    if (r.option == option) return &r;
  return nullptr;
}

std::int64_t loop_option(const Expr& e, LoopOption option) {
  const LoopOptionRow* r = find_option(e.op(), option);
  if (!r) return option == Width || option == Stride ? 1 : 0;
  return r->slot < e.attr().ints.size() ? e.attr().ints[r->slot] : r->neutral;
}

bool is_vector_width(std::int64_t lanes) { return lanes >= 2 && lanes <= 64 && (lanes & (lanes - 1)) == 0; }

std::string_view option_name(LoopOption option) {
  constexpr std::array names = std::to_array<std::string_view>(
      {"dimension", "width", "stride", "late store", "prefetch distance", "items", "rotate", "stored",
       "dynamic chunk", "joined", "rows", "columns", "turns"});
  return names[static_cast<std::size_t>(option)];
}

void set_option(Attr& a, Op op, LoopOption option, std::int64_t value) {
  const LoopOptionRow* r = find_option(op, option);
  if (!r) throw InternalError(std::string(text(op)) + " has no option " + std::string(option_name(option)));
  for (const LoopOptionRow& other : loop_options(op))
    if (other.slot >= a.ints.size() && other.slot <= r->slot)
      a.ints.resize(other.slot), a.ints.push_back(other.neutral);
  a.ints[r->slot] = value;
}

Expr with_option(const Expr& e, LoopOption option, std::int64_t value) {
  Attr a = e.attr();
  set_option(a, e.op(), option, value);
  return make(e.op(), {e.children().begin(), e.children().end()}, std::move(a), origin(e));
}

bool has_stray_options(const Expr& e) {
  const std::size_t first = is_map(e.op()) ? kRank + 1 : 0;
  for (std::size_t slot = first; slot < e.attr().ints.size(); ++slot) {
    const auto own = loop_options(e.op());
    const bool named =
        std::any_of(own.begin(), own.end(), [&](const LoopOptionRow& r) { return r.slot == slot; });
    if (!named && e.attr().ints[slot] != 0) return true;
  }
  return false;
}

namespace attributes {
namespace {
Attr ints(std::vector<std::int64_t> v) {
  Attr a;
  a.ints = std::move(v);
  return a;
}
Attr typed(const Type& type) {
  Attr a;
  a.types = {type};
  return a;
}
}  // namespace

Attr ranked(int rank) { return ints({rank}); }
Attr map(Op op, int rank) {
  std::vector<std::int64_t> v{rank};
  for (const LoopOptionRow& r : loop_options(op))
    if (r.slot <= ahead.slot) v.push_back(r.neutral);
  return ints(std::move(v));
}
Attr scan(Op op) { return loop_options(op).empty() ? Attr{} : ints({stored.neutral, unroll.neutral}); }
Attr map_numbers(int rank, const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> v{rank};
  v.insert(v.end(), numbers.begin(), numbers.end());
  return ints(std::move(v));
}
Attr bound(int depth, int index, const Type& type) {
  Attr a = typed(type);
  a.ints = {depth, index};
  return a;
}
Attr param(const std::string& name, const Type& type, std::int64_t unique) {
  Attr a = typed(type);
  a.texts = {name}, a.ints = {unique};
  return a;
}
Attr index_param(const std::string& name, const Nat& lower, const Nat& upper) {
  Attr a = attributes::param(name, Type(i32), 0);
  a.nats = {lower, upper};
  return a;
}
Attr hole(const std::string& name) {
  Attr a = typed(Type::any());
  a.texts = {name};
  return a;
}
Attr lambda(std::vector<Type> parameters) {
  Attr a;
  a.types = std::move(parameters);
  return a;
}
Attr literal(double number, Scalar s) {
  Attr a = typed(Type(s));
  a.number = number;
  return a;
}
Attr cast(Scalar s) { return typed(Type(s)); }
Attr component(std::int64_t index) { return ints({index}); }
Attr order(std::vector<std::int64_t> permutation) { return ints(std::move(permutation)); }
Attr nats(std::vector<Nat> ns) {
  Attr a;
  a.nats = std::move(ns);
  return a;
}
Attr pairs(std::vector<Nat> first, const std::vector<Nat>& second) {
  if (first.size() != second.size())
    throw UserError("a primitive of rank " + std::to_string(first.size()) +
                    " needs as many values for its second parameter, got " + std::to_string(second.size()));
  first.insert(first.end(), second.begin(), second.end());
  return nats(std::move(first));
}
Attr band(const Band& b) {
  Attr a = ints({b.shape, b.run});
  a.nats = {static_cast<std::int64_t>(b.axis), b.width};
  for (const std::int64_t shift : b.shifts) a.nats.emplace_back(shift);
  return a;
}
Attr pad(std::vector<Nat> low, const std::vector<Nat>& high, Boundary b, double number) {
  Attr a = pairs(std::move(low), high);
  a.ints = {static_cast<std::int64_t>(b)}, a.number = number;
  return a;
}
Attr gather(int rank, Boundary b, double number) {
  Attr a = ranked(rank);
  a.ints.push_back(static_cast<std::int64_t>(b)), a.number = number;
  return a;
}
Attr user_fun(std::string name, std::string body, const Type& result) {
  Attr a = typed(result);
  a.texts = {std::move(name), std::move(body)};
  return a;
}
void add_parameter(Attr& user_fun, std::string name, const Type& type) {
  user_fun.texts.push_back(std::move(name)), user_fun.types.push_back(type);
}
Attr layout(const LayoutNumbers& n, std::string text) {
  Attr a = ints({n.kind, n.align, n.lead, n.axes});
  a.texts = {std::move(text)};
  return a;
}
}  // namespace attributes

}  // namespace lift
