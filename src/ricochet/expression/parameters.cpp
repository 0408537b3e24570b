#include <algorithm>
#include <set>

#include "ricochet/expression/builder.hpp"
#include "ricochet/expression/lexer.hpp"

namespace ricochet::expression {

Parameters::Parameters(std::vector<Parameter> list) : table_(std::make_shared<Table>()) {
  for (Parameter& p : list) {
    if (const std::string fault = name_fault(p.name); !fault.empty())
      throw ParseError("the parameter name " + quoted(p.name) + " " + fault, 0, p.name);
    if (!table_->index.try_emplace(p.name, table_->entries.size()).second)
      throw ParseError("the parameter " + quoted(p.name) + " is given twice", 0, p.name);
    table_->entries.push_back({std::move(p), {}, {}});
  }
  for (Entry& e : table_->entries) {
    const auto* text = std::get_if<std::string>(&e.given.value);
    if (!text) continue;
    try {
      e.syntax = parse(*text);
    } catch (const ParseError& error) {
      throw ParseError(error.what(), error.offset(), e.given.name);
    }
    std::set<std::size_t> seen;
    for (const Item& item : e.syntax.items)
      if (item.kind == Item::Kind::name)
        if (const auto it = table_->index.find(std::string(item.name)); it != table_->index.end())
          if (seen.insert(it->second).second) e.uses.push_back(it->second);
  }
  refuse_cycles();
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> list;
  for (const Entry& e : table_->entries) list.push_back(e.given.name);
  return list;
}

double Parameters::value(std::string_view name) const {
  TapeBuilder builder({}, *this);
  const int output = builder.add_parameter(name);
  const Tape tape = builder.tape();
  Workspace<double> work(tape);
  return tape.evaluate<double>(output, nullptr, work);
}

/// Depth first without recursion: a chain of parameters may be as long as the scene.
void Parameters::refuse_cycles() const {
  enum class State : char { unseen, open, closed };
  const std::deque<Entry>& entries = table_->entries;
  std::vector<State> state(entries.size(), State::unseen);
  struct Step {
    std::size_t entry, next;
  };
  std::vector<Step> path;
  for (std::size_t start = 0; start < entries.size(); ++start) {
    if (state[start] != State::unseen) continue;
    path.push_back({start, 0});
    state[start] = State::open;
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == entries[step.entry].uses.size()) {
        state[step.entry] = State::closed;
        path.pop_back();
        continue;
      }
      const std::size_t used = entries[step.entry].uses[step.next++];
      if (state[used] == State::unseen) {
        state[used] = State::open;
        path.push_back({used, 0});
      } else if (state[used] == State::open) {
        const auto first = std::find_if(path.begin(), path.end(), [&](const Step& s) { return s.entry == used; });
        std::string chain;
        constexpr std::ptrdiff_t shown = 8;
        for (auto it = first; it != path.end(); ++it)
          if (it - first < shown || path.end() - it <= 1)
            chain += entries[it->entry].given.name + " -> ";
          else if (it - first == shown)
            chain += "... -> ";
        const Entry& last = entries[path.back().entry];
        const auto item = std::find_if(last.syntax.items.begin(), last.syntax.items.end(), [&](const Item& i) {
          return i.kind == Item::Kind::name && i.name == entries[used].given.name;
        });
        const bool alone = path.end() - first == 1;
        throw ParseError((alone ? "parameter " : "parameters ") + chain + entries[used].given.name +
                             (alone ? " refers to itself" : " form a cycle"),
                         item->offset, last.given.name);
      }
    }
  }
}

}  // namespace ricochet::expression
