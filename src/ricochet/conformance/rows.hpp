// Rows: gaps, constraints, slip coordinates and the coordinates of the body, which all promise the same at a node.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/conformance/subject.hpp"

namespace ricochet::conformance {

/// A function of the state with its rate, its free acceleration and its covector.
template <class R>
class Row {
 public:
  using Node = motion::Node<R>;

  static Row of_gap(const Subject<R>& s, int row, std::string name) { return Row(s, row, false, std::move(name)); }
  static Row of_coordinate(const Subject<R>& s, int k) {
    return Row(s, k, true, "the coordinate " + std::to_string(k));
  }

  const std::string& name() const { return name_; }
  bool is_coordinate() const { return coordinate_; }
  int number() const { return row_; }

  R value(const Node& x) const { return coordinate_ ? s_->body().scalar(row_, x).value : s_->island.gap(row_, x); }
  motion::Contact<R> at(const Node& x, motion::Covector& normal) const {
    if (!coordinate_) return s_->island.contact(row_, x, s_->h(), normal);
    const auto y = s_->body().scalar(row_, x);
    const R one = 1;
    s_->body().covector(x, std::span<const int>(&row_, 1), std::span<const R>(&one, 1), normal);
    motion::Contact<R> c;
    c.gap = row_;
    c.value = y.value, c.rate = y.velocity, c.acceleration = y.acceleration;
    c.value_scale = std::abs(y.value), c.rate_scale = std::abs(y.velocity);
    c.acceleration_scale = std::abs(y.acceleration);
    c.step = s_->h();
    return c;
  }

 private:
  Row(const Subject<R>& s, int row, bool coordinate, std::string name)
      : s_(&s), row_(row), coordinate_(coordinate), name_(std::move(name)) {}

  const Subject<R>* s_;
  int row_;
  bool coordinate_;
  std::string name_;
};

/// All rows of an island; of many gaps some twenty, evenly spread.
template <class R>
std::vector<Row<R>> rows_of(const Subject<R>& s) {
  std::vector<Row<R>> rows;
  const int gaps = s.island.gaps(), every = 1 + gaps / 20;
  for (int i = 0; i < gaps; i += every) {
    rows.push_back(Row<R>::of_gap(s, i, "the gap \"" + s.island.gap_name(i) + "\""));
    for (int a = 0; a < s.island.slips(i); ++a)
      rows.push_back(Row<R>::of_gap(s, motion::slip_row(i, a),
                                    "slip " + std::to_string(a) + " of \"" + s.island.gap_name(i) + "\""));
  }
  for (int j = 0; j < s.island.constraints(); ++j)
    rows.push_back(Row<R>::of_gap(s, gaps + j, "the constraint \"" + s.island.gap_name(gaps + j) + "\""));
  for (int k = 0; k < s.body().scalars(); ++k) rows.push_back(Row<R>::of_coordinate(s, k));
  return rows;
}

/// A row at a node.
template <class R>
struct Standing {
  motion::Contact<R> contact;
  motion::Covector normal;
  R W = 0;      ///< ∇φ M⁻¹ ∇φ
  R noise = 0;  ///< of φ after a flight of one step
  R unit = 0;   ///< a length that is short for φ
  R speed = 0;  ///< what its rate is rounded by
};

template <class R>
std::vector<Standing<R>> stand(const Subject<R>& s, const std::vector<Row<R>>& rows, const motion::Node<R>& x) {
  constexpr R eps = std::numeric_limits<R>::epsilon();
  std::vector<Standing<R>> all(rows.size());
  const R kinetic = std::max(R(0), s.body().kinetic(x)), h = s.h();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& [c, normal, W, noise, unit, speed] = all[i];
    c = rows[i].at(x, normal);
    W = s.body().couple(normal, normal);
    // |φ̇| ≤ √(2 T W): the rate is a sum of terms of up to that size.
    speed = std::abs(c.wall_rate) + std::max(c.rate_scale, std::sqrt(2 * kinetic * std::max(R(0), W)));
    const R way = h * (speed + h * c.acceleration_scale);
    noise = 64 * eps * (c.value_scale + std::abs(c.value)) + R(1e-13) * way;
    unit = R(tolerances::difference) * std::max(way, c.value_scale / 64);
    if (!(unit > 0)) unit = R(tolerances::difference);
  }
  return all;
}

}  // namespace ricochet::conformance
