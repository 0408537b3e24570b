// The result of an audit: every condition with its worst case, where it is, what was allowed, and the verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ricochet::audit {

/// What a motion, or one condition of it, is good for. Later is worse; `not_judged` is a verdict only: nothing speaks
/// against the motion, but the numbers are too coarse, or the impacts too crowded, to speak for it.
enum class Grade { strong, weak, neither, not_judged };
std::string_view word(Grade grade);     ///< "strong", "weak", "neither", "not judged"
std::string_view verdict(Grade grade);  ///< "strong extremal", …

/// One place where a condition is violated, or nearly so.
struct Offender {
  double t = 0;
  std::int64_t step = 0;
  std::string where;  ///< the gap, the symmetry, … may be empty
  double value = 0;
  double allowed = 0;  ///< of the grade it fails: strong, or weak where it fails that too
  Grade grade = Grade::strong;
  double excess = 0;  ///< value/allowed
};

/// One condition over the whole motion.
class Check {
 public:
  Check(std::string key, std::string title, std::string allowance)
      : key(std::move(key)), title(std::move(title)), allowance(std::move(allowance)) {}

  /// A value that must not exceed `strong` for a strong and `weak` for a weak extremal (weak ≥ strong).
  void add(double value, double strong, double weak, double t, std::int64_t step, const std::string& where);

  std::string key, title;
  std::string allowance;  ///< how the tolerances are made, in words
  Grade grade = Grade::strong;
  std::size_t judged = 0, above_strong = 0, above_weak = 0;
  double largest = 0;  ///< of all values
  std::size_t most_offenders = 5;
  std::vector<Offender> offenders;  ///< the worst first; the nearest miss where nothing fails
};

struct ImpactLine {
  double t = 0;
  std::int64_t step = 0;
  std::string gaps;
  double gap = 0;          ///< the value of the gap that acts most
  double impulse = 0;      ///< ‖p⁺ − p⁻‖ in the kinetic metric
  double tilt = 0;         ///< part of it outside of the cone of the normals
  double restitution = 0;  ///< −φ̇⁺/φ̇⁻ of that gap
  double energy = 0;       ///< H⁺ − H⁻ less the work of moving gaps
  double duration = 0;     ///< of a contact of several intervals
};

struct Findings {
  std::string source, scene;
  Grade verdict = Grade::strong;
  std::size_t samples = 0, impacts = 0, contacts = 0;  ///< impacts: those that were judged
  std::size_t impacts_left = 0;                        ///< seen, but not judged: at least so many
  double t_begin = 0, t_end = 0, step = 0;
  std::string scheme;  ///< what the motion was held against, in words
  std::optional<double> order, order_error;
  std::string order_words;
  std::vector<Check> checks;
  std::vector<ImpactLine> lines;  ///< the first impacts
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::string> notes;
};

/// The verdict, with how many impacts it rests on: "strong extremal, as far as judged: 3 of 23 impacts".
std::string verdict_of(const Findings& findings);
std::string to_text(const Findings& findings);
std::string to_json(const Findings& findings);
std::string to_html(const Findings& findings);

}  // namespace ricochet::audit
