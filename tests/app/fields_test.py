"""fields.xdmf is read as a visualisation program reads it, and VTK measures what it finds.

Debian's VTK comes without a reader for XDMF, so the few words of it that a record uses are followed here."""
import os
import sys
import xml.etree.ElementTree as ET

import numpy as np
from program import Case, main

try:
    import h5py
    from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import VTK_LINE, vtkCellArray, vtkUnstructuredGrid
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
except ImportError as error:
    print(f"skipped: {error} (scripts/setup fields)")
    sys.exit(77)


class Xdmf:
    def __init__(self, path):
        self.folder = os.path.dirname(path)
        self.grids = ET.parse(path).getroot().find("Domain/Grid").findall("Grid")

    def numbers(self, item):
        if item.get("ItemType") == "HyperSlab":
            selection, source = item.findall("DataItem")
            start, stride, count = np.array(selection.text.split(), int).reshape(3, -1)
            data = self.numbers(source)
            part = data[tuple(slice(a, a + s * n, s) for a, s, n in zip(start, stride, count))]
            return part.reshape([int(n) for n in item.get("Dimensions").split()])
        name, dataset = item.text.split(":")
        with h5py.File(os.path.join(self.folder, name)) as f:
            data = f[dataset]
            assert data.shape == tuple(int(n) for n in item.get("Dimensions").split()), dataset
            assert data.dtype.itemsize == int(item.get("Precision"))
            assert data.dtype.kind == {"Int": "i", "Float": "f"}[item.get("NumberType")]
            return data[:]

    def grid(self, k):
        """A VTK grid of the k-th time."""
        node = self.grids[k]
        topology = node.find("Topology")
        assert topology.get("TopologyType") == "Polyline"
        cells = self.numbers(topology.find("DataItem")).reshape(-1, int(topology.get("NodesPerElement")))
        assert len(cells) == int(topology.get("NumberOfElements"))
        geometry = node.find("Geometry")
        parts = [self.numbers(x) for x in geometry.findall("DataItem")]
        if geometry.get("GeometryType") == "X_Y_Z":
            points = np.stack(parts, axis=1)
        else:
            assert geometry.get("GeometryType") == "XYZ"
            (points,) = parts
        assert points.shape[1] == 3
        grid, vtk_points, vtk_cells = vtkUnstructuredGrid(), vtkPoints(), vtkCellArray()
        vtk_points.SetData(numpy_to_vtk(points, deep=True))
        offsets = np.arange(0, 2 * len(cells) + 1, 2)
        vtk_cells.SetData(numpy_to_vtkIdTypeArray(offsets, deep=True),
                          numpy_to_vtkIdTypeArray(cells.ravel().astype(np.int64), deep=True))
        grid.SetPoints(vtk_points)
        grid.SetCells(VTK_LINE, vtk_cells)
        for attribute in node.findall("Attribute"):
            values = self.numbers(attribute.find("DataItem")).astype(float)
            assert values.ndim == (1 if attribute.get("AttributeType") == "Scalar" else 2)
            assert attribute.get("AttributeType") != "Vector" or values.shape[1] == 3
            array = numpy_to_vtk(values, deep=True)
            array.SetName(attribute.get("Name"))
            (grid.GetCellData() if attribute.get("Center") == "Cell" else grid.GetPointData()).AddArray(array)
        return float(node.find("Time").get("Value")), grid


class Fields(Case):
    def test_what_vtk_measures(self):
        self.run_scene("bars-case-4", "--out", "o", "--set", "record.fields_every=100")
        xdmf = Xdmf(self.path("o", "fields.xdmf"))
        self.assertEqual(len(xdmf.grids), 28)  # 0, 100, …, 2600, and the last step, 2667
        length = np.array([0.2] * 75)
        pressed = 0
        for k in range(len(xdmf.grids)):
            t, grid = xdmf.grid(k)
            self.assertAlmostEqual(t, min(1.5 * k, 40), delta=1e-12)
            self.assertEqual((grid.GetNumberOfPoints(), grid.GetNumberOfCells()), (77, 75))
            sizes = vtkCellSizeFilter()
            sizes.SetInputData(grid)
            sizes.Update()
            # The strain of a cell is what its length, measured by VTK, says (VTK sums in double precision).
            measured = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Length"))
            strain = vtk_to_numpy(grid.GetCellData().GetArray("strain"))
            self.assertLessEqual(np.abs(measured - length * (1 + strain)).max(), 1e-13)
            self.assertEqual(list(vtk_to_numpy(grid.GetCellData().GetArray("bar"))), [0] * 50 + [1] * 25)
            # Momentum from the velocities of the nodes, with lumped masses: zero is added at no time. The massless tips
            # move a tip's mass with the velocity of the tip, not of its neighbour: O(ℓ) of 1.5, the momentum of case 4.
            v = vtk_to_numpy(grid.GetPointData().GetArray("velocity"))
            mass = np.full(77, 0.2)
            mass[[0, 50, 51, 76]] = 0.1
            self.assertAlmostEqual(float(mass @ v), 1.0 - 0.5, delta=0.03)
            pressed += strain.min() < -0.09  # the plateau: a stress of 0.1
        self.assertGreaterEqual(pressed, 5)

    def test_what_vtk_measures_of_beams(self):
        """Lengths of chords by VTK against strains: |r| of Cayley's map of Δs(Ω, Γ), and the frames along them."""
        self.run_scene("beam-sphere", "--out", "o", "--set", "time.end=0.5")
        xdmf = Xdmf(self.path("o", "fields.xdmf"))
        self.assertEqual(len(xdmf.grids), 64)  # every 160 of 10000 steps, and the last
        bent = 0
        for k in range(0, len(xdmf.grids), 7):
            t, grid = xdmf.grid(k)
            self.assertAlmostEqual(t, min(160 * 5e-5 * k, 0.5), delta=1e-12)
            self.assertEqual((grid.GetNumberOfPoints(), grid.GetNumberOfCells()), (66, 64))
            sizes = vtkCellSizeFilter()
            sizes.SetInputData(grid)
            sizes.Update()
            measured = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Length"))
            strain = vtk_to_numpy(grid.GetCellData().GetArray("strain"))
            beam = vtk_to_numpy(grid.GetCellData().GetArray("beam"))
            self.assertEqual(list(beam), [0] * 40 + [1] * 24)
            w, g = 0.025 * strain[:, :3], 0.025 * strain[:, 3:]  # both beams have elements of 0.025
            # errata D12
            r = (g + np.cross(w, g) / 2 + w * (w * g).sum(1, keepdims=True) / 4) * 4 / (4 + (w**2).sum(1, keepdims=True))
            self.assertLessEqual(np.abs(measured - np.linalg.norm(r, axis=1)).max(), 1e-13)
            q = vtk_to_numpy(grid.GetPointData().GetArray("rotation"))
            self.assertEqual(q.shape, (66, 4))
            self.assertLessEqual(np.abs((q**2).sum(1) - 1).max(), 1e-13)
            # The chord of an element in the frame of its first section is that r: E3 = Λe3 is column 3 of the rotation.
            x = vtk_to_numpy(grid.GetPoints().GetData())
            first = np.array([a for a in range(66) if a not in (40, 65)])
            e3 = np.stack([2 * (q[:, 1] * q[:, 3] + q[:, 0] * q[:, 2]), 2 * (q[:, 2] * q[:, 3] - q[:, 0] * q[:, 1]),
                           1 - 2 * (q[:, 1]**2 + q[:, 2]**2)], axis=1)
            self.assertLessEqual(np.abs(((x[first + 1] - x[first]) * e3[first]).sum(1) - r[:, 2]).max(), 1e-13)
            self.assertEqual(vtk_to_numpy(grid.GetPointData().GetArray("velocity")).shape, (66, 3))
            bent = max(bent, np.abs(strain[:, :2]).max())
        self.assertGreater(bent, 0.5)


if __name__ == "__main__":
    main()
