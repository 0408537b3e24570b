#include "ricochet/audit/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::audit {

std::string_view word(Grade grade) {
  switch (grade) {
    case Grade::strong:
      return "strong";
    case Grade::weak:
      return "weak";
    case Grade::neither:
      return "neither";
    case Grade::not_judged:
      break;
  }
  return "not judged";
}
std::string_view verdict(Grade grade) {
  return grade == Grade::strong ? "strong extremal" : grade == Grade::weak ? "weak extremal" : word(grade);
}

std::string verdict_of(const Findings& f) {
  const std::size_t all = f.impacts + f.impacts_left;
  if (f.impacts_left == 0) return std::string(verdict(f.verdict));
  return fmt::format("{}, as far as judged: {} of {} impacts", verdict(f.verdict), f.impacts, all);
}

void Check::add(double value, double strong, double weak, double t, std::int64_t step, const std::string& where) {
  ++judged;
  if (!(value <= largest)) largest = value;  // NaN is the largest of all
  Offender at{t, step, where, value, strong, Grade::strong, 0};
  if (!(value <= weak)) {
    at.grade = Grade::neither;
    at.allowed = weak;
    ++above_weak;
  } else if (!(value <= strong)) {
    at.grade = Grade::weak;
  }
  if (at.grade != Grade::strong) ++above_strong;
  grade = std::max(grade, at.grade);
  at.excess = at.allowed > 0 ? value / at.allowed
              : value > 0    ? std::numeric_limits<double>::infinity()
                             : (std::isnan(value) ? std::numeric_limits<double>::infinity() : 0);
  const auto worse = [](const Offender& a, const Offender& b) {
    return a.grade != b.grade ? a.grade > b.grade : a.excess > b.excess;
  };
  if (offenders.size() == most_offenders && !worse(at, offenders.back())) return;
  offenders.insert(std::upper_bound(offenders.begin(), offenders.end(), at, worse), std::move(at));
  if (offenders.size() > most_offenders) offenders.pop_back();
}

}  // namespace ricochet::audit
