#include "ricochet/audit/findings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::audit {

std::string_view word(Grade grade) {
  return grade == Grade::strong ? "strong" : grade == Grade::weak ? "weak" : "neither";
}
std::string_view verdict(Grade grade) {
  return grade == Grade::strong ? "strong extremal" : grade == Grade::weak ? "weak extremal" : "neither";
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
