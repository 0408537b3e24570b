// `ricochet figure`: the figures of the papers, and ours. What there is stands in papers/<short name>/figures.toml; the
// drawing is papers/draw.py, which runs this program for its data.
#pragma once

#include <string>

namespace ricochet::app {

struct FigureOptions {
  std::string paper, number, out = "out/figures";
  bool keep_runs = false;
};

/// Lists the figures without `paper`; otherwise becomes the Python that draws, and returns only where that fails.
int figure(const FigureOptions& options);

}  // namespace ricochet::app
