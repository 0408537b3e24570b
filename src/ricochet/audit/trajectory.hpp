// What is judged: a motion in samples, with its impacts where somebody wrote them down.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/audit/flow.hpp"
#include "ricochet/audit/rules.hpp"
#include "ricochet/record/reader.hpp"

namespace ricochet::audit {

/// Units in the last place that a handful of operations may lose.
inline constexpr double rounding = 64;

/// How a motion says it was made; nothing of it is believed, but it says what to hold the motion against.
struct Scheme {
  bool weak = false;  ///< principle
  std::optional<DiscreteRule> rule;
  std::string closure;
  double step = 0;
  std::int64_t grazes = 0;      ///< nodes inside of steps that are counted, but not recorded
  std::int64_t push_offs = 0;   ///< of a rule of first order, the same
  std::vector<double> changes;  ///< when contacts begin and end, as the run says
};

struct Trajectory {
  std::string source;  ///< name of the file
  std::vector<double> t;
  Mat q, p;                        ///< one column per sample; p empty where only positions are known
  std::vector<std::int64_t> step;  ///< number of the step (of the row) of a sample
  bool has_impacts = false;        ///< the impacts are recorded, all of them
  std::vector<motion::KeptImpact> impacts;
  std::optional<Scheme> scheme;
  double precision = std::numeric_limits<double>::epsilon();  ///< relative, of the numbers
  bool failed = false;                                        ///< the run that made it did not come to its end
  bool precision_given = false;                               ///< somebody said so
  double noise = 0;                                           ///< relative, where it was found in the numbers
  std::string order_words;                                    ///< of a rule that was recognised and taken account of
  std::vector<std::string> notes;                             ///< what the input lacks, in sentences

  std::size_t size() const { return t.size(); }
  bool has_momenta() const { return p.cols() > 0; }
  State state(std::size_t k) const {
    const auto i = static_cast<Eigen::Index>(k);
    return {t[k], q.col(i), has_momenta() ? Vec(p.col(i)) : Vec::Zero(q.rows())};
  }
};

/// A run of ours, with the scene that is inside it (or another one). Throws Error or RecordError.
Trajectory read_record(const record::Reader& reader, const scene::Model& model, const std::string& source);

}  // namespace ricochet::audit
