// Long series made short without losing an extreme: the smallest and the largest value of every bucket of rows survive.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ricochet::report {

/// Several series over one axis. A bucket becomes two points, at its first and at its middle row; the values there are
/// its extremes in the order in which they occurred. Few enough rows are kept as they are.
class Decimator {
 public:
  Decimator(std::size_t series, std::size_t rows, std::size_t most_points);

  /// The next row; NaN is left out of the extremes, and stays where a bucket has nothing else.
  void add(double t, std::span<const double> values);
  /// After the last row.
  void finish();

  bool decimated() const { return bucket_rows_ > 1; }
  std::size_t bucket_rows() const { return bucket_rows_; }
  const std::vector<double>& t() const { return t_; }
  const std::vector<double>& series(std::size_t i) const { return out_[i]; }

 private:
  struct Extremes {
    double low, high;
    std::size_t low_row, high_row;
  };
  void open();
  void close();

  std::size_t bucket_rows_, in_bucket_ = 0;
  double first_t_ = 0, middle_t_ = 0, last_t_ = 0;
  std::vector<Extremes> extremes_;
  std::vector<double> last_;
  std::vector<double> t_;
  std::vector<std::vector<double>> out_;
};

}  // namespace ricochet::report
