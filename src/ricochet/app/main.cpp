// The command line of ricochet.
#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "ricochet/app/audit.hpp"
#include "ricochet/app/commands.hpp"
#include "ricochet/app/derivatives.hpp"
#include "ricochet/app/figure.hpp"
#include "ricochet/app/study.hpp"
#include "ricochet/app/sweep.hpp"
#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/report/report.hpp"

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

Exit codes: 0, 1 a run that failed (what was computed is on disk), 2 bad input, 130 interrupted; those of audit:
ricochet audit --help. Every command has a --help with examples.)";

/// Whoever closes 0, 1 or 2 must not find a sentence of ours in the next file that is opened.
void open_standard_streams() {
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", O_RDWR) != fd) std::abort();
}

int command(int argc, char** argv) {
  if (argc == 1) {
    std::cout << first_words;
    return 0;
  }
  CLI::App program{introduction, "ricochet"};
  program.footer(lesson);
  program.set_version_flag("--version", "ricochet " RICOCHET_VERSION);
  program.require_subcommand(1);
  const auto add = [&](const char* name, const char* what, const std::string& examples) {
    CLI::App* command = program.add_subcommand(name, what);
    command->footer("For example:\n" + examples);
    return command;
  };

  const auto named = [](const std::string& folder) { return folder.empty() ? "the name of a folder is empty" : ""; };
  ricochet::app::RunOptions options;
  auto* run = add("run", "run a scene and record it",
                  R"(  ricochet run star                       a bundled scene; results in out/star
  ricochet run mine.toml --out out/first  a scene of your own
  ricochet run star --set time.end=10 --set system.velocity[2]=3 --out out/slow)");
  run->add_option("SCENE", options.scene, "a file, or the name of a bundled scene")->required();
  run->add_option("--out", options.out, "folder for the results (out/<scene name>)")->check(named);
  const auto add_set = [&](CLI::App* command) {
    command->add_option("--set", options.overrides, "change a value: table.key=value, table.key[index]=value")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
  };
  add_set(run);
  run->add_flag("--quiet", options.quiet, "say nothing but errors");
  run->add_flag("--overwrite", options.overwrite, "replace the results of an earlier run");

  auto* check = add("check", "validate a scene and describe it",
                    R"(  ricochet check star
  ricochet check mine.toml --set gap[0].restitution=0.5)");
  check->add_option("SCENE", options.scene, "a file, or the name of a bundled scene")->required();
  add_set(check);

  add("list", "the bundled scenes", R"(  ricochet list)");

  ricochet::app::CompareOptions ladder;
  auto* compare = add("compare", "both principles on one scene over a ladder of steps",
                      R"(  ricochet compare impact-oscillator --set time.end=10 --steps 0.02,0.01,0.005)");
  auto* converge = add("converge", "the scene's own scheme over a ladder of steps",
                       R"(  ricochet converge pendulum --set time.end=10 --set integrator.rule=suzuki4)");
  for (auto* command : {compare, converge}) {
    command->add_option("SCENE", options.scene, "a file, or the name of a bundled scene")->required();
    command->add_option("--steps", ladder.steps, "lengths of steps, with commas (the scene's, /2, /4, /8)")
        ->delimiter(',');
    command->add_option("--out", options.out, "folder for the table and the plot (out/<command>-<scene name>)")
        ->check(named);
    command->add_option("--reference", ladder.reference,
                        "a CSV of the exact motion, t and coordinates (the finest run)");
    command->add_flag("--overwrite", ladder.overwrite, "replace the table and the plot of an earlier one");
    add_set(command);
  }
  auto* solve_bvp =
      add("solve-bvp", "every solution of the two-point problem of [boundary]", R"(  ricochet solve-bvp two-point)");
  solve_bvp->add_option("SCENE", options.scene, "a file, or the name of a bundled scene")->required();
  add_set(solve_bvp);

  std::string dir;
  auto* resume = add(
      "resume", "continue an interrupted run, bit for bit",
      R"(  ricochet resume out/star                after Ctrl-C, a crash or a full disk; the result is that of a run in one piece)");
  resume->add_option("DIR", dir, "folder of the run")->required();
  resume->add_flag("--quiet", options.quiet, "say nothing but errors");

  auto* recover = add(
      "recover", "trajectory.h5 of what a killed run had recorded, as far as it goes",
      R"(  ricochet recover out/star               then read out/star/trajectory.h5; resume works afterwards, too)");
  recover->add_option("DIR", dir, "folder of the run")->required();

  auto* report = add("report", "make report.html of a run again", R"(  ricochet report out/star)");
  report->add_option("DIR", dir, "folder of the run")->required();
  ricochet::report::ViewOptions view_options;
  auto* view = add("view", "look at a run in a browser, served on this machine only",
                   R"(  ricochet view out/star
  ricochet view out/star --port 8000 --no-browser)");
  view->add_option("DIR", dir, "folder of the run")->required();
  view->add_option("--port", view_options.port, "port of 127.0.0.1 (any free one)");
  view->add_flag_callback(
      "--no-browser", [&] { view_options.browser = false; }, "print the address only");

  ricochet::app::FigureOptions figure_options;
  auto* figure = add("figure", "draw figures of the papers, and check their numbers; alone: list them",
                     R"(  ricochet figure                         what can be drawn
  ricochet figure fetecau2003 4
  ricochet figure all --out figures)");
  figure->add_option("PAPER", figure_options.paper, "short name of a paper, or all");
  figure->add_option("NUMBER", figure_options.number, "number of a figure (all of the paper)");
  figure->add_option("--out", figure_options.out, "folder for the figures (out/figures)");
  figure->add_flag("--keep-runs", figure_options.keep_runs, "leave the runs behind the figure beside it");
  ricochet::app::StudyOptions study_options;
  auto* study = add("study", "measure a scene over many runs",
                    R"(  ricochet study energy table --closures variational,shadow4 --steps 0.05,0.025)");
  study->require_subcommand(1);
  auto* energy = study->add_subcommand("energy", "what impacts do to the energy, for every closure and step");
  energy->add_option("SCENE", study_options.scene, "a file, or the name of a bundled scene")->required();
  energy->add_option("--closures", study_options.closures,
                     "as in variational,shadow4,interpolated:8 (every one the model allows)");
  energy->add_option("--steps", study_options.steps, "as in 0.05,0.025 (the scene's and half of it)");
  energy->add_option("--ensemble", study_options.ensemble, "number of starts around the scene's (4)");
  energy->add_option("--impacts", study_options.impacts, "impacts from each start (5000)");
  energy->add_option("--out", study_options.out, "folder for the results (out/<scene name>-energy)")->check(named);
  add_set(energy);
  energy->add_flag("--overwrite", study_options.overwrite, "replace the results of an earlier study");

  ricochet::app::LyapunovOptions lyapunov_options;
  auto* lyapunov = add("lyapunov", "Lyapunov exponents of a scene, with error bars",
                       R"(  ricochet lyapunov table --time 2000
  ricochet lyapunov table --format json)");
  lyapunov->add_option("--discard", lyapunov_options.discard, "share of the run left out at its start (0.1)");
  lyapunov->add_option("--time", lyapunov_options.time, "length of the run (the scene's)");
  ricochet::app::OrbitOptions orbit_options;
  auto* orbit = add("orbit", "a periodic orbit with impacts near a scene's start, and its stability",
                    R"(  ricochet orbit impact-oscillator --period 2.24399)");
  orbit->add_option("--period", orbit_options.period, "of the drive, or a guess where nothing drives")->required();
  orbit->add_option("--iterations", orbit_options.iterations, "of Newton at most (30)");
  orbit->add_option("--impacts", orbit_options.impacts, "the orbit must have in a period (at least one)");
  std::string format = "text";
  for (auto* command : {lyapunov, orbit}) {
    command->add_option("SCENE", options.scene, "a file, or the name of a bundled scene")->required();
    command->add_option("--format", format, "text, json or csv")->check(CLI::IsMember({"text", "json", "csv"}));
    add_set(command);
  }
  ricochet::app::AuditOptions audit_options;
  auto* audit = add("audit", "which principle does a motion satisfy, ours or another engine's?",
                    R"(  ricochet audit out/star                 a run of ours
  ricochet audit motion.csv --scene star --html audit.html     the table of another engine

Exit codes: 0 strong extremal, 3 weak extremal, 4 neither, 5 not judged; with --expect 0 or 1; 2 bad input.)");
  audit->add_option("FILE", audit_options.file, "folder of a run, its trajectory.h5, or a CSV: t,q…[,v…]")->required();
  audit->add_option("--scene", audit_options.scene, "what moves: a file or a bundled scene (of a run: its own)");
  audit->add_option("--map", audit_options.map, "a TOML that says which column of the CSV is what");
  audit->add_option("--expect", audit_options.expect, "strong or weak: exit code 0 if the motion is that, else 1");
  audit->add_option("--json", audit_options.json, "also write the findings to this file, as JSON");
  audit->add_option("--html", audit_options.html, "also write the findings to this file, as a page");
  audit->add_flag("--quiet", audit_options.quiet, "say nothing but errors");
  add_set(audit);

  auto* sweep = program.add_subcommand("sweep", "run many variations of a scene in parallel (ricochet sweep --help)");
  sweep->prefix_command();
  sweep->set_help_flag();

  std::vector<std::string> commands;
  for (const CLI::App* command : program.get_subcommands([](CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  if (const std::string word = argv[1];
      !word.starts_with('-') && std::find(commands.begin(), commands.end(), word) == commands.end()) {
    std::cerr << "ricochet: there is no command '" << word << "'" << ricochet::expression::suggestion(word, commands)
              << " (ricochet --help lists them)\n";
    return 2;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);  // --help, --version
    std::string usage = "ricochet";
    for (const CLI::App* command : program.get_subcommands()) usage += " " + command->get_name();
    std::cerr << "ricochet: " << error.what() << " (" << usage << " --help shows how it is used)\n";
    return 2;
  }

  try {
    if (*run) return ricochet::app::run(options);
    if (*check) return ricochet::app::check(options.scene, options.overrides);
    ladder.scene = options.scene, ladder.out = options.out, ladder.overrides = options.overrides;
    if (*compare) return ricochet::app::compare(ladder);
    if (*converge) return ricochet::app::converge(ladder);
    if (*solve_bvp) return ricochet::app::solve_bvp(options.scene, options.overrides);
    if (*resume) return ricochet::app::resume(dir, options.quiet);
    if (*recover) return ricochet::app::recover(dir);
    if (*energy) {
      study_options.overrides = options.overrides;
      return ricochet::app::study_energy(study_options);
    }
    if (*audit) {
      audit_options.overrides = options.overrides;
      return ricochet::app::audit(audit_options);
    }
    if (*report) return ricochet::report::report_command(dir);
    if (*view) return ricochet::report::view_command(dir, view_options);
    lyapunov_options.scene = orbit_options.scene = options.scene;
    lyapunov_options.overrides = orbit_options.overrides = options.overrides;
    lyapunov_options.format = orbit_options.format = format;
    if (*lyapunov) return ricochet::app::lyapunov(lyapunov_options);
    if (*orbit) return ricochet::app::orbit(orbit_options);
    if (*sweep) return ricochet::app::sweep(sweep->remaining());
    if (*figure) return ricochet::app::figure(figure_options);
    return ricochet::app::list();
  } catch (const ricochet::record::RecordError& error) {
    std::cerr << "ricochet: " << error.what() << '\n';
    return 2;
  } catch (const ricochet::Error& error) {
    std::cerr << "ricochet: " << error.what() << '\n';
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "ricochet: not enough memory\n";
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "ricochet: " << error.what() << '\n';
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  const int code = command(argc, argv);
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return code;
  std::cerr << "ricochet: what the command had to say could not be written to the standard output\n";
  return code == 0 ? 1 : code;
}
