// "Did you mean …?": the known word nearest to an unknown one. Used for names, functions and the keys of scenes.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ricochet::expression {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn a into b.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

inline std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The candidate nearest to `word`, or nothing if none resembles it. Ties go to the first candidate.
/// At most half of the longer word may differ, capitals aside: a suggestion that shares less only confuses.
template <class Range>
std::optional<std::string> nearest(std::string_view word, const Range& candidates) {
  constexpr std::size_t longest_word = 64;  // beyond this length it is not a typing error
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  if (word.size() > longest_word) return best;
  const std::string lower = lower_case(word);
  for (const auto& candidate : candidates) {
    const std::string_view c(candidate);
    if (c.size() > longest_word) continue;
    const std::size_t distance = edit_distance(lower, lower_case(c));
    if (2 * distance > std::max(word.size(), c.size())) continue;
    if (!best || distance < best_distance) {
      best = std::string(c);
      best_distance = distance;
    }
  }
  return best;
}

/// "; did you mean 'sin'?" or nothing, to be appended to a message.
template <class Range>
std::string suggestion(std::string_view word, const Range& candidates) {
  const auto best = nearest(word, candidates);
  return best ? "; did you mean '" + *best + "'?" : "";
}

/// "x, y and z"; of a long list its first words, and how many more there are.
template <class Range>
std::string listed(const Range& words) {
  constexpr std::size_t most_letters = 240;
  const std::size_t n = std::size(words);
  std::string text;
  std::size_t shown = 0;
  for (const auto& word : words) {
    if (text.size() + std::string_view(word).size() > most_letters) break;
    text.append(shown == 0 ? "" : shown + 1 < n ? ", " : " and ").append(word);
    ++shown;
  }
  if (shown == n) return text;
  return shown == 0 ? std::to_string(n) + " long names" : text + " and " + std::to_string(n - shown) + " more";
}

/// The nearest candidate, or where none resembles the word what there is: "; here there are x, y and pi".
template <class Range>
std::string suggestion_or_list(std::string_view word, const Range& candidates) {
  std::string text = suggestion(word, candidates);
  if (text.empty() && std::size(candidates) > 0)
    text = (std::size(candidates) == 1 ? "; here there is " : "; here there are ") + listed(candidates);
  return text;
}

}  // namespace ricochet::expression
