#include "ricochet/report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::report {

Decimator::Decimator(std::size_t series, std::size_t rows, std::size_t most_points)
    : bucket_rows_(1), extremes_(series), last_(series), out_(series) {
  const std::size_t buckets = std::max<std::size_t>(most_points / 2, 1);
  if (rows > most_points) bucket_rows_ = std::max<std::size_t>((rows + buckets - 1) / buckets, 2);
  const std::size_t points = bucket_rows_ == 1 ? rows : 2 * (rows / bucket_rows_ + 1) + 1;
  t_.reserve(points);
  for (auto& values : out_) values.reserve(points);
  open();
}

void Decimator::open() {
  in_bucket_ = 0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::fill(extremes_.begin(), extremes_.end(), Extremes{nan, nan, 0, 0});
}

void Decimator::add(double t, std::span<const double> values) {
  if (bucket_rows_ == 1) {
    t_.push_back(t);
    for (std::size_t i = 0; i < out_.size(); ++i) out_[i].push_back(values[i]);
    return;
  }
  if (in_bucket_ == 0) first_t_ = middle_t_ = t;
  if (in_bucket_ == bucket_rows_ / 2) middle_t_ = t;
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    Extremes& e = extremes_[i];
    const double x = values[i];
    if (!(x >= e.low)) {
      if (std::isnan(e.low) || x < e.low) e.low = x, e.low_row = in_bucket_;
    }
    if (!(x <= e.high)) {
      if (std::isnan(e.high) || x > e.high) e.high = x, e.high_row = in_bucket_;
    }
  }
  last_t_ = t;
  std::copy_n(values.begin(), last_.size(), last_.begin());
  if (++in_bucket_ == bucket_rows_) close();
}

void Decimator::close() {
  t_.push_back(first_t_);
  if (in_bucket_ > 1) t_.push_back(middle_t_);
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    const Extremes& e = extremes_[i];
    const bool low_first = e.low_row <= e.high_row;
    out_[i].push_back(low_first ? e.low : e.high);
    if (in_bucket_ > 1) out_[i].push_back(low_first ? e.high : e.low);
  }
  open();
}

void Decimator::finish() {
  if (bucket_rows_ == 1) return;
  if (in_bucket_ > 0) close();
  if (t_.empty() || t_.back() >= last_t_) return;
  t_.push_back(last_t_);
  for (std::size_t i = 0; i < out_.size(); ++i) out_[i].push_back(last_[i]);
}

}  // namespace ricochet::report
