#include "ricochet/app/commands.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/failure.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/app/recorder.hpp"
#include "ricochet/app/summary.hpp"
#include "ricochet/error.hpp"
#include "ricochet/record/directory.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/source.hpp"
#include "ricochet/record/xdmf.hpp"
#include "ricochet/report/report.hpp"
#include "ricochet/report/stage.hpp"
#include "ricochet/scene/boundary.hpp"
#include "ricochet/scene/derivatives.hpp"
#include "ricochet/scene/document.hpp"
#include "ricochet/scene/simulation.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;

/// While one lives, Ctrl-C and a polite kill end the run, not the program; a second Ctrl-C ends the program too. Who
/// started the program deaf to a signal (nohup, a script's background) keeps it so.
class Interruptible {
 public:
  Interruptible() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &action, nullptr);
    }
  }
  ~Interruptible() {
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM};
  std::array<struct sigaction, signals.size()> before_{};
};

/// A terminal that can rewrite a line.
bool on_a_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && term != nullptr && *term != '\0' && std::strcmp(term, "dumb") != 0;
}

/// A line that is rewritten on a terminal, cut to its width, and absent elsewhere.
class Progress {
 public:
  explicit Progress(bool quiet) : shown_(!quiet && on_a_terminal()) {}
  ~Progress() {
    if (written_) std::fputs("\r\033[K", stderr);
  }
  void operator()(const scene::Simulation& simulation) {
    if (!shown_) return;
    const auto now = std::chrono::steady_clock::now();
    if (written_ && now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    written_ = true;
    const auto& model = simulation.model();
    double share = 0;
    if (model.end) share = simulation.t() / *model.end;
    if (model.impacts)
      share = std::max(share, static_cast<double>(simulation.impacts()) / static_cast<double>(*model.impacts));
    std::string line = fmt::format("{:3.0f} %  t = {:.6g}  {} steps  {} impacts", 100 * std::min(share, 1.0),
                                   simulation.t(), simulation.steps(), simulation.impacts());
    winsize size = {};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && line.size() >= size.ws_col)
      line.resize(size.ws_col - 1u);
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
  }

 private:
  bool shown_, written_ = false;
  std::chrono::steady_clock::time_point last_;
};

using scene::in_one_line;

/// A folder as it can be typed: in quotation marks where a shell needs them, in those of bash where it would tear the
/// line apart.
std::string typed(const std::string& dir) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c > 127 || std::strchr("_./-+,:=@%", c); };
  const std::string line = in_one_line(dir);
  if (!dir.empty() && line == dir && std::all_of(dir.begin(), dir.end(), plain)) return dir;
  std::string out = line == dir ? "'" : "$'";
  for (const char c : line) out += c != '\'' ? std::string(1, c) : line == dir ? "'\\''" : "\\'";
  return out + "'";
}

/// The page is worth a sentence when it cannot be made, not the run.
void leave_report(const std::string& dir, bool quiet) {
  try {
    const fs::path page = report::write_report(dir);
    if (!quiet) fmt::print("To look at it: {}\n", in_one_line(page.string()));
  } catch (const report::NoTemplate& error) {  // nobody who builds without the viewer wants to hear of it every time
    if (!quiet) fmt::print(stderr, "No report.html: {}.\n", in_one_line(error.what()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "No report.html: {}.\n", in_one_line(error.what()));
  }
}

/// After another sentence: one is enough.
void leave_report_silently(const std::string& dir) {
  try {
    report::write_report(dir);
  } catch (const std::exception&) {  // the other sentence was worse
  }
}

int conclude(const RunResult& result, const std::string& dir, bool quiet) {
  const auto& report = result.report;
  if (result.outcome == Outcome::failed) {
    fmt::print(stderr, "ricochet: {}; what was computed until then is in {}\n", in_one_line(result.error),
               in_one_line(dir));
    return result.bad_input ? 2 : 1;
  }
  if (!report.penetration.empty()) fmt::print(stderr, "ricochet: {}\n", report.penetration);
  if (!quiet) {
    if (result.outcome == Outcome::interrupted) fmt::print("Interrupted. ");
    const bool worked = report.supplied != 0 || report.dissipated != 0 || report.wall_work != 0;
    fmt::print("{} step{}, {} impact{} until t = {:.6g} in {:.3g} s; relative {} of the energy {:.2e}", report.steps,
               report.steps == 1 ? "" : "s", report.impacts, report.impacts == 1 ? "" : "s", report.t, result.seconds,
               worked ? "change" : "error", report.energy.max_relative_error);
    const scene::Extremes& energy = report.energy;
    const double change = std::max(energy.max - energy.initial, energy.initial - energy.min);
    if (energy.max_relative_error > 0.01 && change > 2 * std::abs(energy.initial) * energy.max_relative_error &&
        energy.initial != 0)
      fmt::print(" ({:.2e} of it at the start)", change / std::abs(energy.initial));
    if (worked) fmt::print(", of its balance {:.2e}", unbalanced(report));
    if (report.min_gap) fmt::print(", smallest gap {:.2e}", *report.min_gap);
    fmt::print("\n");
    for (const auto& [name, count] : report.fallbacks)
      if (count > 0) fmt::print("{} time{}: {}\n", count, count == 1 ? "" : "s", name);
    for (const auto& note : report.notes) fmt::print("Note: {}\n", note);
    for (std::string warning : warnings(report)) {
      warning[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(warning[0])));
      fmt::print("{}\n", warning);
    }
    fmt::print("Results in {}", in_one_line(dir));
    fmt::print("{}\n", result.outcome == Outcome::interrupted ? "; go on with: ricochet resume " + typed(dir) : "");
  }
  return result.outcome == Outcome::interrupted ? 130 : 0;
}

/// What follows a finished run: derivatives, if the scene asks for them, and the page. The run stays finished whatever
/// becomes of these.
int leave_the_rest(DerivativesOfRun& derivatives, const std::string& dir, bool quiet) {
  int code = 0;
  try {
    if (!derivatives.leave(dir, quiet, [] { return interrupted != 0; })) {
      if (!quiet)
        fmt::print("Interrupted. The run is finished, its derivatives are not: ricochet resume {}\n", typed(dir));
      return 130;
    }
  } catch (const std::runtime_error& error) {  // Error of the run, RecordError of the disk
    fmt::print(stderr, "ricochet: the run is finished, its derivatives are not: {}; again with: ricochet resume {}\n",
               in_one_line(error.what()), typed(dir));
    code = 1;
  }
  if (code == 0)
    leave_report(dir, quiet);
  else
    leave_report_silently(dir);
  return code;
}

int carry_out(scene::Simulation& simulation, record::Writer& writer, DerivativesOfRun& derivatives,
              const std::string& dir, bool begin, double seconds, bool quiet) {
  const Interruptible guard;
  const auto start = std::chrono::steady_clock::now();
  RunResult result;
  try {
    Progress progress(quiet);
    result = app::carry_out(
        simulation, writer, begin, seconds, [] { return interrupted != 0; },
        [&](const scene::Simulation& s) { progress(s); });
  } catch (const record::RecordError& error) {  // a full disk: the run failed, the input was good
    const record::Place place{dir};
    if (!record::present(place.frames()) && !record::present(place.trajectory()))  // somebody has removed it
      fmt::print(stderr, "ricochet: {}; {} is gone, and what was recorded there with it\n", in_one_line(error.what()),
                 in_one_line(record::present(dir) ? place.running().string() : dir));
    else
      fmt::print(stderr, "ricochet: {}; what was recorded until then is in {}, {}go on with: ricochet resume {}\n",
                 in_one_line(error.what()), in_one_line(dir), exit_code(error) == 1 ? "with more room " : "",
                 typed(dir));
    result.outcome = Outcome::failed;
    result.error = error.what();
    result.report = simulation.report();
    result.seconds = seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    try {
      record::replace_file(fs::path(dir) / "summary.json", record::to_json(summary_of(simulation, result)), false);
    } catch (const record::RecordError&) {  // no room even for that, as the sentence says
    }
    return 1;
  }
  int code = conclude(result, dir, quiet);
  if (code == 0) {
    code = leave_the_rest(derivatives, dir, quiet);
    if (code == 0 && !result.report.penetration.empty()) code = 1;  // it is finished, and did not end well
  } else if (result.outcome == Outcome::failed)
    leave_report_silently(dir);
  else
    leave_report(dir, quiet);
  if (result.missing.empty()) return code;
  fmt::print(stderr,
             "ricochet: {}; the record in {} is whole without it, once it can be written: ricochet recover {}\n",
             in_one_line(result.missing), in_one_line(dir), typed(dir));
  return code == 0 ? 1 : code;
}

/// A run with functions or a law of Python's is another run without them.
void require_whole_scene(const record::Schema& schema, const std::string& dir) {
  if (const std::string given = given_in_python(schema); !given.empty())
    throw Error(ErrorKind::bad_scene,
                dir + ": the scene inside cannot hold " + given + ", given in Python: run it there anew");
}

/// What a finished run says of itself, if this is one.
std::optional<record::Summary> summary_of_finished(const fs::path& dir) {
  const record::Place place{dir};
  using record::present;
  if (!present(place.summary()) || !present(place.trajectory()) || present(place.checkpoint())) return std::nullopt;
  auto summary = record::summary_from_json(record::read_text(place.summary()), place.summary());
  if (summary.status != "finished") return std::nullopt;
  return summary;
}

/// The model of a finished run that was killed before the derivatives it asks for were there, if this is one. They
/// are there when the summary speaks of them: it is written after derivatives.h5.
std::shared_ptr<scene::Model> model_without_derivatives(const fs::path& dir) {
  const auto said = summary_of_finished(dir);
  if (!said) return nullptr;
  const bool spoken_of = std::any_of(said->extra.begin(), said->extra.end(),
                                     [](const auto& entry) { return entry.first == "irregular_derivatives"; });
  if (spoken_of && record::present(record::Place{dir}.derivatives())) return nullptr;
  const record::Source source(dir);
  auto model = scene::compile(scene_of(source.schema()));
  if (!scene::read_derivatives_table(*model)) return nullptr;
  require_whole_scene(source.schema(), dir.string());
  return model;
}

/// Whether this is a finished run without its page, as a kill between the two leaves it, and a page can be made here.
bool lacks_page(const fs::path& dir) {
  if (record::present(record::Place{dir}.report()) || !summary_of_finished(dir)) return false;
  try {
    report::find_template();
    return true;
  } catch (const report::ReportError&) {
    return false;
  }
}

/// What `resume` would do for a run whose trajectory.h5 is there, in a few words; "" where it would refuse, or only
/// fail again. A run that was cut off (a kill, a full disk) had not put its rows together.
std::string what_is_left(const fs::path& dir, bool cut_off) {
  if (record::present(dir / "checkpoint")) return "go on with";
  const fs::path summary = dir / "summary.json";
  if (!record::present(summary)) return "there is no checkpoint yet, begin again with";
  const std::string status = record::summary_from_json(record::read_text(summary), summary).status;
  if (status == "interrupted" || cut_off) return "there is no checkpoint, begin again with";
  try {
    if (model_without_derivatives(dir)) return "its derivatives are missing, compute them with";
  } catch (const Error&) {  // a scene that this version does not read: `resume` would say so
  }
  if (lacks_page(dir)) return "its page is missing, make it with";
  return "";
}

}  // namespace

int run(const RunOptions& options) {
  const std::string path = find_scene(options.scene);
  auto simulation = scene::simulate(scene::load_scene(path, options.overrides));
  report::check_shapes(simulation->model().scene);
  DerivativesOfRun derivatives(*simulation);  // what is wrong there is said before the run, not after it
  scene::check_boundary_table(simulation->model());
  const std::string dir =
      options.out.empty() ? (fs::path("out") / simulation->model().scene.name).string() : options.out;
  auto writer = record::Writer::create(dir, schema_of(simulation->model()), {.overwrite = options.overwrite});
  return carry_out(*simulation, writer, derivatives, dir, true, 0, options.quiet);
}

int resume(const std::string& dir, bool quiet) {
  if (const auto model = model_without_derivatives(dir)) {
    const Interruptible guard;
    DerivativesOfRun derivatives(model);
    return leave_the_rest(derivatives, dir, quiet);
  }
  if (lacks_page(dir)) {
    const fs::path page = report::write_report(dir);
    if (!quiet)
      fmt::print("The run is finished, its page was missing. To look at it: {}\n", in_one_line(page.string()));
    return 0;
  }
  std::unique_ptr<scene::Simulation> simulation;
  double seconds = 0;
  const auto accept = [&](const record::Schema& schema, const std::optional<record::Checkpoint>& checkpoint) {
    if (schema.version != RICOCHET_VERSION)
      throw Error(
          ErrorKind::bad_scene,
          fmt::format("{} holds a run of ricochet {}; this is {}, which may round differently: run the scene anew", dir,
                      schema.version, RICOCHET_VERSION));
    require_whole_scene(schema, dir);
    simulation = scene::simulate(scene_of(schema));
    if (checkpoint) seconds = unpack(checkpoint->state, *simulation);
  };
  auto [writer, checkpoint] = record::Writer::resume(dir, {}, accept);
  const auto derivatives = checkpoint ? std::make_unique<DerivativesOfRun>(simulation->shared_model())
                                      : std::make_unique<DerivativesOfRun>(*simulation);
  return carry_out(*simulation, writer, *derivatives, dir, !checkpoint, seconds, quiet);
}

int recover(const std::string& dir) {
  const record::Place place{dir};
  const bool cut_off = !record::present(place.trajectory());
  record::Writer::repair(dir);
  record::write_xdmf(dir);
  const record::Source source(dir);
  fmt::print("{} rows in {}", source.rows(0), in_one_line(place.trajectory().string()));
  for (std::size_t i = 1; i < source.slots().tables().size(); ++i)
    if (source.rows(i) > 0) fmt::print(", {} of {}", source.rows(i), source.slots().tables()[i].name);
  const bool ours = given_in_python(source.schema()).empty();  // others cannot be resumed
  if (const std::string rest = ours ? what_is_left(dir, cut_off) : ""; !rest.empty())
    fmt::print("; {}: ricochet resume {}", rest, typed(dir));
  fmt::print("\n");
  return 0;
}

int list() {
  const auto scenes = bundled_scenes();
  if (scenes.empty()) {
    fmt::print(stderr, "ricochet: the bundled scenes were not found beside the program\n");
    return 1;
  }
  std::size_t width = 0;
  for (const auto& scene : scenes) width = std::max(width, scene.name.size());
  for (const auto& scene : scenes) fmt::print("{:<{}}  {}\n", scene.name, width, scene.title);
  return 0;
}

}  // namespace ricochet::app
