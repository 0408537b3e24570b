// Bifurcation diagram of the forced, damped impact oscillator: stroboscopic section and impact map over a parameter.
//
//   x'' + 2ζx' + x = cos(ωt),  x ≤ d,  restitution e
//
// Sample runs:
//   bifurcation                      2000 orbits over ω, two files: stroboscope.csv and impacts.csv
//   bifurcation 500 2.0 3.0 out      500 orbits, ω from 2 to 3, files in the folder out
//
// Every orbit starts from the same state, forgets 150 periods and records 50. Orbits are independent, so they are
// shared out to all cores; the result does not depend on how.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "ricochet/bodies/generalized.hpp"
#include "ricochet/principle/strong.hpp"

namespace {

struct Oscillator {
  static constexpr int dimension = 1;
  double omega, damping = 0.02, wall = 0.0;

  Eigen::Matrix<double, 1, 1> mass() const { return Eigen::Matrix<double, 1, 1>(1.0); }
  template <class T>
  T potential(ricochet::Point<T> q) const {
    return 0.5 * q[0] * q[0];
  }
  template <class T>
  void force(ricochet::Point<T>, ricochet::Point<T> v, const T& t, std::span<T> f) const {
    using std::cos;
    f[0] = cos(omega * t) - 2.0 * damping * v[0];
  }
  int gaps() const { return 1; }
  template <class T>
  T gap(int, ricochet::Point<T> q) const {
    return wall - q[0];
  }
};

using Body = ricochet::bodies::Generalized<Oscillator>;

struct Orbit {
  std::vector<std::array<double, 2>> stroboscope;  // x, v once per period
  std::vector<std::array<double, 2>> impacts;      // phase in the period, speed before
};

/// Records impacts once `recording` is set.
struct ImpactMap {
  Orbit& orbit;
  double period;
  bool recording = false;
  void impact(const ricochet::principle::ImpactEvent<Body>& e) {
    if (recording) orbit.impacts.push_back({std::fmod(e.t, period) / period, e.before.p[0]});
  }
};

Orbit follow(double omega, int forget, int keep) {
  const int steps_per_period = 60;
  const double period = 2 * std::acos(-1.0) / omega;
  const Body body(Oscillator{omega}, ricochet::discrete::Rule<double>::trapezoid());
  ricochet::principle::ImpactLaws<Body> laws;
  laws.law = ricochet::mechanics::Law<double>::newton();
  laws.restitution = [](int, const Body::Node&) { return 0.8; };
  ricochet::principle::Strong<Body> run(body, body.node(Body::Vec(-0.5), Body::Vec(0.0)), {}, laws);
  Orbit orbit;
  ImpactMap map{orbit, period};
  for (int k = 0; k < forget + keep; ++k) {
    map.recording = k >= forget;
    run.run(period / steps_per_period, steps_per_period, map);
    if (map.recording) orbit.stroboscope.push_back({run.node().q[0], run.node().p[0]});
  }
  return orbit;
}

}  // namespace

int main(int argc, char** argv) {
  const int orbits = argc > 1 ? std::atoi(argv[1]) : 2000;
  const double first = argc > 2 ? std::atof(argv[2]) : 1.5, last = argc > 3 ? std::atof(argv[3]) : 4.5;
  const std::filesystem::path folder = argc > 4 ? argv[4] : ".";
  if (orbits < 2 || !(first > 0) || !(last > first)) {
    std::fprintf(stderr, "usage: bifurcation [ORBITS ≥ 2 [FIRST LAST [FOLDER]]] with 0 < FIRST < LAST\n");
    return 2;
  }
  // The files first: nobody wants to hear after the work that it cannot be kept.
  std::error_code refused;
  std::filesystem::create_directories(folder, refused);
  std::FILE* strobe = refused ? nullptr : std::fopen((folder / "stroboscope.csv").c_str(), "w");
  std::FILE* hits = refused ? nullptr : std::fopen((folder / "impacts.csv").c_str(), "w");
  if (strobe == nullptr || hits == nullptr) {
    std::fprintf(stderr, "bifurcation: cannot write into %s\n", folder.c_str());
    return 2;
  }
  auto omega = [&](int i) { return first + (last - first) * i / (orbits - 1); };

  const auto begin = std::chrono::steady_clock::now();
  std::vector<Orbit> all(static_cast<std::size_t>(orbits));
  std::atomic<int> next{0}, failed{0};
  std::vector<std::thread> workers;
  for (unsigned w = 0; w < std::max(1u, std::thread::hardware_concurrency()); ++w)
    workers.emplace_back([&] {
      for (int i = next++; i < orbits; i = next++) {
        try {
          all[static_cast<std::size_t>(i)] = follow(omega(i), 150, 50);
        } catch (const ricochet::Error& error) {
          ++failed;
          std::fprintf(stderr, "bifurcation: omega = %.17g: %s\n", omega(i), error.what());
        }
      }
    });
  for (std::thread& worker : workers) worker.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  std::size_t impacts = 0;
  std::fprintf(strobe, "omega,x,v\n");
  std::fprintf(hits, "omega,phase,speed\n");
  for (int i = 0; i < orbits; ++i) {
    const Orbit& orbit = all[static_cast<std::size_t>(i)];
    for (const auto& [x, v] : orbit.stroboscope) std::fprintf(strobe, "%.17g,%.17g,%.17g\n", omega(i), x, v);
    for (const auto& [phase, v] : orbit.impacts) std::fprintf(hits, "%.17g,%.17g,%.17g\n", omega(i), phase, v);
    impacts += orbit.impacts.size();
  }
  const bool written = std::fclose(strobe) == 0 && std::fclose(hits) == 0;
  std::printf("%d orbits, %zu recorded impacts, %.1f s\n", orbits, impacts, seconds);
  return written && failed == 0 ? 0 : 1;
}
