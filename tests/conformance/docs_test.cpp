// The list of checks in docs/cpp.md is the list of checks that there are, and each of them has a fault seeded for it.
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "conformance/conforms.hpp"

namespace ricochet {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(RICOCHET_SOURCE_DIR "/") + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::set<std::string> all{"names",
                                "state",
                                "couple",
                                "kick",
                                "covector",
                                "add",
                                "value",
                                "rate",
                                "acceleration",
                                "stop",
                                "flight of length 0",
                                "flight",
                                "plain flight",
                                "energies",
                                "order",
                                "backward flight",
                                "many steps",
                                "canonical",
                                "energy of the action",
                                "candidates",
                                "closable",
                                "enclosure",
                                "slope enclosure",
                                "curvature enclosure",
                                "coordinates",
                                "gap along",
                                "may be closed"};

TEST(ConformanceDocs, ListEveryCheck) {
  std::istringstream page(text_of("docs/cpp.md"));
  std::string line;
  while (std::getline(page, line) && line != "| check | what it compares |") continue;
  std::getline(page, line);
  std::set<std::string> listed;
  while (std::getline(page, line) && line.starts_with("| ")) {
    std::istringstream names(line.substr(2, line.find(" | ") - 2));
    for (std::string name; std::getline(names, name, ',');) listed.insert(name.substr(name.find_first_not_of(' ')));
  }
  EXPECT_EQ(listed, all);
}
TEST(ConformanceDocs, EveryCheckHasAFault) {
  const std::string faults = text_of("tests/conformance/faults_test.cpp");
  for (const std::string& check : all)
    EXPECT_TRUE(faults.find("found(\"" + check + "\"") != std::string::npos ||
                faults.find("(shadow(), \"" + check + "\"") != std::string::npos ||
                faults.find("\"" + check + "\");") != std::string::npos)
        << check;
}
/// The names in the suite itself, as it writes them.
TEST(ConformanceDocs, NoCheckIsLeftOut) {
  std::string suite;
  for (const char* file : {"along", "at_node", "canonical", "flights", "suite"})
    suite += text_of("src/ricochet/conformance/" + std::string(file) + ".hpp");
  std::set<std::string> written;
  for (const std::string call : {"report.near(", "report.holds(", "within(", "report.skip(", "name ="})
    for (std::size_t at = suite.find(call); at != std::string::npos; at = suite.find(call, at + 1)) {
      const std::size_t quote = suite.find_first_not_of(" \n", at + call.size());
      if (suite[quote] == '"') written.insert(suite.substr(quote + 1, suite.find('"', quote + 1) - quote - 1));
    }
  EXPECT_EQ(written, all);
}

}  // namespace
}  // namespace ricochet
