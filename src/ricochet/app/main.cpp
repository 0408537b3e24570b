// The command line of ricochet.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/app/audit.hpp"
#include "ricochet/app/commands.hpp"
#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/failure.hpp"
#include "ricochet/app/figure.hpp"
#include "ricochet/app/study.hpp"
#include "ricochet/app/sweep.hpp"
#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/record/files.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/report/report.hpp"
#include "ricochet/scene/document.hpp"

namespace {

constexpr const char* introduction =
    R"(ricochet: structure-preserving simulation of mechanical systems that hit things

A scene is a text file that says what moves, what it may hit and how to integrate it. Running it leaves a folder with
the motion, one line per impact and a summary.)";

// What the program says when it is asked for nothing: ten lines.
constexpr const char* first_words =
    R"(ricochet: structure-preserving simulation of mechanical systems that hit things.

  ricochet list             the bundled scenes: text files that say what moves and what it may hit
  ricochet check star       what a scene says, and which symmetries hold
  ricochet run star         runs it; results in out/star: report.html, trajectory.h5, impacts.csv, summary.json
  ricochet view out/star    looks at them in a browser
  ricochet resume out/star  goes on after Ctrl-C or a crash, bit for bit
  ricochet figure           the figures of the papers that can be drawn

A scene of your own is a copy of a bundled one, changed. Everything else: ricochet --help
)";

constexpr const char* lesson = R"(First steps:
  ricochet list                                  the bundled scenes
  ricochet check star                            what a scene says, and which symmetries hold
  ricochet run star                              results in out/star
  ricochet run star --set time.end=10 --out out/short
  ricochet run star --set system.velocity[2]=3 --set integrator.rule=midpoint --out out/slow
  ricochet resume out/star                       go on after Ctrl-C or a crash, bit for bit
  ricochet view out/star                         look at it in a browser
  ricochet sweep star --vary system.velocity[2]=1:9:50   many variations in parallel, in one HDF5 file
  ricochet figure fetecau2003 4                  a figure of a paper, with its numbers, in out/figures
  ricochet study energy table                    which closure keeps the energy, with numbers and a plot
  ricochet audit out/star                        which principle the motion satisfies; other engines' CSV too

Results:
  report.html     the motion and its plots, in one file for any browser
  trajectory.h5   t, q, p, energy, gaps, momentum maps (HDF5)
  impacts.csv     one line per impact
  summary.json    how it went: errors of the energy, smallest gap, every fallback counted

Exit codes: 0, 1 a run that failed or penetrated (what was computed is on disk), 2 bad input, 130 interrupted; those
of audit: ricochet audit --help. Every command has a --help with examples.)";

/// Whoever closes 0, 1 or 2 must not find a sentence of ours in the next file that is opened. A standard output that
/// was closed takes nothing, as a full disk.
void open_standard_streams() {
  for (int fd = 0; fd < 3; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    int opened = fd == STDOUT_FILENO ? ::open("/dev/full", O_WRONLY) : ::open("/dev/null", O_RDWR);
    if (opened < 0) opened = ::open("/dev/null", O_RDONLY);
    if (opened != fd) std::abort();
  }
}

/// One sentence in one line, whatever was quoted in it.
void tell(const std::string& sentence) { std::cerr << "ricochet: " << ricochet::scene::in_one_line(sentence) << '\n'; }

/// The parser would take the nearest number that fits.
std::string whole(const std::string& text) {
  std::int64_t value = 0;
  const char* begin = text.data() + text.starts_with('+');
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  const bool fits = error == std::errc() && value <= std::numeric_limits<std::int32_t>::max() &&
                    value >= std::numeric_limits<std::int32_t>::min();
  if (error == std::errc::result_out_of_range || (error == std::errc() && !fits)) return text + " is out of range";
  return end == text.data() + text.size() && fits ? "" : text + " is no whole number";
}

std::string named(const std::string& folder) { return folder.empty() ? "the name of a folder is empty" : ""; }

/// The commands with their options, one group after the other in the order of --help.
class CommandLine {
 public:
  CommandLine() {
    program_.footer(lesson);
    program_.set_version_flag("--version", "ricochet " RICOCHET_VERSION);
    program_.require_subcommand(1);
    add_runs();
    add_ladders();
    add_folders();
    add_figures();
    add_study();
    add_tangents();
    add_audit();
    add_sweep();
  }

  /// The exit code of what was typed.
  int operator()(int argc, char** argv);

 private:
  std::string unknown_word(int argc, char** argv);
  using Action = std::function<int()>;

  void add_runs();
  void add_ladders();
  void add_folders();
  void add_figures();
  void add_study();
  void add_tangents();
  void add_audit();
  void add_sweep();

  CLI::App* add(const char* name, const char* what, const std::string& examples, Action action) {
    CLI::App* command = program_.add_subcommand(name, what);
    command->footer("For example:\n" + examples);
    actions_.emplace_back(command, std::move(action));
    return command;
  }
  void add_scene(CLI::App* command) {
    command->add_option("SCENE", options_.scene, "a file, or the name of a bundled scene")->required();
  }
  void add_set(CLI::App* command) {
    command->add_option("--set", options_.overrides, "change a value: table.key=value, table.key[index]=value")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
  }
  void add_quiet(CLI::App* command) { command->add_flag("--quiet", options_.quiet, "say nothing but errors"); }
  void add_folder(CLI::App* command) { command->add_option("DIR", dir_, "folder of the run")->required(); }

  /// Options of a command with the scene and the overrides that were typed.
  template <class Options>
  Options with_scene(Options options) const {
    options.scene = options_.scene;
    options.overrides = options_.overrides;
    return options;
  }

  int act() const;

  CLI::App program_{introduction, "ricochet"};
  std::vector<std::pair<CLI::App*, Action>> actions_;
  CLI::App* audit_ = nullptr;

  ricochet::app::RunOptions options_;
  ricochet::app::CompareOptions ladder_;
  std::string dir_;
  ricochet::report::ViewOptions view_;
  ricochet::app::FigureOptions figure_;
  ricochet::app::StudyOptions study_;
  ricochet::app::LyapunovOptions lyapunov_;
  ricochet::app::OrbitOptions orbit_;
  std::string format_ = "text";
  ricochet::app::AuditOptions audit_options_;
};

void CommandLine::add_runs() {
  auto* run = add("run", "run a scene and record it",
                  R"(  ricochet run star                       a bundled scene; results in out/star
  ricochet run mine.toml --out out/first  a scene of your own
  ricochet run star --set time.end=10 --set system.velocity[2]=3 --out out/slow)",
                  [this] { return ricochet::app::run(options_); });
  add_scene(run);
  run->add_option("--out", options_.out, "folder for the results (out/<scene name>)")->check(named);
  add_set(run);
  add_quiet(run);
  run->add_flag("--overwrite", options_.overwrite, "replace the results of an earlier run");

  auto* check = add("check", "validate a scene and describe it",
                    R"(  ricochet check star
  ricochet check mine.toml --set impact.law=newton --set impact.restitution=0.5)",
                    [this] { return ricochet::app::check(options_.scene, options_.overrides); });
  add_scene(check);
  add_set(check);

  add("list", "the bundled scenes", R"(  ricochet list)", [] { return ricochet::app::list(); });
}

void CommandLine::add_ladders() {
  const auto with = [this](int (*command)(const ricochet::app::CompareOptions&)) {
    return [this, command] {
      ladder_.out = options_.out;
      return command(with_scene(ladder_));
    };
  };
  auto* compare = add("compare", "both principles on one scene over a ladder of steps",
                      R"(  ricochet compare impact-oscillator --set time.end=10 --steps 0.02,0.01,0.005)",
                      with(ricochet::app::compare));
  auto* converge = add("converge", "the scene's own scheme over a ladder of steps",
                       R"(  ricochet converge pendulum --set time.end=10 --set integrator.rule=suzuki4)",
                       with(ricochet::app::converge));
  for (auto* command : {compare, converge}) {
    add_scene(command);
    command->add_option("--steps", ladder_.steps, "lengths of steps, with commas (the scene's, /2, /4, /8)")
        ->delimiter(',');
    command->add_option("--out", options_.out, "folder for the table and the plot (out/<command>-<scene name>)")
        ->check(named);
    command->add_option("--reference", ladder_.reference,
                        "a CSV of the exact motion, t and coordinates (the finest run)");
    command->add_flag("--overwrite", ladder_.overwrite, "replace the table and the plot of an earlier one");
    add_set(command);
  }
  auto* solve_bvp =
      add("solve-bvp", "every solution of the two-point problem of [boundary]", R"(  ricochet solve-bvp two-point)",
          [this] { return ricochet::app::solve_bvp(options_.scene, options_.overrides); });
  add_scene(solve_bvp);
  add_set(solve_bvp);
}

void CommandLine::add_folders() {
  auto* resume = add(
      "resume", "continue an interrupted run, bit for bit",
      R"(  ricochet resume out/star                after Ctrl-C, a crash or a full disk; the result is that of a run in one piece)",
      [this] { return ricochet::app::resume(dir_, options_.quiet); });
  add_folder(resume);
  add_quiet(resume);

  add_folder(
      add("recover", "trajectory.h5 of what a killed run had recorded, as far as it goes",
          R"(  ricochet recover out/star               then read out/star/trajectory.h5; resume works afterwards, too)",
          [this] { return ricochet::app::recover(dir_); }));

  add_folder(add("report", "make report.html of a run again", R"(  ricochet report out/star)",
                 [this] { return ricochet::report::report_command(dir_); }));

  auto* view = add("view", "look at a run in a browser, served on this machine only",
                   R"(  ricochet view out/star
  ricochet view out/star --port 8000 --no-browser)",
                   [this] { return ricochet::report::view_command(dir_, view_); });
  add_folder(view);
  view->add_option("--port", view_.port, "port of 127.0.0.1 (any free one)")->check(whole);
  view->add_flag_callback(
      "--no-browser", [this] { view_.browser = false; }, "print the address only");
}

void CommandLine::add_figures() {
  auto* figure = add("figure", "draw figures of the papers, and check their numbers; alone: list them",
                     R"(  ricochet figure                         what can be drawn
  ricochet figure fetecau2003 4
  ricochet figure all --out figures)",
                     [this] { return ricochet::app::figure(figure_); });
  figure->add_option("PAPER", figure_.paper, "short name of a paper, or all");
  figure->add_option("NUMBER", figure_.number, "number of a figure (all of the paper)");
  figure->add_option("--out", figure_.out, "folder for the figures (out/figures)");
  figure->add_flag("--keep-runs", figure_.keep_runs, "leave the runs behind the figure beside it");
}

void CommandLine::add_study() {
  auto* study = add("study", "measure a scene over many runs",
                    R"(  ricochet study energy table --closures variational,shadow4 --steps 0.05,0.025)", [this] {
                      study_.overrides = options_.overrides;
                      return ricochet::app::study_energy(study_);
                    });
  study->require_subcommand(1);
  auto* energy = study->add_subcommand("energy", "what impacts do to the energy, for every closure and step");
  energy->add_option("SCENE", study_.scene, "a file, or the name of a bundled scene")->required();
  energy->add_option("--closures", study_.closures,
                     "as in variational,shadow4,interpolated:8 (every one the model allows)");
  energy->add_option("--steps", study_.steps, "as in 0.05,0.025 (the scene's and half of it)");
  energy->add_option("--ensemble", study_.ensemble, "number of starts around the scene's (4)")->check(whole);
  energy->add_option("--impacts", study_.impacts, "impacts from each start (5000)")->check(whole);
  energy->add_option("--out", study_.out, "folder for the results (out/<scene name>-energy)")->check(named);
  add_set(energy);
  energy->add_flag("--overwrite", study_.overwrite, "replace the results of an earlier study");
}

void CommandLine::add_tangents() {
  auto* lyapunov = add("lyapunov", "Lyapunov exponents of a scene, with error bars",
                       R"(  ricochet lyapunov table --time 2000
  ricochet lyapunov table --format json)",
                       [this] {
                         lyapunov_.format = format_;
                         return ricochet::app::lyapunov(with_scene(lyapunov_));
                       });
  lyapunov->add_option("--discard", lyapunov_.discard, "share of the run left out at its start (0.1)");
  lyapunov->add_option("--time", lyapunov_.time, "length of the run (the scene's)");
  auto* orbit = add("orbit", "a periodic orbit with impacts near a scene's start, and its stability",
                    R"(  ricochet orbit impact-oscillator --period 2.24399)", [this] {
                      orbit_.format = format_;
                      return ricochet::app::orbit(with_scene(orbit_));
                    });
  orbit->add_option("--period", orbit_.period, "of the drive, or a guess where nothing drives")->required();
  orbit->add_option("--iterations", orbit_.iterations, "of Newton at most (30)")->check(whole);
  orbit->add_option("--impacts", orbit_.impacts, "the orbit must have in a period (at least one)")->check(whole);
  for (auto* command : {lyapunov, orbit}) {
    add_scene(command);
    command->add_option("--format", format_, "text, json or csv")->check(CLI::IsMember({"text", "json", "csv"}));
    add_set(command);
  }
}

void CommandLine::add_audit() {
  auto& options = audit_options_;
  audit_ = add("audit", "which principle does a motion satisfy, ours or another engine's?",
               R"(  ricochet audit out/star                 a run of ours
  ricochet audit motion.csv --scene star --html audit.html     the table of another engine

Exit codes: 0 strong extremal, 3 weak extremal, 4 neither, 5 not judged; with --expect 0 or 1; 2 bad input.)",
               [this] {
                 audit_options_.overrides = options_.overrides;
                 return ricochet::app::audit(audit_options_);
               });
  audit_->add_option("FILE", options.file, "folder of a run, its trajectory.h5, or a CSV: t,q…[,v…]")->required();
  audit_->add_option("--scene", options.scene, "what moves: a file or a bundled scene (of a run: its own)");
  audit_->add_option("--map", options.map, "a TOML that says which column of the CSV is what");
  audit_->add_option("--expect", options.expect, "strong or weak: exit code 0 if the motion is that, else 1");
  audit_->add_option("--json", options.json, "also write the findings to this file, as JSON");
  audit_->add_option("--html", options.html, "also write the findings to this file, as a page");
  audit_->add_flag("--quiet", options.quiet, "say nothing but errors");
  add_set(audit_);
}

/// It reads its own options.
void CommandLine::add_sweep() {
  auto* sweep = program_.add_subcommand("sweep", "run many variations of a scene in parallel (ricochet sweep --help)");
  sweep->prefix_command();
  sweep->set_help_flag();
  actions_.emplace_back(sweep, [sweep] { return ricochet::app::sweep(sweep->remaining()); });
}

int CommandLine::act() const {
  const auto failed = [&](int code) { return *audit_ ? 2 : code; };  // 1 is a verdict of audit
  try {
    for (const auto& [command, action] : actions_)
      if (*command) return action();
    return 2;  // one command is required: the parser has said so
  } catch (const ricochet::record::RecordError& error) {
    tell(error.what());
    return failed(ricochet::app::exit_code(error));
  } catch (const ricochet::Error& error) {
    tell(error.what());
    return failed(ricochet::app::exit_code(error));
  } catch (const std::bad_alloc&) {
    tell("not enough memory");
    return failed(1);
  } catch (const std::exception& error) {
    if (std::ferror(stdout) == 0) tell(error.what());  // else main says what is the matter
    return failed(1);
  }
}

/// The first word that nothing is called by, with the nearest one that is; "" if all are known.
std::string CommandLine::unknown_word(int argc, char** argv) {
  CLI::App* app = &program_;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    std::vector<std::string> known;
    if (name.starts_with("--") && name.size() > 2) {
      if (app->get_option_no_throw(name) != nullptr) continue;
      for (const CLI::Option* option : app->get_options())
        for (const auto& long_name : option->get_lnames()) known.push_back("--" + long_name);
      return "there is no option '" + name + "'" + ricochet::expression::suggestion(name, known);
    }
    const auto commands = app->get_subcommands([](CLI::App*) { return true; });
    if (word.starts_with('-') || commands.empty()) continue;
    for (CLI::App* command : commands) known.push_back(command->get_name());
    const auto found = std::find(known.begin(), known.end(), word);
    if (found == known.end())
      return "there is no command '" + word + "'" + ricochet::expression::suggestion(word, known);
    app = commands[static_cast<std::size_t>(found - known.begin())];
  }
  return "";
}

int CommandLine::operator()(int argc, char** argv) {
  if (argc == 1) {
    std::cout << first_words;
    return 0;
  }
  try {
    program_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program_.exit(error);  // --help, --version
    std::string usage = "ricochet";
    for (const CLI::App* command : program_.get_subcommands()) usage += " " + command->get_name();
    const std::string unknown = unknown_word(argc, argv);
    tell((unknown.empty() ? error.what() : unknown) + " (" + usage + " --help shows how it is used)");
    return 2;
  }
  return act();
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  ricochet::record::hear_of_file_size_limits();
  const int code = CommandLine()(argc, argv);
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  std::cerr << "ricochet: what the command had to say could not be written to the standard output\n";
  return code == 2 || code == 130 ? code : 1;  // not a verdict of audit: nobody has read its findings
}
