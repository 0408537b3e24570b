#!/usr/bin/python3
"""Case 1 of Demoures et al. (2016), two elastic bars that meet, with ricochet and with other engines where they are
installed: bars_table.py FOLDER-OF-PEERS RICOCHET SCENES

Columns: largest relative error of the energy, its error at the end, RMS of the tip velocity about its exact plateau for
3 < t < 19 (the tips move with 0.1 before), processor seconds."""
import json
import os
import subprocess
import sys
import tempfile


def ours(program, scenes, scheme):
    import h5py
    import numpy as np
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(scenes, "bars-case-1.toml")
        more = ["--set", f"contact.scheme={scheme}", "--quiet"]
        subprocess.run([program, "run", scene, "--out", folder + "/o", *more], check=True)
        with open(folder + "/o/summary.json") as f:
            summary = json.load(f)
        with h5py.File(folder + "/o/trajectory.h5") as f:
            t, v, E = f["bars/t"][:], f["bars/tip_velocity"][:, 1], f["energy"][:]
        seconds = 1e9
        for k in range(3):  # without records, and not for its own sake: the scene's own clock
            subprocess.run([program, "run", scene, "--out", f"{folder}/{k}", *more, "--set", "record.every=0", "--set",
                            "record.fields_every=0"], check=True)
            with open(f"{folder}/{k}/summary.json") as f:
                seconds = min(seconds, json.load(f)["seconds"])
    inner = (t > 3) & (t < 19)
    return {"engine": f"ricochet, {scheme}", "version": summary["version"],
            "energy": summary["energy"]["max_relative_error"], "final": E[-1] / E[0] - 1,
            "tip_rms": float(np.sqrt(np.mean(v[inner]**2))), "seconds": seconds}


def line(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"  {os.path.basename(command[-1])}: {(done.stderr.strip() or 'failed').splitlines()[-1]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main():
    peers, program, scenes = sys.argv[1:4]
    rows = [ours(program, scenes, scheme) for scheme in ("redistributed", "virtual-tip", "located")]
    siconos = os.path.join(peers, "peer_bars_siconos")
    if os.path.exists(siconos):
        rows += [line([siconos, "--restitution", e]) for e in ("0", "1")]
    else:
        print("  siconos: not installed, left out")
    dolfinx = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bars_dolfinx.py")
    if subprocess.run(["/usr/bin/python3", "-c", "import dolfinx"], capture_output=True).returncode == 0:
        rows += [line(["/usr/bin/python3", dolfinx, "--penalty", k]) for k in ("1", "10")]
    else:
        print("  dolfinx: not installed, left out")
    print(f"  {'':42}{'energy':>10}{'at the end':>12}{'tip RMS':>10}{'seconds':>10}")
    for row in rows:
        if row:
            print(f"  {row['engine']:42}{row['energy']:10.1e}{row['final']:12.1e}{row['tip_rms']:10.1e}{row['seconds']:10.2g}")


if __name__ == "__main__":
    main()
