"""The finished members of a sweep, on disk: framed and checked, so that one that was killed goes on where it was."""
import contextlib
import io
import os
import struct
import time
import zlib

import numpy

from ._errors import RecordError

_HEADER = struct.Struct("<8sIQ")  # mark, crc32 of the body, length of the body
_MARK = b"ricochet"


class Unwritten(RecordError):
    """A disk that refused what a sweep had computed: called again, with room, it goes on."""


@contextlib.contextmanager
def writing(folder):
    """Errors of the disk, and of nothing else: an OSError of the impact law is the law's own."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the disk may be full"
        raise Unwritten(f"{folder} cannot be written: {reason}; call the sweep again to go on") from error


class Journal:
    """Finished members on disk: framed records, one file per writing process; a torn tail is ignored."""

    def __init__(self, folder):
        self.folder = folder
        self.file = None

    def append(self, index, answer):
        body = io.BytesIO()
        numpy.savez(body, index=index, **answer)
        body = body.getvalue()
        with writing(self.folder):
            if self.file is None:
                name = f"{os.uname().nodename}-{os.getpid()}-{time.time_ns()}.journal"
                self.file = open(os.path.join(self.folder, name), "ab")
            self.file.write(_HEADER.pack(_MARK, zlib.crc32(body), len(body)) + body)
            self.file.flush()

    def indices(self):
        """Of the members that are finished."""
        return {index for index, _ in self.read()}

    def read(self):
        """(index, answer) of every whole record; the first of an index wins."""
        seen = set()
        for name in sorted(os.listdir(self.folder)):
            if not name.endswith(".journal"):
                continue
            with open(os.path.join(self.folder, name), "rb") as f:
                while True:
                    header = f.read(_HEADER.size)
                    if len(header) < _HEADER.size:
                        break
                    mark, crc, length = _HEADER.unpack(header)
                    body = f.read(length)
                    if mark != _MARK or len(body) < length or zlib.crc32(body) != crc:
                        break
                    with numpy.load(io.BytesIO(body), allow_pickle=False) as record:
                        index = int(record["index"])
                        if index not in seen:
                            seen.add(index)
                            yield index, {k: record[k] for k in record.files if k != "index"}
