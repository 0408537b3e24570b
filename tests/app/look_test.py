"""What report, view and shapes say about bad input, and what a page shows of a run that did not end."""
import os
import re
import signal
import socket
import subprocess
import time

import h5py
from program import FLOOR, PROGRAM, Case, main

SHAPE = FLOOR + """[[shape]]
type = "circle"
position = ["x", "{}"]
radius = 0.1
"""


class Records(Case):
    def setUp(self):
        super().setUp()
        self.write("floor.toml", FLOOR)
        self.run_scene("floor.toml", "--out", "run", "--quiet")

    def commands(self):
        return (("report", "run"), ("view", "run", "--no-browser"))

    def test_damaged(self):
        whole = self.read("run", "trajectory.h5")
        for damage in (whole[:len(whole) // 2], whole[:100], b"\0" * len(whole), b""):
            with open(self.path("run", "trajectory.h5"), "wb") as file:
                file.write(damage)
            for command in self.commands():
                self.refused(self.call(*command), "trajectory.h5")

    def test_foreign(self):
        os.remove(self.path("run", "trajectory.h5"))
        with h5py.File(self.path("run", "trajectory.h5"), "w") as file:
            file["temperature"] = [1.0, 2.0, 3.0]
        for command in self.commands():
            self.refused(self.call(*command), "trajectory.h5")
        self.write("run/trajectory.h5", "not HDF5 at all\n" * 100)
        for command in self.commands():
            self.refused(self.call(*command), "trajectory.h5")

    def test_no_run(self):
        os.makedirs(self.path("empty"))
        for folder in ("nowhere", "empty", "floor.toml"):
            self.refused(self.call("report", folder), folder)
            self.refused(self.call("view", folder, "--no-browser"), folder)

    def test_a_record_without_its_summary_and_impacts(self):
        for name in ("summary.json", "impacts.csv"):
            os.remove(self.path("run", name))
        done = self.call("report", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b'"status":"unfinished"', self.read("run", "report.html"))


class Server(Case):
    def setUp(self):
        super().setUp()
        self.write("floor.toml", FLOOR)
        # large enough that the kernel's buffers between two sockets do not take it whole
        self.run_scene("floor.toml", "--out", "run", "--quiet", "--set", "time.step=4e-6")
        self.assertGreater(os.path.getsize(self.path("run", "trajectory.h5")), 8_000_000)
        self.server = subprocess.Popen([PROGRAM, "view", "run", "--no-browser"], cwd=self.dir, text=True,
                                       stdout=subprocess.PIPE)
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.port = int(re.search(r":(\d+)/", self.server.stdout.readline())[1])

    def connected(self, words=b""):
        client = socket.create_connection(("127.0.0.1", self.port), 30)
        self.addCleanup(client.close)
        client.sendall(words)
        return client

    def request(self, path):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode()

    def page_comes_at_once(self):
        """Within a second, where idle clients one after the other would take five seconds each."""
        begun = time.monotonic()
        client, page = self.connected(self.request("/summary.json")), b""
        while piece := client.recv(65536):
            page += piece
        self.assertTrue(page.startswith(b"HTTP/1.1 200 OK\r\n"), page[:80])
        self.assertTrue(page.endswith(self.read("run", "summary.json")))
        self.assertLess(time.monotonic() - begun, 1)

    def test_idle_connections_keep_nobody_waiting(self):
        idle = [self.connected(words) for words in (b"", b"GET / HT") * 15]
        self.page_comes_at_once()
        for client in idle:  # and are not kept for ever
            self.assertEqual(client.recv(100), b"")

    def test_slow_readers_keep_nobody_waiting(self):
        for _ in range(5):
            self.connected(self.request("/trajectory.h5"))  # which does not take a byte
        self.page_comes_at_once()

    def test_more_connections_than_are_kept(self):
        for _ in range(200):
            self.connected()
        self.page_comes_at_once()

    def test_it_ends_while_somebody_is_slow(self):
        self.connected(self.request("/trajectory.h5"))
        self.connected()
        self.page_comes_at_once()
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(10), 0)


class Unfinished(Case):
    """A page shows what there is."""

    def started(self):
        self.write("floor.toml", FLOOR.replace("end = 1", "end = 1e9"))
        run = subprocess.Popen([PROGRAM, "run", "floor.toml", "--out", "run", "--quiet"], cwd=self.dir,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(run.stderr.close)
        # rows are on disk, a handler for signals is in place, and progress counts some of the rows
        checkpoint = self.path("run", "checkpoint")
        self.wait_until(lambda: os.path.exists(checkpoint), "a checkpoint", run)
        return run

    def test_interrupted(self):
        run = self.started()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 130)
        self.assertIn(b'"status":"interrupted"', self.read("run", "report.html"))
        self.assertEqual(self.call("report", "run").returncode, 0)

    def test_killed_and_still_going_on(self):
        run = self.started()
        done = self.call("report", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b'"status":"unfinished"', self.read("run", "report.html"))
        run.kill()
        run.wait(60)
        done = self.call("report", "run")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.read("run", "report.html")
        self.assertIn(b'"status":"unfinished"', page)
        self.assertNotIn(b'"plots":{"rows":0,', page)


class Shapes(Case):
    def test_bad_expressions_are_refused_before_anything_is_written(self):
        line = FLOOR.count("\n") + 3
        for text, words in (("y +", "expected"), ("why", "'why'"), ("sine(y)", "did you mean 'sin"), ("", "")):
            self.write("bad.toml", SHAPE.format(text))
            for command in (("run", "bad.toml", "--out", "bad"), ("check", "bad.toml")):
                done = self.call(*command)
                self.refused(done, f"bad.toml:{line}:", words)
            self.assertFalse(os.path.exists(self.path("bad")))

    def test_bad_types_and_missing_keys(self):
        for old, new in (('"circle"', '"cirkle"'), ("radius = 0.1\n", ""), ('["x", "{}"]', '["x"]')):
            self.write("bad.toml", SHAPE.replace(old, new).format("y"))
            self.refused(self.call("run", "bad.toml", "--out", "bad"), "bad.toml:")
            self.assertFalse(os.path.exists(self.path("bad")))


if __name__ == "__main__":
    main()
