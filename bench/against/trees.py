"""The two trees: a worktree of the reference, a build of either, and what a clean build costs."""
import os
import shutil
import subprocess

NO_PAGE = "-DNODE_PROGRAM="  # the page of a run comes from node, not from our compiler, and may need a network
DEMO = "bin/ricochet"  # what `make demo` builds


class Failed(Exception):
    """One sentence on why a tree could not be had or built."""


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def commit(root, name):
    """The full name of a commit."""
    code, text = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    if code != 0:
        raise Failed(f"There is no commit '{name}' here.")
    return text


def worktree(root, full):
    """The folder build/against/<commit> with this commit in it; one that is there already is taken as it is."""
    place = os.path.join(root, "build", "against", full[:7])
    if not os.path.exists(os.path.join(place, ".git")):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        code, text = git(root, "worktree", "add", "--force", "--detach", place, full)
        if code != 0:
            raise Failed(f"The worktree {os.path.relpath(place, root)} could not be made: {text.splitlines()[-1]}")
    if git(place, "rev-parse", "HEAD") != (0, full) or \
            git(place, "status", "--porcelain", "--untracked-files=no") != (0, ""):
        raise Failed(f"The folder {os.path.relpath(place, root)} is not as {full[:7]} left it: remove it, and it is made again.")
    return place


def spent(command, folder, log, environment=None):
    """Processor seconds, user and system, of a command and of all that it starts and waits for."""
    with open(log, "ab") as said:
        child = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failed(f"'{' '.join(command)}' failed; the end of {log} says why.")
    return usage.ru_utime + usage.ru_stime


def program(tree, log, jobs, page=False):
    """The program of a tree, built in its usual folder build/release."""
    if os.path.exists(log):
        os.remove(log)
    spent(["cmake", "--preset", "release"] + ([] if page else [NO_PAGE]), tree, log)
    spent(["cmake", "--build", "build/release", "-j", str(jobs), "--target", DEMO], tree, log)
    return os.path.join(tree, "build", "release", "bin", "ricochet")


def cost(tree, folder, jobs, progress):
    """Processor seconds of a clean build: of what `make demo` builds, and of all that `make test` builds."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    log = folder + ".log"
    if os.path.exists(log):
        os.remove(log)
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    spent(["cmake", "--preset", "release", "-B", folder, NO_PAGE], tree, log, environment)
    build = ["cmake", "--build", folder, "-j", str(jobs)]
    progress("what make demo builds")
    demo = spent(build + ["--target", DEMO], tree, log, environment)
    progress("what make test builds beside it")
    rest = spent(build, tree, log, environment)
    shutil.rmtree(folder)
    return {"demo": demo, "test": demo + rest}


def report(found):
    """The lines of the report, and its findings, from the costs of both trees."""
    lines = ["Builds: processor seconds of a clean build without compiler cache.",
             f"{'':<24}{'reference':>11}{'new':>11}{'ratio':>8}"]
    findings = []
    for part in ("demo", "test"):
        reference, new = found["reference"][part], found["new"][part]
        slower = new > 1.05 * reference
        lines.append(f"{'make ' + part:<24}{reference:>11.0f}{new:>11.0f}{new / reference:>8.3f}{'  slower' if slower else ''}")
        if slower:
            findings.append(f"build of make {part}: {new / reference:.3f} of the reference")
    return lines, findings
