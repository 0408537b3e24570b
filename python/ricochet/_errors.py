"""The exceptions of ricochet: the same sentences as the program, with their place where there is one."""
import re

_PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<sentence>.*)$", re.DOTALL)


class Error(Exception):
    """What ricochet refuses or could not do."""


class SceneError(Error):
    """A scene that cannot be run. `file`, `line` and `column` say where, or are None for an override or a file."""

    def __init__(self, message):
        super().__init__(message)
        place = _PLACE.match(message)
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None
        self.column = int(place["column"]) if place else None
        self.sentence = place["sentence"] if place else message


class RunError(Error):
    """A run that failed. `result` holds what was computed until then, where there is something."""

    result = None


class RecordError(Error):
    """A directory that cannot be written or read. `result` holds a run that was done and could not be written."""

    result = None
