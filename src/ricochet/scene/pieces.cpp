#include "ricochet/scene/pieces.hpp"

#include <algorithm>
#include <utility>

#include "ricochet/scene/kink_check.hpp"
#include "ricochet/scene/model.hpp"

namespace ricochet::scene {
namespace {

/// A record tells pieces by their names: no other gap may have one of them.
void require_names(const std::vector<Gap>& gaps, const Gap& gap, std::size_t pieces) {
  for (std::size_t k = 1; k <= pieces; ++k) {
    const std::string name = gap.name + "/" + std::to_string(k);
    if (std::any_of(gaps.begin(), gaps.end(), [&](const Gap& other) { return other.name == name; }))
      fail(gap.expression.place, "the gap '" + gap.name + "' has kinks and is told by its pieces, but '" + name +
                                     "' is the name of another gap");
  }
}

}  // namespace

void split_gaps(Model& model, const Numbers& numbers) {
  std::vector<std::string> variables = model.scene.system.coordinates;
  variables.push_back("t");
  const std::vector<Gap> gaps = std::exchange(model.scene.gaps, {});
  int unions = 0;
  for (const Gap& gap : gaps)
    for (const int u : gap.unions) unions = std::max(unions, u + 1);
  for (const Gap& gap : gaps) {
    expression::Tape tape;
    const auto pieces =
        gap.expression.piece >= 0 ? expression::TapeBuilder::Pieces{} : numbers.pieces(variables, gap.expression, tape);
    for (const auto& doubt : pieces.doubts) check_kinks(model, gap, Function(tape, true), doubt);
    if (pieces.whole) {
      model.scene.gaps.push_back(gap);
      continue;
    }
    const std::size_t n = pieces.outputs.size();
    if (n > 1) require_names(gaps, gap, n);
    for (std::size_t k = 0; k < n; ++k) {
      Gap piece = gap;
      piece.expression.piece = static_cast<int>(k);
      if (n > 1) piece.name += "/" + std::to_string(k + 1);
      for (std::size_t c = 0; c < pieces.clauses.size(); ++c)
        if (pieces.clauses[c].size() > 1 && std::ranges::count(pieces.clauses[c], static_cast<int>(k)) > 0)
          piece.unions.push_back(unions + static_cast<int>(c));
      model.scene.gaps.push_back(std::move(piece));
    }
    unions += static_cast<int>(pieces.clauses.size());
  }
  std::vector<std::vector<int>> all(static_cast<std::size_t>(unions));
  for (std::size_t i = 0; i < model.scene.gaps.size(); ++i)
    for (const int u : model.scene.gaps[i].unions) all[static_cast<std::size_t>(u)].push_back(static_cast<int>(i));
  model.unions.clear();
  for (Gap& gap : model.scene.gaps) gap.unions.clear();
  for (auto& branches : all) {
    if (branches.empty()) continue;
    for (const int i : branches)
      model.scene.gaps[static_cast<std::size_t>(i)].unions.push_back(static_cast<int>(model.unions.size()));
    model.unions.push_back(std::move(branches));
  }
}

}  // namespace ricochet::scene
