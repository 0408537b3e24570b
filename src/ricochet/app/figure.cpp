#include "ricochet/app/figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "ricochet/app/interpreter.hpp"
#include "ricochet/app/paths.hpp"
#include "ricochet/error.hpp"
#include "ricochet/expression/nearest.hpp"
#include "ricochet/scene/document.hpp"

namespace ricochet::app {
namespace {

namespace fs = std::filesystem;

struct Figure {
  std::string number, title;
};
struct Paper {
  std::string name, title;
  std::vector<Figure> figures;
};

std::string text(const scene::Table& table, std::string_view key) {
  const auto* value = scene::find(table, key);
  const auto* string = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
  return string == nullptr ? "" : *string;
}

Paper read_paper(const fs::path& file) {
  const auto document = scene::parse_document(scene::read_file(file.string()), file.string());
  const auto& root = std::get<scene::Table>(document.data);
  Paper paper{file.parent_path().filename().string(), text(root, "title"), {}};
  const auto* figures = scene::find(root, "figure");
  if (figures == nullptr || !std::holds_alternative<scene::Array>(figures->data))
    throw Error(ErrorKind::bad_scene, file.string() + ": there is no [[figure]]");
  for (const auto& figure : std::get<scene::Array>(figures->data))
    if (const auto* table = std::get_if<scene::Table>(&figure.data))
      paper.figures.push_back({text(*table, "number"), text(*table, "title")});
  return paper;
}

/// Papers by name, ours last.
std::vector<Paper> read_papers(const fs::path& folder) {
  std::vector<Paper> papers;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "figures.toml", error)) papers.push_back(read_paper(entry.path() / "figures.toml"));
  std::sort(papers.begin(), papers.end(), [](const Paper& a, const Paper& b) {
    return std::pair(a.name == "ricochet", a.name) < std::pair(b.name == "ricochet", b.name);
  });
  return papers;
}

int list(const std::vector<Paper>& papers) {
  for (const auto& paper : papers) {
    fmt::print("{}  {}\n", paper.name, paper.title);
    for (const auto& figure : paper.figures) fmt::print("  {:<12}  {}\n", figure.number, figure.title);
  }
  fmt::print("\nricochet figure {} {} draws one, ricochet figure {} all of them, ricochet figure all every one.\n",
             papers.front().name, papers.front().figures.front().number, papers.front().name);
  return 0;
}

/// An unknown figure is answered with the known ones.
void check_known(const std::vector<Paper>& papers, const FigureOptions& options) {
  if (options.paper == "all" && options.number.empty()) return;
  std::vector<std::string> names;
  for (const auto& paper : papers) names.push_back(paper.name);
  const auto paper =
      std::find_if(papers.begin(), papers.end(), [&](const Paper& p) { return p.name == options.paper; });
  if (paper == papers.end()) {
    std::string known;
    for (const auto& name : names) known.append(known.empty() ? "" : ", ").append(name);
    throw Error(ErrorKind::bad_scene, fmt::format("there are no figures of '{}', only of {}, and all{}", options.paper,
                                                  known, expression::suggestion(options.paper, names)));
  }
  if (options.number.empty() || options.number == "all") return;
  std::string known;
  for (const auto& figure : paper->figures) {
    if (figure.number == options.number) return;
    known.append(known.empty() ? "" : ", ").append(figure.number);
  }
  throw Error(ErrorKind::bad_scene,
              fmt::format("{} has no figure '{}' here, only {}, and all", paper->name, options.number, known));
}

}  // namespace

int figure(const FigureOptions& options) {
  const fs::path folder = bundled_folder("papers");
  const auto papers = read_papers(folder);
  if (papers.empty()) {
    fmt::print(stderr, "ricochet: the folder of the papers was not found beside the program\n");
    return 1;
  }
  if (options.paper.empty()) return list(papers);
  check_known(papers, options);
  const std::string python = find_python("matplotlib,numpy,h5py");
  if (python.empty()) {
    fmt::print(stderr,
               "ricochet: figures are drawn by Python 3.11 with matplotlib, numpy and h5py, which {}; on Debian: apt "
               "install python3-matplotlib python3-h5py\n",
               std::getenv("RICOCHET_PYTHON") != nullptr ? "RICOCHET_PYTHON has not" : "were not found");
    return 1;
  }
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  const std::string script = (folder / "draw.py").string();
  std::vector<std::string> words = {python,
                                    "-B",
                                    "-E",
                                    "-s",
                                    script,
                                    "--program",
                                    program,
                                    "--out",
                                    options.out,
                                    options.paper,
                                    options.number.empty() ? "all" : options.number};
  if (options.keep_runs) words.insert(words.begin() + 5, "--keep-runs");
  return become(words);
}

}  // namespace ricochet::app
