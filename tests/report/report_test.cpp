#include "ricochet/report/report.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "ricochet/record/files.hpp"
#include "ricochet/record/record_error.hpp"
#include "ricochet/record/writer.hpp"

using namespace ricochet;
namespace fs = std::filesystem;

namespace {

constexpr const char* scene_text = R"(title = "A <ball>"
[time]
step = 0.01
end = 1
[system]
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
position = [0, 2]
[[gap]]
name = "floor"
expression = "y"
)";

record::Schema schema() {
  record::Schema schema;
  schema.coordinates = {"x", "y"};
  schema.gaps = {"floor"};
  schema.symmetries = {"drift"};
  schema.scene_text = scene_text;
  schema.scene_name = "ball";
  schema.version = "1.2.3";
  schema.attributes["overrides"] = "system.position[1]=3\n";
  return schema;
}

/// A made-up run: x = t, y = 2 + sin t, one impact at t = 0.005.
void write_rows(record::Writer& writer, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = 0.01 * static_cast<double>(i);
    const double q[] = {t, 2 + std::sin(t)}, p[] = {1, std::cos(t)}, gaps[] = {2 + std::sin(t)}, momentum[] = {1};
    writer.frame({t, static_cast<std::int64_t>(i), q, p, 2.5, 2.5, gaps, momentum, {}});
    if (i == 0) {
      const std::string_view names[] = {"floor"};
      const double lambda[] = {0.75}, at[] = {0.005, 0};
      writer.impact({1, 0.005, 1, 0.5, names, lambda, 2.5, 2.5, at, p, p});
    }
  }
}

class Report : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    dir_ =
        fs::temp_directory_path() / ("ricochet-report-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    template_ = dir_ / "template.html";
    std::ofstream(template_) << "<title>ricochet-title</title><script>\"ricochet-payload\"</script>";
    ::setenv("RICOCHET_TEMPLATE", template_.c_str(), 1);
  }
  void TearDown() override { fs::remove_all(dir_); }

  fs::path run(std::size_t rows, const std::string& status = "finished") {
    const fs::path dir = dir_ / "run";
    auto writer = record::Writer::create(dir, schema());
    write_rows(writer, rows);
    if (status == "killed") {
      writer.flush();
      return dir;
    }
    record::Summary summary;
    summary.status = status;
    summary.steps = static_cast<std::int64_t>(rows) - 1;
    summary.impacts = 1;
    summary.energy = {2.5, 2.5, 2.5, 2.75, 0.05};
    summary.fallbacks = {{"grazing", 3}, {"never_used", 0}};
    summary.min_gap = 0;
    summary.seconds = static_cast<double>(std::rand());
    writer.finish(summary);
    return dir;
  }
  static report::Json data(const fs::path& page) {
    const std::string text = record::read_text(page);
    const std::size_t begin = text.find("<script>") + 8;
    return report::Json::parse(text.substr(begin, text.find("</script>") - begin));
  }

  fs::path dir_, template_;
};

}  // namespace

TEST_F(Report, HoldsTheRun) {
  const fs::path page = report::write_report(run(100));
  EXPECT_TRUE(record::read_text(page).starts_with("<title>A &lt;ball&gt;</title><script>"));
  const report::Json json = data(page);
  EXPECT_EQ(json["title"], "A <ball>");
  EXPECT_EQ(json["status"], "finished");
  EXPECT_EQ(json["words"][0], "Finished: 99 steps and 1 impact, up to t = 0.");
  EXPECT_EQ(json["words"][1], "Fallbacks: grazing (3×).");
  EXPECT_EQ(json["plots"]["rows"], 100);
  EXPECT_EQ(json["plots"]["bucket"], 1);
  EXPECT_EQ(json["impacts"]["total"], 1);
  EXPECT_EQ(json["motion"]["bounds"][1], 0.0);  // the impact is among the frames
  EXPECT_EQ(json["motion"]["boundary"]["walls"][0]["gap"], "floor");
  EXPECT_DOUBLE_EQ(json["energy_scale"].get<double>(), 5.0);  // 0.25 is a relative error of 0.05
  EXPECT_EQ(json["overrides"][0], "system.position[1]=3");
  EXPECT_EQ(json["version"], "1.2.3");
}

TEST_F(Report, IsTheSameTwice) {
  const std::string first = record::read_text(report::write_report(run(50)));
  fs::remove_all(dir_ / "run");
  EXPECT_EQ(record::read_text(report::write_report(run(50))), first);
}

TEST_F(Report, ShowsWhatAKilledRunLeft) {
  const report::Json json = data(report::write_report(run(40, "killed")));
  EXPECT_EQ(json["status"], "unfinished");
  EXPECT_EQ(json["plots"]["rows"], 40);
  EXPECT_FALSE(json.contains("summary"));
}

TEST_F(Report, InterruptedRunsSaySo) {
  const report::Json json = data(report::write_report(run(40, "interrupted")));
  EXPECT_EQ(json["words"][0], "Interrupted after 39 steps and 1 impact, up to t = 0; ricochet resume continues it.");
}

TEST_F(Report, DamageIsASentence) {
  const fs::path dir = run(10);
  std::ofstream(dir / "trajectory.h5", std::ios::trunc) << "not HDF5";
  EXPECT_THROW(report::write_report(dir), record::RecordError);
  EXPECT_FALSE(fs::exists(dir / "report.html"));
  EXPECT_THROW(report::write_report(dir_ / "nowhere"), record::RecordError);
  EXPECT_EQ(report::report_command(dir), 2);
}

TEST_F(Report, WithoutATemplateItSaysWhatIsMissing) {
  const fs::path dir = run(10);
  fs::remove(template_);
  EXPECT_THROW(report::write_report(dir), report::ReportError);
  std::ofstream(template_) << "<p>something else</p>";
  EXPECT_THROW(report::write_report(dir), report::ReportError);
}

TEST_F(Report, AMillionStepsStaySmall) {
  const fs::path dir = run(1'000'000);
  const auto start = std::chrono::steady_clock::now();
  const fs::path page = report::write_report(dir);
  RecordProperty("milliseconds",
                 static_cast<int>((std::chrono::steady_clock::now() - start) / std::chrono::milliseconds(1)));
  EXPECT_LE(fs::file_size(page), 25'000'000U);
  const report::Json json = data(page);
  EXPECT_EQ(json["plots"]["rows"], 1'000'000);
  EXPECT_LE(json["plots"]["points"].get<int>(), 20'001);
}
