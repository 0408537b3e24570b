"""What the tests of the auditor have in common: a scene is run, its record is moved, a verdict is read."""
import json
import shutil

from program import Case

STRONG, WEAK, NEITHER, NOT_JUDGED = 0, 3, 4, 5
VERDICTS = {STRONG: "strong", WEAK: "weak", NEITHER: "neither", NOT_JUDGED: "not judged"}


class AuditCase(Case):
    def audit(self, file, *arguments):
        done = self.call("audit", file, "--json", "audit.json", *arguments)
        self.assertNotIn(done.returncode, (1, 2), done.stderr)
        with open(self.path("audit.json")) as f:
            findings = json.load(f)
        findings["code"], findings["text"] = done.returncode, done.stdout
        findings["by_key"] = {c["key"]: c for c in findings["checks"]}
        return findings

    def judged(self, code, file, *arguments):
        findings = self.audit(file, *arguments)
        self.assertEqual(findings["code"], code, findings["text"])
        self.assertEqual(findings["verdict"], VERDICTS[code])
        return findings

    def fly(self, text, *settings):
        self.write("scene.toml", text)
        self.run_scene("scene.toml", *(w for s in settings for w in ("--set", s)), "--out", "run", "--overwrite")

    def moved(self, row, by, what="q", column=0):
        """A copy of the run with one number of its record moved."""
        import h5py
        shutil.rmtree(self.path("bad"), True)
        shutil.copytree(self.path("run"), self.path("bad"))
        with h5py.File(self.path("bad", "trajectory.h5"), "r+") as f:
            f[what][row, column] += by
        return "bad"
