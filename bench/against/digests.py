"""Every bundled scene and many random ones with both programs: what they leave, bit by bit."""
import concurrent.futures
import fnmatch
import glob
import os
import shutil
import subprocess

import results
import systems

# Shorter ends for scenes that take long, the same for both programs.
SHORTER = {"counter-example-5": ["time.end=0.6"]}

# What no bundled scene has by itself: other schemes, laws and principles on the same scenes.
VARIANTS = {
    "bars-case-1": [["contact.scheme=located"], ["contact.scheme=virtual-tip"]],
    "bars-case-3": [["contact.scheme=located"]],
    "beam-demoures-5": [["integrator.time_group=SE3"], ["integrator.closure=reflection"]],
    "counter-example-5": [["impact.start=perturbed", "time.end=0.6"]],
    "double-pendulum": [["integrator.principle=weak"], ["integrator.closure=interpolated"]],
    "falling-rod": [["integrator.principle=weak", "impact.law=newton"], ["gap[0].friction=1"]],
    "incline": [["integrator.principle=strong"]],
    "newton-cradle": [["impact.law=canonical"], ["impact.law=canonical", "integrator.principle=weak"]],
    "particle": [["integrator.closure=reflection"], ["integrator.rule=yoshida4"]],
    "star": [["time.end=200", "integrator.closure=shadow4"], ["time.end=50", "integrator.principle=weak"]],
    "superball": [["integrator.principle=strong"]],
    "table": [["time.end=200", f"integrator.closure={c}"] for c in ("reflection", "shadow2", "shadow4", "interpolated")],
}
SECONDS = 900  # after which a run counts as one that does not end


def jobs(scenes, folder, count, seed, pattern):
    """What is to be run: name, scene file, settings. The random scenes are written into `folder`."""
    found = []
    for path in sorted(glob.glob(os.path.join(scenes, "*.toml"))):
        name = os.path.splitext(os.path.basename(path))[0]
        found.append((name, path, SHORTER.get(name, [])))
        for more in VARIANTS.get(name, []):
            keys = [setting.partition("=") for setting in more if not setting.startswith("time.")]
            said = [f"{key.rpartition('.')[2]}={value}" for key, _, value in keys]
            found.append((f"{name}, {', '.join(said)}", path, more))
    os.makedirs(folder, exist_ok=True)
    for number in range(count):
        name = f"random-{number:03}"
        path = os.path.join(folder, name + ".toml")
        if not pattern or fnmatch.fnmatch(name, pattern):
            with open(path, "w") as f:
                f.write(systems.scene(seed, number))
        found.append((name, path, []))
    return [job for job in found if not pattern or fnmatch.fnmatch(job[0], pattern)]


def run(program, scene, settings, folder):
    """Runs a scene into folder/out; exit code (None: it did not end) and what it said."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    command = [program, "run", scene, "--out", "out", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"did not end in {SECONDS} s"
    return done.returncode, (done.stdout + done.stderr).replace(program, "ricochet").strip()


def compare(job, programs, folder):
    """One scene with both programs. What they left stays in `folder` where it differs."""
    name, scene, settings = job
    place = os.path.join(folder, name.replace("/", "-"))
    said, outs = [], []
    for label in ("reference", "new"):
        said.append(run(programs[label], scene, settings, os.path.join(place, label)))
        outs.append(os.path.join(place, label, "out"))
    (code, message), (new_code, new_message) = said
    found = {"name": name, "settings": settings, "exit": [code, new_code], "messages": [message, new_message]}
    found["refused"] = code == 2 and not os.path.exists(outs[0])
    if found["refused"]:
        found["verdict"] = "same" if said[0] == said[1] else "other" if code != new_code else "message"
    else:
        found.update(results.compare_folders(*outs))
        if code != new_code:
            found["verdict"] = "other"
        elif message != new_message and found["verdict"] == "same":
            found["verdict"] = "message"
    if found["verdict"] == "same":
        shutil.rmtree(place)
    return found


def compare_all(jobs, programs, folder, workers, progress):
    """All of them, in their order."""
    shutil.rmtree(folder, ignore_errors=True)
    found = []
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for done in pool.map(lambda job: compare(job, programs, folder), jobs):
            found.append(done)
            progress(f"digests: {len(found)} of {len(jobs)}, {done['name']}")
    return found


def number(x):
    return "-" if x is None else "0" if x == 0 else f"{x:.1e}"


def at(table, row):
    return table["at rows"].get(row) if table and "at rows" in table else None


def measured(scene):
    """The table of a scene that tells most: its impacts if they differ, else the first that does."""
    differing = scene.get("tables", {})
    for name in ["impacts.csv", "trajectory.h5:", *differing]:
        if "first row" in differing.get(name, {}):
            return name, differing[name]
    return (next(iter(differing)), next(iter(differing.values()))) if differing else ("", None)


def short(text, width):
    line = " / ".join(text.splitlines())
    return line if len(line) <= width else line[: width - 1] + "…"


def line(scene):
    """A line of the report about a scene that differs."""
    table, d = measured(scene)
    if d is None or "first row" not in d:
        rows = f"{d['rows'][0]}, {d['rows'][1]}" if d else ""
        return f"{scene['name'][:44]:<44} {scene['verdict']:<16} {table[:20]:<20} {rows:>13}"
    last = list(d["at rows"].values())[-1]
    rows = f"{d['rows'][0]}" if d["rows"][0] == d["rows"][1] else f"{d['rows'][0]}, {d['rows'][1]}"
    return (f"{scene['name'][:44]:<44} {scene['verdict']:<16} {table[:20]:<20} {rows:>13} {d['first row']:>7} "
            f"{d['first name'][:10]:<10} {number(d['first difference']):>8} {number(at(d, '1')):>8} {number(at(d, '10')):>8} "
            f"{number(at(d, '100')):>8} {number(last):>8} {d.get('diverged at row', '-'):>8} {number(d['largest before']):>8} "
            f"{number(d['largest jump']):>8}")


def report(found):
    """The lines of the report, and its findings."""
    flown = [scene for scene in found if not scene["refused"]]
    refused = [scene for scene in found if scene["refused"]]
    same = [scene for scene in flown if scene["verdict"] == "same"]
    failed = [scene for scene in flown if scene["exit"][0] != 0]
    lines = [f"Digests: {len(flown)} scenes were flown, {len(same)} are the same bit by bit ({len(failed)} of those flown failed "
             f"with the reference); {len(refused)} were refused by the reference, "
             f"{sum(scene['verdict'] == 'same' for scene in refused)} of them in the same words by both."]
    shortened = [f"{scene['name']} ({', '.join(scene['settings'])})" for scene in flown
                 if scene["name"] in SHORTER and scene["settings"]]
    if shortened:
        lines.append("These scenes were shortened for both: " + "; ".join(shortened) + ".")
    differing = [scene for scene in found if scene["verdict"] != "same"]
    tables = [scene for scene in differing if scene.get("tables")]
    if tables:
        lines += ["", f"{'scene':<44} {'verdict':<16} {'file':<20} {'rows':>13} {'first':>7} {'number':<10} {'by':>8} {'at 1':>8} "
                  f"{'at 10':>8} {'at 100':>8} {'last':>8} {'apart at':>8} {'before':>8} {'jump':>8}"]
        lines += [line(scene) for scene in tables]
    for scene in differing:
        if scene["exit"][0] != scene["exit"][1] or scene["messages"][0] != scene["messages"][1]:
            lines.append(f"{scene['name']}: exit codes {scene['exit'][0]}, {scene['exit'][1]}")
            lines += [f"    {label:<9} {short(text, 200)}" for label, text in zip(("reference", "new"), scene["messages"])]
        if scene["verdict"] == "summary" and scene.get("summary"):
            keys = "; ".join(f"{key} {a} -> {b}" for key, a, b in scene["summary"][:4])
            lines.append(f"{scene['name']}: the summary alone differs: {short(keys, 200)}")
    return lines, [f"digest of {scene['name']}: {scene['verdict']}" for scene in differing]
