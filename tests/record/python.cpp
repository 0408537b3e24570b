// The record as others see it: h5py, and HDF5's own tool.
#include <gtest/gtest.h>

#include <cstdlib>

#include "record/support.hpp"

namespace ricochet::record::test {
namespace {

TEST(Others, H5pyReadsIt) {
  const char* python = "/usr/bin/python3";
  if (std::system((std::string(python) + " -c 'import h5py, numpy' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "there is no python3 with h5py and numpy";
  const TempDir temp;
  record_run(temp / "run", 5000);
  std::ofstream script(temp / "check.py");
  script.precision(17);
  script << "import h5py, numpy as np, csv, json\n"
         << "d = r'" << (temp / "run").string() << "/'\n"
         << "f = h5py.File(d + 'trajectory.h5', 'r')\n"
         << "assert sorted(f) == ['bar', 'discrete_energy', 'dissipated', 'energy', 'gaps', 'momentum', 'p', 'q',"
         << " 'scene', 'section', 'step', 'stroboscope', 't'], sorted(f)\n"
         << "assert f['q'].shape == (5000, 3) and f['t'].shape == (5000,) and f['gaps'].shape == (5000, 4)\n"
         << "assert f['stroboscope/p'].shape == (500, 3) and f['section/p'].shape == (0, 3)\n"
         << "assert f['bar/u'].shape == (10, 300)\n"
         << "assert [n.decode() for n in f['q'].attrs['names']] == ['x', 'y', 'theta']\n"
         << "assert f['gaps'].attrs['names'][2] == b'left, wall'\n"
         << "assert f['q'].attrs['unit'] == b'm, m, rad' and f.attrs['version'] == b'0.1.0'\n"
         << "assert f.attrs['rule'] == b'trapezoid' and f.attrs['scene_name'] == b'scene.toml'\n"
         << "assert f['scene'][()].decode() == 'title = \"Prüfstand\"\\n[time]\\nstep = 0.005\\n'\n"
         << "assert (f['step'][:] == 3 * np.arange(5000)).all()\n";
  for (const std::int64_t row : {0, 1, 2047, 2048, 4999})
    for (const std::int64_t i : {0, 1, 2})
      script << "assert f['q'][" << row << "," << i << "] == " << number(row, 1 + i) << "\n"
             << "assert f['gaps'][" << row << "," << i << "] == " << number(row, 9 + i) << "\n";
  script << "rows = list(csv.DictReader(open(d + 'impacts.csv', newline='')))\n"
         << "assert len(rows) == 136 and rows[7]['gap'] == 'corner 0+left, wall'\n"
         << "assert float(rows[7]['p_minus_theta']) == " << number(7 * impact_every, 6) << "\n"
         << "assert [float(x) for x in rows[7]['multiplier'].split(';')][1] == " << number(7 * impact_every, 21) << "\n"
         << "assert json.load(open(d + 'summary.json'))['status'] == 'finished'\n";
  script.close();
  EXPECT_EQ(std::system((std::string(python) + " " + (temp / "check.py").string()).c_str()), 0);
}

TEST(Others, H5dumpReadsIt) {
  if (std::system("h5dump --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no h5dump";
  const TempDir temp;
  record_run(temp / "run", 3000);
  const std::string command = "h5dump " + (temp / "run" / "trajectory.h5").string() + " > " + (temp / "dump").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_NE(bytes_of(temp / "dump").find("DATASET \"discrete_energy\""), std::string::npos);
}

}  // namespace
}  // namespace ricochet::record::test
