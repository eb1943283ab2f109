"""Places as editors count them: lines from 0, and in a line the code units of an encoding, mostly UTF-16."""

from __future__ import annotations

import re
from bisect import bisect_right

_LINE_END = re.compile(r"\r\n|\r|\n")


class Positions:
    """Between characters of a text and (line, code unit). A place that does not exist means the nearest."""

    def __init__(self, text: str, encoding: str = "utf-16"):
        self.text = text
        self.encoding = encoding
        ends = list(_LINE_END.finditer(text))
        self.starts = [0, *(end.end() for end in ends)]
        self._ends = [*(end.start() for end in ends), len(text)]

    def position(self, offset: int) -> tuple[int, int]:
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        return line, self._units(self.text[self.starts[line] : offset])

    def offset(self, line: int, unit: int) -> int:
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[line], self._ends[line]
        part = self.text[start:end]
        if self.encoding == "utf-32" or part.isascii():
            return start + min(max(unit, 0), len(part))
        for number, char in enumerate(part):
            if unit <= 0:
                return start + number
            unit -= self._units(char)
        return end

    def _units(self, text: str) -> int:
        if self.encoding == "utf-32" or text.isascii():
            return len(text)
        if self.encoding == "utf-8":
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
