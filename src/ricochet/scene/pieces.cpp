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
  for (const Gap& gap : gaps) unions = std::max(unions, gap.in_union + 1);
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
      const auto of_clause = std::count(pieces.clauses.begin(), pieces.clauses.end(), pieces.clauses[k]);
      if (of_clause > 1) piece.in_union = unions + pieces.clauses[k];
      model.scene.gaps.push_back(std::move(piece));
    }
    unions += pieces.clauses.back() + 1;
  }
  const auto& all = model.scene.gaps;
  model.unions.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; all[i].in_union >= 0 && k < all.size(); ++k)
      if (all[k].in_union == all[i].in_union) model.unions[i].push_back(static_cast<int>(k));
}

}  // namespace ricochet::scene
