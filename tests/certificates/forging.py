"""Certificates in the making, to be changed number by number."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import solvers
from gdl.certificates.file import Certificate, read
from gdl.certificates.verify import Verdict, verify
from gdl.diagnostics import Diagnostic, GameError
from solvers.files.certificate import certificate_of_result, write


def certified(game: Any, folder: Path, solver: str | None = None) -> tuple[Certificate, Verdict]:
    """The certificate of a game as a file has it, and what it proves."""
    result = solvers.solve(game, solver or solvers.choose(game)[0])
    path = folder / "proof.gz"
    write(certificate_of_result(game, result), path)
    return read(path, game), verify(game, path)


def refusal(game: Any, certificate: Certificate, folder: Path) -> Diagnostic:
    """What is said of a certificate that is no proof: the position and the inequality that fails."""
    path = folder / "forged.gz"
    write(certificate, path)
    with pytest.raises(GameError) as refused:
        verify(game, path)
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.code in ("V001", "V002", "V003")
    assert {"position", "fails"} <= dict(diagnostic.context).keys()
    return diagnostic


def changed_numbers(certificate: Certificate, by: tuple[F, ...]) -> Iterator[Certificate]:
    """Each single bound or value changed by each of the amounts."""
    for name, column in certificate.numbers.items():
        for i in range(len(certificate)):
            for amount in by:
                numbers = [F(x) for x in column]
                numbers[i] += amount
                yield replace(certificate, numbers={**certificate.numbers, name: numbers})


def changed_ranks(certificate: Certificate, by: tuple[int, ...] = (-1, 1, 5)) -> Iterator[Certificate]:
    """Each single rank changed by each of the amounts."""
    for name, column in certificate.ranks.items():
        for i in range(len(certificate)):
            for amount in by:
                ranks = column.copy()
                ranks[i] += amount
                yield replace(certificate, ranks={**certificate.ranks, name: ranks})


def changed_moves(certificate: Certificate) -> Iterator[Certificate]:
    """Each listed move left out, replaced by another, or joined by one more."""
    for i in range(len(certificate.best)):
        owner = int(np.searchsorted(certificate.best_start, i, side="right")) - 1
        for there in ([], [certificate.best[i] + 1], [certificate.best[i], certificate.best[i] + 1]):
            best = np.concatenate(
                [certificate.best[:i], np.array(there, np.int64), certificate.best[i + 1 :]]
            )
            start = certificate.best_start.copy()
            start[owner + 1 :] += len(there) - 1
            yield replace(certificate, best=best, best_start=start)


def rewritten(path: Path, old: bytes, new: bytes) -> None:
    """The file with a part of its text replaced, once."""
    text = gzip.decompress(path.read_bytes())
    assert old in text
    path.write_bytes(gzip.compress(text.replace(old, new, 1)))
