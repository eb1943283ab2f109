"""The file of a certificate: numbers for every position of a game, from which its value can be checked.

    line 1     facts as JSON: which game with which parameters, the digest of its rules, where play starts
    line 2     the names of the columns
    then       one line for each position that can be reached, its numbers separated by commas

compressed with gzip. Positions have no names: they come in the order in which a search from the start meets
them, breadth first, moves and outcomes in the order of the rules, so that nobody has to trust a list of them.
What the numbers mean and why they prove something is told in docs/certificates.md; `verify.py` checks it.

A number is written as a whole number, as a fraction `p/q`, or with a point or an exponent: then the binary64
number nearest to it is meant, exactly. Whole numbers of more than a thousand digits are written in
hexadecimal, `0x..`.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from gdl.diagnostics import GameError
from gdl.diagnostics.commands import unusable_solution
from gdl.game import Game

KIND = "certificate"
VERSION = 1

DUEL, EVERYBODY = "duel", "everybody"
"""What is certified: the value for one player or two opposed ones, or a play that is best for each of many.
"""

Numbers = Any
"""A column of rationals: an array of float64 where each of them is one, else a list of Fractions."""


@dataclass(frozen=True)
class Certificate:
    """What a file says.

    `numbers` are the first player's bounds in a duel, ("low", "high") or, where both are the same,
    ("value",); else one column for each player. `ranks` are ("rank_low", "rank_high") in a duel, else
    ("rank",). The moves that are listed for position s are best[best_start[s] : best_start[s + 1]], by their
    place among its moves.
    """

    facts: Mapping[str, Any]
    numbers: Mapping[str, Numbers]
    ranks: Mapping[str, Any]
    best_start: Any
    best: Any

    @property
    def form(self) -> str:
        return str(self.facts["form"])

    @property
    def exact(self) -> bool:
        """Whether it claims values rather than bounds."""
        return "low" not in self.numbers

    def __len__(self) -> int:
        return len(self.best_start) - 1

    def listed(self, number: int) -> tuple[int, ...]:
        """The moves that are listed for a position."""
        return tuple(self.best[self.best_start[number] : self.best_start[number + 1]].tolist())


def number_columns(form: str, exact: bool, players: int) -> tuple[str, ...]:
    if form == EVERYBODY:
        return tuple(f"value_{player}" for player in range(1, players + 1))
    return ("value",) if exact else ("low", "high")


def rank_columns(form: str) -> tuple[str, ...]:
    return ("rank",) if form == EVERYBODY else ("rank_low", "rank_high")


def written(certificate: Certificate) -> bytes:
    """The contents of the file."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    moves = pc.cast(pa.array(certificate.best), pa.string())
    best = pc.binary_join(pa.ListArray.from_arrays(pa.array(certificate.best_start, pa.int32()), moves), " ")
    columns = {name: _column(numbers) for name, numbers in certificate.numbers.items()}
    columns |= {name: pa.array(ranks, pa.int64()) for name, ranks in certificate.ranks.items()}
    table = pa.table({**columns, "best": best})
    text = io.BytesIO()
    facts = {"kind": KIND, "version": VERSION, **certificate.facts, "positions": len(certificate)}
    text.write(json.dumps(facts, ensure_ascii=False).encode() + b"\n")
    csv.write_csv(table, text, csv.WriteOptions(quoting_style="none", quoting_header="none"))
    # The fastest level: texts of numbers hardly get smaller with more effort.
    packer = zlib.compressobj(1, wbits=31)
    return packer.compress(text.getbuffer()) + packer.flush()


def _column(numbers: Numbers) -> Any:
    import pyarrow as pa

    return pa.array(numbers) if isinstance(numbers, np.ndarray) else pa.array([text_of(x) for x in numbers])


def read(path: Path | str, game: Game[Any, Any]) -> Certificate:
    """The certificate in a file. Raises GameError (C010) if it is damaged or about other rules.

    What it claims is not looked at: that is the verifier's work.
    """
    if not isinstance(path, str | Path):
        raise GameError([unusable_solution(repr(path), "it is no path of a file")])
    path = Path(path)
    try:
        with gzip.open(path, "rb") as file:
            data = file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise _unusable(path, _why_unreadable(error)) from None
    head, newline, body = data.partition(b"\n")
    facts = _facts(path, head)
    _check_rules(path, facts, game)
    if not newline:
        raise _unusable(path, "it is cut short: nothing follows its first line")
    form, players = str(facts.get("form")), len(game.players)
    names = body.partition(b"\n")[0].decode(errors="replace").split(",")
    exact = "low" not in names
    numbers, ranks = number_columns(form, exact, players), rank_columns(form)
    if form not in (DUEL, EVERYBODY) or names != [*numbers, *ranks, "best"]:
        raise _unusable(
            path, f"its columns are {', '.join(names)}", "docs/certificates.md says what they must be"
        )
    return _parsed(path, facts, body, numbers, ranks)


def _facts(path: Path, head: bytes) -> dict[str, Any]:
    """The first line; every fact that is told is of its kind."""
    try:
        facts = json.loads(head.decode())
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or facts.get("kind") != KIND:
        raise _unusable(path, "it is no certificate", _WRITES_ONE)
    for name, (kind, wanted) in _KINDS.items():
        value = facts.get(name)
        if type(value) is not kind and not (value is None and name in _OPTIONAL):
            raise _unusable(path, f"its `{name}` is {json.dumps(value)[:60]}, not {wanted}")
    if facts["version"] != VERSION:
        raise _unusable(path, f"it has version {facts['version']}, and this program reads version {VERSION}")
    return facts


_WHOLE, _TEXT = (int, "a whole number"), (str, "a text")
_KINDS: Mapping[str, tuple[type, str]] = {
    "version": _WHOLE,
    "positions": _WHOLE,
    "game": _TEXT,
    "digest": _TEXT,
    "form": _TEXT,
    "from": (str, "the text of a position or null"),
    "params": (dict, "parameters by their names"),
    "solver": _TEXT,
    "how": _TEXT,
}
_OPTIONAL = {"digest", "from", "params", "solver", "how"}
"""Facts that may be null or left out; a game that is no text has no digest."""


def start_of(certificate: Certificate, path: Path | str, game: Game[Any, Any]) -> Any:
    """The position that a certificate is about, None for the start of the game.

    Raises GameError (C010) where what it calls a position is none.
    """
    text = certificate.facts.get("from")
    if text is None:
        return None
    reason = "it is empty"
    if text.strip():
        try:
            return game.parse_position(text)
        except GameError as error:
            reason = error.diagnostics[0].message
    shown = _printable(text)[:60]
    raise _unusable(Path(path), f"its `from` is no position of {game.name}: {reason}", f"it says `{shown}`")


def _printable(text: str) -> str:
    return text if text.isprintable() else ascii(text)


def _check_rules(path: Path, facts: Mapping[str, Any], game: Game[Any, Any]) -> None:
    """The digest names the rules with the values of their parameters."""
    if facts.get("game") != game.name:
        raise _unusable(path, f"it is about {_printable(facts['game'])}, not about {game.name}")
    if facts.get("digest") != getattr(game, "digest", None):
        params = facts.get("params")
        raise _unusable(
            path,
            f"it was made with other parameters or another version of the rules of {game.name}",
            f"its parameters: {_printable(str(params))[:200]}" if params else None,
        )


def _parsed(
    path: Path, facts: Mapping[str, Any], body: bytes, numbers: Sequence[str], ranks: Sequence[str]
) -> Certificate:
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    types = {**dict.fromkeys(numbers, pa.string()), **dict.fromkeys(ranks, pa.int64()), "best": pa.string()}
    try:
        table = csv.read_csv(
            io.BytesIO(body),
            parse_options=csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            convert_options=csv.ConvertOptions(column_types=types),
        )
        moves = pc.split_pattern(table["best"].combine_chunks(), " ")
        flat = moves.flatten()
        kept = pc.not_equal(flat, "")
        offsets = moves.offsets.to_numpy().astype(np.int64)
        count = np.concatenate([[0], np.cumsum(kept.to_numpy(zero_copy_only=False))])
        best = pc.cast(flat.filter(kept), pa.int64()).to_numpy()
        read_numbers = {name: _read_numbers(table[name]) for name in numbers}
        read_ranks = {name: table[name].to_numpy() for name in ranks}
    except (pa.ArrowException, ValueError, ZeroDivisionError, OverflowError) as error:
        raise _unusable(path, f"a line of it cannot be read ({_first_line(error)})") from None
    if table.num_rows != facts["positions"]:
        claimed = str(facts["positions"])[:30]
        raise _unusable(path, f"it is cut short: {table.num_rows:,} of {claimed} positions are there")
    if any(table[name].null_count for name in (*numbers, *ranks)):
        raise _unusable(path, "a number in it is missing")
    return Certificate(facts, read_numbers, read_ranks, count[offsets], best)


def _read_numbers(texts: Any) -> Numbers:
    """The numbers of a column; an array of floats where none is a fraction or too large for one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pc.utf8_length(texts)
    if not pc.any(pc.match_substring_regex(texts, "[/x]")).as_py() and (pc.max(whole).as_py() or 0) < 30:
        floats = pc.cast(texts, pa.float64()).to_numpy()
        if not np.isfinite(floats).all():
            raise ValueError("a number is not finite")
        if np.abs(floats).max(initial=0.0) < 2.0**53:
            return floats
    return [_number(text) for text in texts.to_pylist()]


_NUMBER = re.compile(r"-?(\d+(/\d+)?|0x[0-9a-f]+(/0x[0-9a-f]+)?|(\d+\.?\d*|\.\d+)(e[-+]?\d+)?)", re.A | re.I)


def _number(text: str) -> Fraction:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:30]!a} is no number")
    numerator, _, denominator = text.partition("/")
    if "x" in text:
        return Fraction(int(numerator, 0), int(denominator or "1", 0))
    return Fraction(float(text)) if any(mark in text for mark in ".eE") else Fraction(text)


def text_of(number: Fraction) -> str:
    """The number as it is written in a file."""
    if number.numerator.bit_length() + number.denominator.bit_length() < 3000:
        return str(number)
    return (
        f"{number.numerator:#x}/{number.denominator:#x}"  # in decimal it would take long, and Python refuses
    )


_WRITES_ONE = "`gdl solve GAME --certificate FILE` writes one"


def _why_unreadable(error: Exception) -> str:
    if isinstance(error, gzip.BadGzipFile | zlib.error):
        return f"it is damaged, or no certificate ({_first_line(error)})"
    if isinstance(error, EOFError):
        return "it is cut short"
    return str(getattr(error, "strerror", None) or error)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:120]


def _unusable(path: Path, reason: str, hint: str | None = None) -> GameError:
    return GameError([unusable_solution(str(path), reason, hint)])
