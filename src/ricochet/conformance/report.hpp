// What the conformance suite says: findings as sentences, how much was compared, and what could not be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ricochet::conformance {

/// One way in which a body, a flier or a family of gaps breaks its promise.
struct Finding {
  std::string check;     ///< name of the check, as in docs/cpp.md
  std::string sentence;  ///< what differs from what, by how much, and where
};

/// The outcome of a suite. It keeps the first few findings of every check and counts the rest.
class Report {
 public:
  bool passed() const { return findings_.empty(); }
  const std::vector<Finding>& findings() const { return findings_; }
  bool found(const std::string& check) const {
    return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.check == check; });
  }
  /// Comparisons that a check made; none means that it had nothing to compare.
  long long compared(const std::string& check) const {
    const auto found = compared_.find(check);
    return found == compared_.end() ? 0 : found->second;
  }
  long long compared() const {
    long long sum = 0;
    for (const auto& [name, n] : compared_) sum += n;
    return sum;
  }
  /// Checks that were made, in alphabetical order, and how many comparisons they took.
  const std::map<std::string, long long>& checks() const { return compared_; }
  /// Checks that could not be made, and why.
  const std::map<std::string, std::string>& not_made() const { return not_made_; }

  /// Everything as text, a line each.
  std::string text() const {
    std::string text;
    for (const Finding& f : findings_) text += f.check + ": " + f.sentence + "\n";
    for (const auto& [check, n] : failures_)
      if (n > most_kept) text += check + ": " + std::to_string(n - most_kept) + " more\n";
    for (const auto& [check, why] : not_made_) text += "not checked: " + check + " (" + why + ")\n";
    text += std::to_string(compared()) + " comparisons in " + std::to_string(compared_.size()) + " checks, " +
            (passed() ? "all passed" : std::to_string(failures_.size()) + " checks failed") + "\n";
    return text;
  }

  void count(const std::string& check) { ++compared_[check]; }
  void fail(const std::string& check, std::string sentence) {
    if (failures_[check]++ < most_kept) findings_.push_back({check, std::move(sentence)});
  }
  void skip(const std::string& check, const std::string& why) { not_made_.emplace(check, why); }

  /// Compares: `what` is read only where the comparison fails.
  template <class R, class What>
  bool near(const std::string& check, R is, R expected, R tolerance, What&& what) {
    count(check);
    if (std::abs(is - expected) <= tolerance) return true;
    fail(check,
         what() + " is " + number(is) + " where " + number(expected) + " is expected (to " + number(tolerance) + ")");
    return false;
  }
  template <class What>
  bool holds(const std::string& check, bool yes, What&& what) {
    count(check);
    if (!yes) fail(check, what());
    return yes;
  }

  template <class R>
  static std::string number(R x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", static_cast<double>(x));
    return text;
  }

 private:
  static constexpr long long most_kept = 3;

  std::vector<Finding> findings_;
  std::map<std::string, long long> compared_, failures_;
  std::map<std::string, std::string> not_made_;
};

}  // namespace ricochet::conformance
