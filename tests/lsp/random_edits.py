"""Random edits of a game in an editor, with questions between: the server lives, its memory stays flat."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gdl.lsp.analysis import analyse
from gdl.lsp.positions import Positions
from tests.lsp.client import URI, Client, Refused

PIECES = (
    *("(", ")", "[", "]", "{", "}", ":", ".", "..", "=", "==", "~", ",", '"', '"""', "#", "\\", "'"),
    *("\n", "\n    ", "\t", " ", "\r\n", "\u2028", "\x0c", "ä", "é́", "🎲", "𝔸"),
    *("if ", "else", "for x in ", "let y = ", "not ", "and", "1", "0..3", "none", "board", "turn", "player"),
    *("move go:\n", "type T = {a, b}\n", "expect value == ", "next(", "x."),
)
"""Insertions: symbols, layout, beginnings of items, characters of one, two and four bytes."""

PLACES = ("hover", "definition", "documentHighlight", "completion", "signatureHelp", "prepareRename")
WHOLE = ("documentSymbol", "codeLens", "semanticTokens/full")


@dataclass
class Editor:
    """A text that is edited here and on the server in the same way."""

    client: Client
    text: str
    random: random.Random

    def edit(self) -> None:
        positions = Positions(self.text)
        start = self.random.randrange(len(self.text) + 1)
        end = min(len(self.text), start + self.random.choice((0, 0, 1, 1, 3, 12, 60)))
        new = self.random.choice(PIECES) if self.random.random() < 0.7 else ""
        if self.random.random() < 0.1:  # a piece of the text itself, elsewhere
            place = self.random.randrange(len(self.text) + 1)
            new = self.text[place : place + 40]
        # A line end is one place: half of it cannot be replaced.
        if "\r\n" in (self.text[start - 1 : start + 1], self.text[end - 1 : end + 1]):
            return
        ends = [dict(zip(("line", "character"), positions.position(at), strict=True)) for at in (start, end)]
        self.client.change({"range": {"start": ends[0], "end": ends[1]}, "text": new})
        self.text = self.text[:start] + new + self.text[end:]

    def mend(self, text: str) -> None:
        """The whole text as it was, so that edits do not only ever break it."""
        self.client.change({"text": text})
        self.text = text

    def compare(self, diagnostics: list[dict[str, Any]]) -> None:
        """What the server says of its text is what is true of ours, so that both are the same."""
        found = analyse(self.text, "ours")
        here = [(d.code, found.positions.position(d.span.start if d.span else 0)) for d in found.diagnostics]
        starts = [(d["code"], d["range"]["start"]) for d in diagnostics]
        there = [(code, (start["line"], start["character"])) for code, start in starts]
        assert there == here, (there, here)

    def ask(self) -> None:
        line, unit = Positions(self.text).position(self.random.randrange(len(self.text) + 1))
        try:
            if self.random.random() < 0.7:
                self.client.at(self.random.choice(PLACES), line, unit)
            else:
                self.client.about(self.random.choice(WHOLE))
        except Refused as refused:  # that something cannot be renamed is an answer
            assert "Error" not in str(refused), refused


def edit_at_random(path: Path, edits: int, seed: int) -> list[int]:
    """Makes so many edits; the memory of the server in kB, at ten moments. Raises if it dies or mistakes."""
    original = path.read_text(encoding="utf-8")
    memory = []
    with Client() as client:
        client.open(original)
        editor = Editor(client, original, random.Random(seed))
        for number in range(edits):
            if number % 25 == 24:
                editor.mend(original)
            else:
                editor.edit()
            if number % 3 == 0:
                editor.ask()
            if number % 10 == 9:
                editor.compare(client.diagnostics())
            client.notified.clear()
            if number % max(1, edits // 10) == 0:
                memory.append(resident(client.process.pid))
        assert [d for d in client.write(original) if d["severity"] == 1] == []
        memory.append(resident(client.process.pid))
        assert client.process.poll() is None
    assert client.process.returncode == 0
    return memory


def resident(pid: int) -> int:
    """The memory that a process has, in kB; 0 where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmRSS"))


__all__ = ["URI", "edit_at_random", "resident"]
