"""Running `gdl solve` inside the test process, as a user would from the shell."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gdl.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def solve(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str | Path, command: str = "solve") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["gdl", command, *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        capfd.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main()
        out, err = capfd.readouterr()
        assert "Traceback" not in out + err
        assert "This is a bug" not in err, err
        assert isinstance(leaving.value.code, int)
        return leaving.value.code, out, err

    return run
