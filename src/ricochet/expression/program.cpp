#include "ricochet/expression/program.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>

namespace ricochet::expression {

Planner::Planner(const std::vector<Node>& nodes, const Layout& layout)
    : nodes_(nodes),
      layout_(layout),
      stamp_(nodes.size(), 0),
      place_(nodes.size()),
      value_level_(layout.values, 0),
      truth_level_(layout.truths, 0) {}

Program Planner::plan(std::span<const NodeId> roots) {
  Program program;
  regions_.clear();
  flags_ = 0;
  add_region(no_region);
  const std::vector<NodeId> order = reachable(roots);  // users before what they use
  for (const NodeId id : roots) use(id, 0, true);
  for (const NodeId id : order)
    if (nodes_[id].op == Op::variable)
      program.inputs.push_back(static_cast<Slot>(nodes_[id].k));
    else
      place(id);
  std::sort(program.inputs.begin(), program.inputs.end());
  program.code.push_back({.op = Op::stop});  // never runs: every block has a jump before it, which ends a sweep
  for (std::uint32_t r = 0; r < regions_.size(); ++r) emit_region(r, program);
  const auto is_jump = [](const Instruction& i) {
    return i.op == Op::branch || i.op == Op::ensure || i.op == Op::stop;
  };
  constexpr std::ptrdiff_t longest_group = 4096;  // more would only scatter the accesses to memory
  for (auto *first = program.code.data(), *end = first + program.code.size(); first != end;) {
    Instruction* last = std::find_if(first, first + std::min(longest_group, end - first), is_jump);
    group(first, last);
    first = last != end && is_jump(*last) ? last + 1 : last;
  }
  for (Instruction& i : program.code) {
    const auto start = [&](Slot r) { return r == no_region ? none : regions_[r].start; };
    if (i.op == Op::branch || i.op == Op::ensure) i.b = start(i.b);
    if (i.op == Op::branch) i.c = start(i.c);
    if (is_jump(i)) ++program.jumps;
  }
  program.flags = flags_;
  program.selects = std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::choose || i.op == Op::min || i.op == Op::max;
  });
  program.affine = std::all_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::add || i.op == Op::subtract || i.op == Op::negate || i.op == Op::scale || i.op == Op::shift ||
           i.op == Op::subtract_from || i.op == Op::divide_by || i.op == Op::stop;
  });
  return program;
}

/// What the roots need, in descending order of ids. Costs no more than the part of the graph it finds.
std::vector<NodeId> Planner::reachable(std::span<const NodeId> roots) {
  ++now_;
  std::vector<NodeId> found;
  const auto visit = [&](NodeId id) {
    if (id == none || stamp_[id] == now_ || is_constant(id)) return;
    stamp_[id] = now_;
    place_[id] = {};
    found.push_back(id);
  };
  for (const NodeId id : roots) visit(id);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& n = nodes_[found[i]];
    visit(n.a);
    visit(n.b);
    visit(n.c);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

/// Each region has one far ancestor besides its parent, so that `common` takes a logarithmic number of steps
/// (the skew-binary jump pointers of Myers 1983).
std::uint32_t Planner::add_region(std::uint32_t parent) {
  const auto id = static_cast<std::uint32_t>(regions_.size());
  Region region{.parent = parent, .jump = id, .depth = 0, .sibling = no_region, .content = {}, .needed = {}};
  if (parent == no_region) {
    region.parent = id;
  } else {
    const Region& p = regions_[parent];
    const Region& j = regions_[p.jump];
    region.depth = p.depth + 1;
    region.jump = p.depth - j.depth == j.depth - regions_[j.jump].depth ? j.jump : parent;
  }
  regions_.push_back(std::move(region));
  return id;
}

/// The innermost region that encloses both.
std::uint32_t Planner::common(std::uint32_t a, std::uint32_t b) const {
  if (regions_[a].depth < regions_[b].depth) std::swap(a, b);
  const std::uint32_t depth = regions_[b].depth;
  while (regions_[a].depth > depth)
    a = regions_[regions_[a].jump].depth >= depth ? regions_[a].jump : regions_[a].parent;
  while (a != b) {  // of equal depth, hence with jumps of equal depth
    const bool far = regions_[a].jump != regions_[b].jump;
    a = far ? regions_[a].jump : regions_[a].parent;
    b = far ? regions_[b].jump : regions_[b].parent;
  }
  return a;
}

/// Whether a run of `region` is certain to come to one of the uses: one is in it, or both branches of an `if` in it
/// are certain to come to one.
bool Planner::is_certain(std::uint32_t region, const std::vector<std::uint32_t>& uses) const {
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // depth, region: the deepest first
  std::set<Entry, std::greater<>> certain;
  for (const std::uint32_t u : uses) certain.insert({regions_[u].depth, u});
  for (auto it = certain.begin(); it != certain.end(); ++it) {
    const auto [depth, r] = *it;
    if (r == region) return true;
    if (const std::uint32_t s = regions_[r].sibling; s != no_region && certain.contains({depth, s}))
      certain.insert({depth - 1, regions_[r].parent});
  }
  return false;
}

void Planner::use(NodeId id, std::uint32_t region, bool active) {
  if (id == none || is_constant(id) || nodes_[id].op == Op::variable) return;
  place_[id].active |= active;
  std::vector<std::uint32_t>& uses = place_[id].uses;
  if (uses.empty() || uses.back() != region) uses.push_back(region);
}

/// Decides where a node is computed. All its users have been placed.
void Planner::place(NodeId id) {
  Place& p = place_[id];
  std::uint32_t home = p.uses.front();
  for (const std::uint32_t u : p.uses) home = common(home, u);
  if (p.uses.size() > 1 && !is_certain(home, p.uses)) {
    // Needed in some branches only: a region of its own, run by the first branch that needs it.
    p.flag = flags_++;
    home = add_region(home);
    std::sort(p.uses.begin(), p.uses.end());
    p.uses.erase(std::unique(p.uses.begin(), p.uses.end()), p.uses.end());
    for (const std::uint32_t u : p.uses) regions_[u].needed.push_back(id);
  }
  p.home = home;
  regions_[home].content.push_back(id);
  const Node& n = nodes_[id];
  // Truths and steps are flat: a sweep must not even multiply by zero there, for a slope may be infinite.
  const bool flat = is_truth(n.op) || n.op == Op::sign || n.op == Op::floor || n.op == Op::ceil;
  const bool active = p.active && !flat;
  use(n.a, home, active && n.op != Op::choose);
  if (n.op != Op::choose) {
    use(n.b, home, active);
    return;
  }
  p.then_region = add_region(home);
  p.else_region = add_region(home);
  regions_[p.then_region].sibling = p.else_region;
  regions_[p.else_region].sibling = p.then_region;
  use(n.b, p.then_region, active);
  use(n.c, p.else_region, active);
}

/// Puts equal operations side by side where their operands allow it: the interpreter then decides once for many.
/// Sorted by the length of the longest chain that leads to an instruction, then by operation.
void Planner::group(Instruction* first, Instruction* last) {
  struct Entry {
    std::uint32_t level;
    Instruction instruction;
  };
  std::vector<Entry> entries;
  const auto level_of = [](const std::vector<std::uint32_t>& levels, Slot s) { return s == none ? 0 : levels[s]; };
  for (const Instruction* i = first; i != last; ++i) {
    const bool of_truths = i->op == Op::both || i->op == Op::either || i->op == Op::negation;
    const auto& levels = of_truths ? truth_level_ : value_level_;
    std::uint32_t level = level_of(i->op == Op::choose ? truth_level_ : levels, i->a);
    if (i->op != Op::sin && i->op != Op::cos && i->op != Op::sincos) level = std::max(level, level_of(levels, i->b));
    if (i->op == Op::choose) level = std::max(level, level_of(levels, i->c));
    ++level;
    (is_truth(i->op) ? truth_level_ : value_level_)[i->to] = level;
    if (i->op == Op::sincos) value_level_[i->b] = level;
    entries.push_back({level, *i});
  }
  for (const Entry& e : entries) {
    (is_truth(e.instruction.op) ? truth_level_ : value_level_)[e.instruction.to] = 0;
    if (e.instruction.op == Op::sincos) value_level_[e.instruction.b] = 0;
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.level != y.level ? x.level < y.level : x.instruction.op < y.instruction.op;
  });
  std::transform(entries.begin(), entries.end(), first, [](const Entry& e) { return e.instruction; });
}

void Planner::emit_region(std::uint32_t region, Program& program) {
  Region& r = regions_[region];
  if (region != 0 && r.content.empty() && r.needed.empty()) return;
  r.start = static_cast<std::uint32_t>(program.code.size());
  // Everything is made after what it needs: also in enclosing regions, whose nodes of smaller id ran before.
  std::sort(r.content.begin(), r.content.end());
  std::sort(r.needed.begin(), r.needed.end());
  auto c = r.content.begin();
  auto n = r.needed.begin();
  while (c != r.content.end() || n != r.needed.end())
    if (n == r.needed.end() || (c != r.content.end() && *c < *n)) {
      emit(*c++, program);
    } else {
      program.code.push_back({.op = Op::ensure, .a = place_[*n].flag, .b = place_[*n].home});
      ++n;
    }
  program.code.push_back({.op = Op::stop});
}

void Planner::emit(NodeId id, Program& program) {
  const Node& n = nodes_[id];
  const Place& p = place_[id];
  if (n.op == Op::sin || n.op == Op::cos) {
    const NodeId other = layout_.partner[id];
    if (other != none && stamp_[other] == now_ && place_[other].home == p.home) {
      if (id > other) return;  // done together with the other
      const NodeId s = n.op == Op::sin ? id : other, c = n.op == Op::sin ? other : id;
      const bool active = p.active || place_[other].active;
      program.code.push_back(
          {.op = Op::sincos, .active = active, .to = layout_.slot[s], .a = layout_.slot[n.a], .b = layout_.slot[c]});
      return;
    }
  }
  if (n.op == Op::choose) {
    const auto block = [&](std::uint32_t r) {
      return regions_[r].content.empty() && regions_[r].needed.empty() ? no_region : r;
    };
    const Slot b = block(p.then_region), c = block(p.else_region);
    if (b != no_region || c != no_region)
      program.code.push_back({.op = Op::branch, .a = layout_.slot[n.a], .b = b, .c = c});
  }
  program.code.push_back(instruction(id));
}

Instruction Planner::instruction(NodeId id) const {
  const Node& n = nodes_[id];
  const auto slot = [&](NodeId operand) { return operand == none ? none : layout_.slot[operand]; };
  Instruction i{
      .op = n.op, .active = place_[id].active, .to = layout_.slot[id], .a = slot(n.a), .b = slot(n.b), .c = slot(n.c)};
  switch (n.op) {
    case Op::sin:
    case Op::cos:
      i.b = layout_.other[id];
      break;
    case Op::integer_power:
      i.c = static_cast<Slot>(n.k);
      break;
    case Op::add:
    case Op::multiply:
      if (is_constant(n.a)) std::swap(i.a, i.b);
      if (is_constant(n.a) || is_constant(n.b)) i.op = n.op == Op::add ? Op::shift : Op::scale;
      break;
    case Op::subtract:
      if (is_constant(n.a)) i.op = Op::subtract_from;
      break;
    case Op::divide:
      if (is_constant(n.a)) i.op = Op::divide_into;
      if (is_constant(n.b)) i.op = Op::divide_by;
      break;
    case Op::power:
      if (is_constant(n.b)) i.op = Op::constant_power;
      break;
    default:
      break;
  }
  return i;
}

}  // namespace ricochet::expression
