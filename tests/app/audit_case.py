"""What the tests of the auditor have in common: a scene is run, its record is moved, a verdict is read."""
import json
import os
import shutil
import struct

from program import Case

STRONG, WEAK, NEITHER, NOT_JUDGED = 0, 3, 4, 5
VERDICTS = {STRONG: "strong", WEAK: "weak", NEITHER: "neither", NOT_JUDGED: "not judged"}


def reseal(path):
    """The checksum over what is no row, of a file that was changed (record/seal.hpp)."""
    page, seal = 4096, struct.Struct("<8sQQQ")
    with open(path, "r+b") as f:
        head = bytearray(f.read(page))
        magic, begin, _, _ = seal.unpack_from(head, page - seal.size)
        end = os.path.getsize(path)
        seal.pack_into(head, page - seal.size, magic, begin, end, 0)
        f.seek(begin)
        total = 14695981039346656037
        for byte in bytes(head[:page - 8]) + f.read(end - begin):
            total = ((total ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        seal.pack_into(head, page - seal.size, magic, begin, end, total)
        f.seek(0)
        f.write(head)


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
        self.without_digests("bad")
        with h5py.File(self.path("bad", "trajectory.h5"), "r+") as f:
            f[what][row, column] += by
        return "bad"

    def without_digests(self, folder):
        """A record as older versions left it: what is changed in it then is a motion, not damage."""
        import h5py
        with h5py.File(self.path(folder, "trajectory.h5"), "r+") as f:
            f.attrs.pop("digests", None)
        reseal(self.path(folder, "trajectory.h5"))
        with open(self.path(folder, "summary.json")) as f:
            summary = json.load(f)
        summary.pop("digests", None)
        with open(self.path(folder, "summary.json"), "w") as f:
            json.dump(summary, f, indent=2)
        return folder
