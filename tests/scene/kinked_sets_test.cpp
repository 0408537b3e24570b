// Random sets with corners and edges, intersections and unions of curved pieces, nested: no crossing is missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ricochet/expression/builder.hpp"
#include "support.hpp"
#include "support/effort.hpp"

namespace ricochet {
namespace {

using test::Keep;

/// The text of a random set in a ball of radius 3.
class Sets {
 public:
  explicit Sets(std::uint64_t seed) : engine_(seed) {}

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }

  std::string set(int n) { return "min(" + tree(n, 1 + below(3)) + ", 9 - (" + squares(n, false) + "))"; }

 private:
  static std::string digits(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "(%.4f)", x);
    return text;
  }
  static std::string q(int k) { return "q" + std::to_string(k); }
  std::string squares(int n, bool displaced) {
    std::string text;
    for (int k = 0; k < n; ++k)
      text += (k > 0 ? " + " : "") + ("(" + q(k) + (displaced ? " - " + digits(uniform(-2, 2)) : "") + ")^2");
    return text;
  }
  std::string piece(int n) {
    switch (below(4)) {
      case 0: {  // a half-space
        std::string text = digits(uniform(-0.5, 1.5));
        for (int k = 0; k < n; ++k) text += " + " + digits(normal()) + "*" + q(k);
        return "(" + text + ")";
      }
      case 1:  // outside of a ball
        return "(" + squares(n, true) + " - " + digits(uniform(0.2, 2)) + ")";
      case 2:  // inside of one
        return "(" + digits(uniform(2, 6)) + " - (" + squares(n, true) + "))";
      default: {  // beyond a wave
        const int a = below(n), b = (a + 1 + below(n - 1)) % n;
        return "(" + q(a) + " - " + digits(uniform(0.2, 0.6)) + "*sin(" + digits(uniform(1, 4)) + "*" + q(b) + ") + " +
               digits(uniform(-0.5, 1.5)) + ")";
      }
    }
  }
  std::string tree(int n, int depth) {
    if (depth == 0) return piece(n);
    const std::string a = tree(n, depth - 1);
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return "min(" + a + ", " + tree(n, depth - 1) + ")";
      case 3:
      case 4:
      case 5:
        return "max(" + a + ", " + tree(n, depth - 1) + ")";
      case 6:
        return "(abs" + piece(n) + " - " + digits(uniform(0.1, 0.5)) + ")";
      default:
        return "(" + digits(uniform(0.3, 1)) + " - abs" + piece(n) + " + 0.5*abs" + piece(n) + ")";
    }
  }
  std::mt19937_64 engine_;
};

struct Tally {
  int sets = 0, refused = 0, failed = 0, impacts = 0, corners = 0, contacts = 0, bent = 0;
};

class Trial {
 public:
  Trial(int number, Tally& tally) : sets_(static_cast<std::uint64_t>(number)), number_(number), tally_(tally) {}

  void run() {
    n_ = 2 + sets_.below(3);
    text_ = sets_.set(n_);
    std::vector<std::string> names;
    for (int k = 0; k < n_; ++k) names.push_back("q" + std::to_string(k));
    expression::TapeBuilder builder(names);
    builder.add(text_);
    tape_ = builder.tape();
    if (!find_start()) return;
    const bool rests = number_ % 5 == 4;
    const std::string closure = number_ % 3 == 0 || rests ? "variational" : "reflection";
    auto simulation = start(closure, rests);
    if (!simulation) return;
    ++tally_.sets;
    Keep keep;
    try {
      simulation->begin(keep);
      while (!simulation->done()) simulation->advance(1, keep);
      simulation->conclude(keep);
    } catch (const Error& error) {
      ++tally_.failed;
      // A contact that slides over a bend too sharp for the step: the same with the smooth piece alone.
      if (rests && std::string(error.what()).find("was not found over a flight") != std::string::npos) return;
      ADD_FAILURE() << number_ << ": " << error.what() << "\n" << text_;
      return;
    }
    for (const auto& [name, count] : simulation->report().fallbacks)
      if (name == "union_corner") tally_.corners += static_cast<int>(count);
    EXPECT_GE(*simulation->report().min_gap, -1e-8) << number_ << "\n" << text_;
    tally_.impacts += static_cast<int>(keep.hits.size());
    tally_.contacts += static_cast<int>(simulation->report().contacts.size());
    if (rests) return;
    for (const auto& hit : keep.hits) judge(hit, closure == "reflection");
    follow(keep);
  }

 private:
  long double phi(const std::vector<double>& q, const std::vector<double>& way, long double s) const {
    expression::Workspace<long double> work(tape_);
    std::vector<long double> x;
    for (std::size_t k = 0; k < q.size(); ++k) x.push_back(q[k] + s * way[k]);
    return tape_.evaluate(0, x.data(), work);
  }
  bool find_start() {
    for (int tries = 0; tries < 200; ++tries) {
      q_.clear(), v_.clear(), mass_.clear(), g_.clear();
      for (int k = 0; k < n_; ++k) {
        q_.push_back(sets_.uniform(-2, 2));
        v_.push_back(2 * sets_.normal());
        mass_.push_back(sets_.uniform(0.5, 2));
        g_.push_back(number_ % 5 == 4 ? 3 * sets_.normal() : number_ % 2 == 0 ? 0 : sets_.normal());
      }
      if (phi(q_, v_, 0) > 0.02L) return true;
    }
    return false;
  }
  std::unique_ptr<scene::Simulation> start(const std::string& closure, bool rests) {
    const auto list = [](const auto& x, auto&& text) {
      std::string all;
      for (std::size_t k = 0; k < x.size(); ++k) all += (k > 0 ? ", " : "") + text(x[k], k);
      return all;
    };
    const auto number = [](double x, std::size_t) {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", x);
      return std::string(text);
    };
    std::string potential = "0";
    for (int k = 0; k < n_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      potential += " + (" + number(g_[i] * mass_[i], 0) + ")*q" + std::to_string(k);
    }
    const std::string scene = "[time]\nstep = 0.05\nend = 2\n[system]\ncoordinates = [" +
                              list(q_, [](double, std::size_t k) { return "\"q" + std::to_string(k) + "\""; }) +
                              "]\nmass = [" + list(mass_, number) + "]\npotential = \"" + potential +
                              "\"\nposition = [" + list(q_, number) + "]\nvelocity = [" + list(v_, number) +
                              "]\n[[gap]]\nname = \"set\"\nexpression = \"" + text_ + "\"\n[integrator]\nclosure = \"" +
                              closure + "\"\n" + (rests ? "[impact]\nlaw = \"canonical\"\nrestitution = 0.4\n" : "");
    try {
      return scene::simulate(scene::parse_scene(scene, "s.toml"));
    } catch (const Error& error) {
      ++tally_.refused;
      EXPECT_NE(std::string(error.what()).find("more than 256"), std::string::npos) << error.what() << "\n" << text_;
      return nullptr;
    }
  }
  std::vector<double> velocity(const std::vector<double>& p) const {
    std::vector<double> v;
    for (std::size_t k = 0; k < p.size(); ++k) v.push_back(p[k] / mass_[k]);
    return v;
  }
  static double norm(const std::vector<double>& x) {
    double sum = 0;
    for (const double y : x) sum += y * y;
    return std::sqrt(sum);
  }
  /// v⁻ leaves the set, v⁺ does not, and the energy is kept.
  void judge(const Keep::Hit& hit, bool reflected) {
    const auto before = velocity(hit.p_minus), after = velocity(hit.p_plus);
    constexpr long double ahead = 1e-6L;
    const long double curved = 1e-9L * (1 + norm(before) * norm(before));  // φ̈ s², and what is open within an instant
    EXPECT_LE(phi(hit.q, before, ahead), curved) << number_ << " at t = " << hit.t << ": an impact for nothing\n"
                                                 << text_;
    EXPECT_GE(phi(hit.q, after, ahead), -curved) << number_ << " at t = " << hit.t << ": v+ enters\n" << text_;
    if (!reflected) return;
    const double kinetic = norm(before) * norm(before);
    EXPECT_NEAR(hit.energy_after, hit.energy_before, 1e-11 * (1 + kinetic)) << number_ << " at t = " << hit.t;
  }
  /// Between events the rule's curve of a linear potential is the parabola itself: φ along it, as it was written.
  void follow(const Keep& keep) {
    struct Event {
      double t;
      std::vector<double> q, p;
    };
    std::vector<Event> events;
    for (const auto& row : keep.rows)
      if (row.series == scene::Series::trajectory) events.push_back({row.t, row.q, row.p});
    for (const auto& hit : keep.hits) events.push_back({hit.t, hit.q, hit.p_plus});
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.t < b.t; });
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      const Event &from = events[i], &to = events[i + 1];
      const double s = to.t - from.t;
      const auto v = velocity(from.p);
      double miss = 0;
      for (std::size_t k = 0; k < v.size(); ++k)
        miss = std::max(miss, std::abs(from.q[k] + s * v[k] - s * s / 2 * g_[k] - to.q[k]));
      if (miss > 1e-9) {  // a flight along a face
        ++tally_.bent;
        continue;
      }
      constexpr int places = 24;
      for (int k = 1; k <= places; ++k) {
        const long double u = s * static_cast<long double>(k) / places;
        std::vector<double> at;
        for (std::size_t j = 0; j < v.size(); ++j)
          at.push_back(static_cast<double>(from.q[j] + u * v[j] - u * u / 2 * g_[j]));
        ASSERT_GE(phi(at, v, 0), -2e-9L * (1 + norm(v)))
            << number_ << " at t = " << from.t + static_cast<double>(u) << "\n"
            << text_;
      }
    }
  }

  Sets sets_;
  int number_, n_ = 0;
  Tally& tally_;
  std::string text_;
  expression::Tape tape_;
  std::vector<double> q_, v_, mass_, g_;
};

void run(int first, int sets) {
  Tally tally;
  for (int number = first; number < first + sets && !::testing::Test::HasFatalFailure(); ++number)
    Trial(number, tally).run();
  std::printf("%d sets, %d refused, %d failed, %d impacts, %d at corners of unions, %d contacts, %d flights bent\n",
              tally.sets, tally.refused, tally.failed, tally.impacts, tally.corners, tally.contacts, tally.bent);
  EXPECT_GT(tally.contacts, tally.sets / 10);
  EXPECT_LE(tally.failed, 1 + tally.sets / 500);
  EXPECT_GT(tally.sets, sets / 2);
  EXPECT_GT(tally.impacts, tally.sets);
  EXPECT_LE(tally.refused, sets / 20);
}

TEST(KinkedSets, AreNeverLeft) { run(0, test::effort(1000)); }
TEST(LongKinkedSets, AreNeverLeft) { run(1000, 100000); }

}  // namespace
}  // namespace ricochet
