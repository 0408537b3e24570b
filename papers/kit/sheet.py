"""One sheet of paper in the style of the project. What is plotted through it is also written as numbers (CSV)."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

INK, BLUE, RED, GREEN, AMBER, VIOLET, GREY = "#1f2933", "#2f5d9b", "#c0432b", "#2f8f6b", "#d08a1d", "#7a4fa3", "#8a95a1"
PALETTE = [BLUE, RED, GREEN, AMBER, VIOLET, INK]
WIDTH = 6.4  # inches; a column and a half of a journal


def _style():
    matplotlib.rcdefaults()  # whatever the user has in a matplotlibrc, our bytes stay the same
    matplotlib.rcParams.update({
        "figure.dpi": 160, "savefig.dpi": 160, "figure.facecolor": "white", "figure.constrained_layout.use": True,
        "font.family": "DejaVu Sans", "font.size": 8.5, "axes.titlesize": 9, "axes.labelsize": 8.5,
        "mathtext.fontset": "dejavusans",
        "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
        "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False,
        "axes.grid": True, "grid.color": "#e4e8ec", "grid.linewidth": 0.5, "axes.axisbelow": True,
        "axes.prop_cycle": matplotlib.cycler(color=PALETTE), "axes.titlelocation": "left",
        "lines.linewidth": 1.0, "lines.markersize": 3.5, "xtick.direction": "out", "ytick.direction": "out",
        "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 3, "ytick.major.size": 3,
        "legend.frameon": False, "legend.fontsize": 8, "legend.handlelength": 1.6,
        "svg.hashsalt": "ricochet", "svg.fonttype": "path", "path.simplify": True, "agg.path.chunksize": 0,
    })


class Sheet:
    def __init__(self, title):
        _style()
        self.title = title
        self.figure = None
        self.rows = []

    def panels(self, rows=1, columns=1, height=2.6, width=WIDTH, **options):
        """Axes on a new figure; `height` is that of one row."""
        self.figure, axes = plt.subplots(rows, columns, figsize=(width, height * rows), **options)
        return axes

    def note(self, panel, series, x, y):
        """Numbers into the CSV without a line on the paper."""
        self.rows += [(panel, series, float(a), float(b)) for a, b in zip(x, y)]

    def line(self, axes, panel, series, x, y, *style, record=True, **options):
        """A line or markers, remembered for the CSV. `series` is the label unless another is given."""
        if record:
            self.note(panel, series, x, y)
        return axes.plot(x, y, *style, **{"label": series, **options})

    def save(self, stem):
        if self.title:
            self.figure.suptitle(self.title, x=0.995, ha="right", fontsize=7.5, color=GREY)
        self.figure.savefig(stem + ".svg", metadata={"Date": None, "Creator": "ricochet figure"})
        self.figure.savefig(stem + ".png", metadata={"Software": None})
        plt.close(self.figure)
        with open(stem + ".csv", "w", newline="") as file:
            file.write("panel,series,x,y\n")
            file.writelines(f"{panel},{series},{x!r},{y!r}\n" for panel, series, x, y in self.rows)
