// One harness for every engine: the scenes, the command line, what is measured and the JSON line that reports it.
//
//   peer --scene particle|star|square --impacts N --step h [--csv FILE] [--sample K] [--limit S]
//
// An engine is a World: World(Scene, h), advance() (one step, or one event) and state(). Everything else is the same
// for all, so that no engine is favoured by the way it is read:
//   impact   a World that locates its impacts counts them (impacts()). Otherwise a maximal run of steps in which the
//            floor pushed: m(Δv_y + g Δt) > 1 % of m g Δt; its time is the end of its first step, because that is
//            when a fixed-step engine lets its user see it.
//   energy   ½m|v|² + ½Iω² + mgy after every step. A scheme may carry a bounded O(h) ripple within each flight;
//            `energy_drift` removes it: energy at the last apex (v_y = 0, interpolated) minus the energy at the start.
//   gap      the smallest corner gap after any step; negative is penetration.
//   seconds  processor time of the same run without these observations, the best of at least three (fewer if slow).
// The engine runs in a child process: a crash, an exit() inside a library or a hang ends in a status, with what was
// measured up to there.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace ricochet::peers {

struct State {
  double t, x, y, theta, vx, vy, omega;
};

// A rigid body above the floor y ≥ 0; restitution 1, no friction. Corners at (±side/2, ±side/2); a particle has none.
struct Scene {
  std::string name;
  double mass = 1.0;
  double inertia = 1.0;
  double side = 0.0;
  double gravity = 9.81;
  State start{};

  [[nodiscard]] bool is_particle() const { return side == 0.0; }

  [[nodiscard]] double energy(const State& s) const {
    const double spin = is_particle() ? 0.0 : 0.5 * inertia * s.omega * s.omega;
    return 0.5 * mass * (s.vx * s.vx + s.vy * s.vy) + spin + mass * gravity * s.y;
  }

  // The lowest corner: min over the four gaps y − (L/2)(±sin θ ± cos θ), Fetecau 2003 section 4.3; errata F9.
  [[nodiscard]] double gap(const State& s) const {
    return s.y - 0.5 * side * (std::abs(std::sin(s.theta)) + std::abs(std::cos(s.theta)));
  }
};

inline Scene particle() { return {"particle", 1.0, 1.0, 0.0, 9.81, {0, 0, 1, 0, -2, 0, 0}}; }
inline Scene star() { return {"star", 1.0, 29.0 / 192.0, 1.0, 9.81, {0, 0, 3.5, 0, -2, 0, 5}}; }
// The star's corners and start with the inertia mL²/6 of a homogeneous square plate.
inline Scene square() { return {"square", 1.0, 1.0 / 6.0, 1.0, 9.81, {0, 0, 3.5, 0, -2, 0, 5}}; }

struct Options {
  Scene scene = particle();
  long impacts = 1000;
  double step = 0.01;
  std::string csv;
  long sample = 1;
  unsigned limit = 60;
};

// Plain data in memory shared with the child, so that it survives the child's death.
struct Result {
  long impacts = 0;
  long steps = 0;
  double t_end = 0, energy_initial = 0, energy_final = 0, energy_apex = 0;
  double max_abs_energy_error = 0, worst_gap = 0, seconds = 0;
  std::array<double, 5> first_impact_times{};
  std::array<char, 256> status{};

  void say(const std::string& text) { std::snprintf(status.data(), status.size(), "%s", text.c_str()); }
};

// What an engine that locates its impacts keeps: World::impacts() returns one.
struct ImpactLog {
  long count = 0;
  std::array<double, 5> first{};

  void add(double t) {
    if (count < 5) first[static_cast<std::size_t>(count)] = t;
    ++count;
  }
};

// Not a concept: the Siconos programs include Boost uBLAS 1.74, which needs C++17.
template <class World, class = void>
inline constexpr bool locates_impacts = false;
template <class World>
inline constexpr bool locates_impacts<World, std::void_t<decltype(std::declval<World>().impacts())>> = true;

// Counts impacts from velocities alone, for engines that do not locate them.
class ImpulseCounter {
 public:
  ImpulseCounter(const Scene& scene, const State& start) : gravity_(scene.gravity), before_(start) {}

  // True when a new contact begins within the step that ended in `now`.
  bool sees(const State& now) {
    const double dt = now.t - before_.t;
    const bool pushed = now.vy - before_.vy + gravity_ * dt > 0.01 * gravity_ * dt;
    const bool begins = pushed && !touching_;
    touching_ = pushed;
    before_ = now;
    return begins;
  }

 private:
  double gravity_;
  State before_;
  bool touching_ = false;
};

// Processor time, not wall-clock: all engines run on one thread, and other work on the machine must not count.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The observed run. It also ends when 3 s per requested impact have been simulated (the exact mean is about 1 s), and
// when the energy is a hundred times that of the start: what follows is no longer the scene.
template <class World>
void observe(const Options& o, Result& r) {
  const double begin = cpu_seconds();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> csv(nullptr, &std::fclose);
  if (!o.csv.empty()) {
    csv.reset(std::fopen(o.csv.c_str(), "w"));
    if (!csv) throw std::runtime_error("cannot write " + o.csv);
    std::fputs("t,x,y,theta,vx,vy,omega\n", csv.get());
  }
  const auto write = [&](const State& s) {
    std::fprintf(csv.get(), "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", s.t, s.x, s.y, s.theta, s.vx, s.vy, s.omega);
  };
  World world(o.scene, o.step);
  State before = world.state();
  ImpulseCounter counter(o.scene, before);
  r.energy_initial = r.energy_final = r.energy_apex = o.scene.energy(before);
  r.worst_gap = o.scene.gap(before);
  if (csv) write(before);
  ImpactLog log;
  const double horizon = 3.0 * static_cast<double>(o.impacts);
  while (r.impacts < o.impacts && before.t < horizon) {
    world.advance();
    const State now = world.state();
    const double energy = o.scene.energy(now);
    if (!std::isfinite(energy)) throw std::runtime_error("the state is not finite at t = " + std::to_string(now.t));
    ++r.steps;
    if constexpr (locates_impacts<World>) {
      log = world.impacts();
    } else if (counter.sees(now)) {
      log.add(now.t);
    }
    if (log.count > r.impacts) r.seconds = cpu_seconds() - begin;
    r.impacts = log.count;
    r.first_impact_times = log.first;
    if (before.vy > 0 && now.vy <= 0) {
      const double w = before.vy / (before.vy - now.vy);
      r.energy_apex = (1 - w) * r.energy_final + w * energy;
    }
    r.energy_final = energy;
    r.max_abs_energy_error = std::max(r.max_abs_energy_error, std::abs(energy - r.energy_initial));
    r.worst_gap = std::min(r.worst_gap, o.scene.gap(now));
    r.t_end = now.t;
    if (csv && r.steps % o.sample == 0) write(now);
    before = now;
    if (std::abs(energy) > 100 * std::abs(r.energy_initial)) {
      r.say("stopped: the energy had grown a hundredfold by t = " + std::to_string(now.t));
      return;
    }
  }
  if (r.impacts < o.impacts) r.say("stopped: 3 s per requested impact were simulated");
}

// The same number of steps, unobserved; repeated at least three times unless that would take over five seconds.
template <class World>
void time_it(const Options& o, Result& r) {
  const double observed = r.seconds;
  double best = 0, total = 0;
  for (int k = 0; k < 50 && (k < 3 || total < 0.3) && (k == 0 || total + best < 5.0); ++k) {
    World world(o.scene, o.step);
    const double begin = cpu_seconds();
    for (long i = 0; i < r.steps; ++i) world.advance();
    const double seconds = cpu_seconds() - begin;
    if (std::abs(o.scene.energy(world.state()) - r.energy_final) > 1e-12 * std::abs(r.energy_final))
      r.say("the unobserved run ended elsewhere than the observed one");
    best = k == 0 ? seconds : std::min(best, seconds);
    total += seconds;
    r.seconds = best;
  }
  if (best == 0) r.seconds = observed;
}

inline std::string json_text(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += (c == '\n' || c == '\t') ? ' ' : c;
  }
  return out + '"';
}

inline void print_json(const Options& o, const Result& r, const char* engine, const std::string& version,
                       const char* note) {
  std::printf("{\"engine\": \"%s\", \"version\": \"%s\", \"scene\": \"%s\", \"step\": %.17g, ", engine, version.c_str(),
              o.scene.name.c_str(), o.step);
  std::printf("\"impacts\": %ld, \"requested\": %ld, \"steps\": %ld, \"t_end\": %.17g, ", r.impacts, o.impacts, r.steps,
              r.t_end);
  std::printf("\"energy_initial\": %.17g, \"energy_final\": %.17g, \"energy_drift\": %.6g, ", r.energy_initial,
              r.energy_final, r.energy_apex - r.energy_initial);
  std::printf("\"max_abs_energy_error\": %.6g, \"worst_gap\": %.6g, \"seconds\": %.6g, ", r.max_abs_energy_error,
              r.worst_gap, r.seconds);
  std::printf("\"us_per_impact\": %.6g, \"us_per_step\": %.6g, \"first_impact_times\": [",
              r.impacts > 0 ? 1e6 * r.seconds / static_cast<double>(r.impacts) : 0.0,
              r.steps > 0 ? 1e6 * r.seconds / static_cast<double>(r.steps) : 0.0);
  for (std::size_t i = 0; i < std::min<std::size_t>(5, static_cast<std::size_t>(r.impacts)); ++i)
    std::printf("%s%.15g", i == 0 ? "" : ", ", r.first_impact_times[i]);
  std::printf("], \"status\": %s, \"note\": %s}\n", json_text(r.status.data()).c_str(), json_text(note).c_str());
}

[[noreturn]] inline void usage(const char* why) {
  std::fprintf(stderr,
               "%s\nusage: peer --scene particle|star|square --impacts N --step h [--csv FILE] [--sample K] "
               "[--limit SECONDS]\n",
               why);
  std::exit(2);
}

inline Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 >= argc) usage(("a value is missing after " + key).c_str());
    const std::string value = argv[i + 1];
    if (key == "--scene") {
      if (value == "particle")
        o.scene = particle();
      else if (value == "star")
        o.scene = star();
      else if (value == "square")
        o.scene = square();
      else
        usage(("unknown scene " + value).c_str());
    } else if (key == "--impacts")
      o.impacts = std::atol(value.c_str());
    else if (key == "--step")
      o.step = std::atof(value.c_str());
    else if (key == "--csv")
      o.csv = value;
    else if (key == "--sample")
      o.sample = std::atol(value.c_str());
    else if (key == "--limit")
      o.limit = static_cast<unsigned>(std::atol(value.c_str()));
    else
      usage(("unknown option " + key).c_str());
  }
  if (o.impacts < 1 || !(o.step > 0) || o.sample < 1 || o.limit < 1)
    usage("--impacts, --step, --sample and --limit must be positive");
  return o;
}

template <class World>
int run_peer(int argc, char** argv, const char* engine, const std::string& version, const char* note) {
  const Options o = parse(argc, argv);
  void* shared = mmap(nullptr, sizeof(Result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  Result& r = *new (shared) Result;
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);  // libraries that chat must not disturb the JSON line
    alarm(o.limit);
    try {
      observe<World>(o, r);
    } catch (const std::exception& e) {
      r.say(std::string("stopped: ") + e.what());
    }
    alarm(o.limit);
    time_it<World>(o, r);  // of a failed run: the steps before the failure
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    r.say("did not finish within " + std::to_string(o.limit) + " s");
  else if (WIFSIGNALED(status))
    r.say(std::string("ended by signal: ") + strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    r.say("the library ended the process, exit code " + std::to_string(WEXITSTATUS(status)));
  if (r.status[0] == '\0') r.say("ok");
  print_json(o, r, engine, version, note);
  return 0;
}

}  // namespace ricochet::peers
