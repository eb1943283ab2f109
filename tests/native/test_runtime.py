"""The run-time library and the positions' keys, against Python's exact arithmetic."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import gdl
from gdl.abi import NO_MOVE
from gdl.diagnostics import Source
from gdl.loading import load_model, read_source
from gdl.native.emit.scope import Unit
from gdl.native.engine import NativeGame
from gdl.native.ir import runtime
from gdl.native.ir.jit import Code, compiled
from gdl.native.program import program_of
from gdl.reference.engine import ReferenceGame

GAMES = Path(__file__).parents[2] / "games"


@pytest.fixture(scope="module")
def unit() -> Unit:
    return Unit(program_of(load_model(read_source(GAMES / "tictactoe.gdl"))))


def random_ratio(rng: Random) -> tuple[int, int]:
    """Numbers of all sizes, so that every path is taken."""
    top, bottom = rng.randrange(1, 63), rng.randrange(1, 63)
    return rng.randrange(-(1 << top), 1 << top), rng.randrange(1, 1 << bottom)


def test_nearest_double(unit: Unit) -> None:
    ref = unit.helper("to_double", runtime.write_to_double)
    unit.module.add(
        "define double @nearest(i64 %a, i64 %b) {\n"
        f"  %r = call double {ref}(i64 %a, i64 %b)\n  ret double %r\n}}\n"
    )
    code = compiled(str(unit.module))
    nearest = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_int64)(code.address("nearest"))
    rng = Random(1)
    for _ in range(20_000):
        a, b = random_ratio(rng)
        assert nearest(a, b) == a / b, (a, b)  # Python divides whole numbers correctly rounded


@pytest.mark.parametrize(("name", "operation"), [("add", Fraction.__add__), ("multiply", Fraction.__mul__)])
def test_checked_fractions(name: str, operation: Callable[[Fraction, Fraction], Any]) -> None:
    """The exact result, or an overflow; small numbers never overflow."""
    own = Unit(program_of(load_model(read_source(GAMES / "tictactoe.gdl"))))
    ref = own.helper(name, runtime.RATIO[name])
    own.module.add(
        f"""define i32 @run(i64 %a, i64 %b, i64 %c, i64 %d, ptr %out) {{
  %r = call {{ i64, i64, i1 }} {ref}(i64 %a, i64 %b, i64 %c, i64 %d)
  %n = extractvalue {{ i64, i64, i1 }} %r, 0
  %m = extractvalue {{ i64, i64, i1 }} %r, 1
  %o = extractvalue {{ i64, i64, i1 }} %r, 2
  store i64 %n, ptr %out
  %q = getelementptr i64, ptr %out, i64 1
  store i64 %m, ptr %q
  %z = zext i1 %o to i32
  ret i32 %z
}}
"""
    )
    code = compiled(str(own.module))
    kinds = [ctypes.c_int64] * 4
    run = ctypes.CFUNCTYPE(ctypes.c_int32, *kinds, ctypes.c_void_p)(code.address("run"))
    out = (ctypes.c_int64 * 2)()
    rng = Random(2)
    for _ in range(20_000):
        (a, b), (c, d) = random_ratio(rng), random_ratio(rng)
        if run(a, b, c, d, out):
            assert max(abs(a), b, abs(c), d) >= 1 << 30
            continue
        assert out[1] > 0
        assert Fraction(out[0], out[1]) == operation(Fraction(a, b), Fraction(c, d))


def test_fractions_beyond_the_registers_are_exact() -> None:
    """Probabilities with denominators beyond 64 bits: the reference engine does those."""
    text = (
        "game tiny\nplayers: a\nposition:\n    n: 0..1 = 0\n    k: 0..9 = 0\n"
        "move go:\n    for i in 1..9:\n        chance:\n"
        "            1 / 100003: n = 1\n            else: n = n\n    k = 9\n"
        "terminal: k == 9\nutility: n / 3\n"
    )
    game = NativeGame(load_model(Source("<text>", text)))
    start = game.initial()[0].position
    never, once = game.outcomes(start, game.moves(start)[0])
    if never.position["n"] == 1:
        never, once = once, never
    assert never.probability == float(Fraction(100002, 100003) ** 9)
    assert once.probability == float(1 - Fraction(100002, 100003) ** 9)


def test_hash_spreads() -> None:
    """Keys of neighbouring positions fill a table about as random numbers would."""
    game = NativeGame(load_model(read_source(GAMES / "connect_four.gdl")))
    frontier, keys = [game.initial()[0].position], set()
    while len(keys) < 3000:
        frontier = [o.position for p in frontier for m in game.moves(p) for o in game.outcomes(p, m)]
        keys |= {game.key(position) for position in frontier}
    hashes = [game.functions["hash"](key) & (1 << 64) - 1 for key in keys]
    assert len(set(hashes)) == len(keys)
    slots = 1 << 13
    for shift in (0, 20, 51):
        used = len({h >> shift & slots - 1 for h in hashes})
        expected = slots * (1 - (1 - 1 / slots) ** len(keys))
        assert abs(used - expected) < 5 * (slots * 0.25) ** 0.5


@pytest.mark.parametrize("name", ["tictactoe", "chess", "othello", "pig", "three_players"])
def test_the_turn_is_handed_on_as_the_reference_engine_does(name: str) -> None:
    model = load_model(read_source(GAMES / f"{name}.gdl"))
    game, reference = NativeGame(model), ReferenceGame(model)
    position = game.initial()[0].position
    expected = reference.passed(reference.parse_position(game.format_position(position)))
    form = ctypes.create_string_buffer(game.form(position), len(game.form(position)))
    status = game.functions["pass_turn"](form)
    if expected is None:
        assert status == NO_MOVE
    else:
        assert status == 0
        assert game.format_position(game.position(form.raw)) == reference.format_position(expected)


def test_a_game_that_is_loaded_again_is_not_compiled_again() -> None:
    first, again = (gdl.load("tictactoe", engine="native").functions for _ in range(2))
    assert first is not again
    assert first.address("moves") == again.address("moves")
    smaller = gdl.load("connect_four", height=4, engine="native").functions
    assert smaller.address("moves") != first.address("moves")


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="asks glibc what is in use"
)
def test_a_process_that_compiles_many_games_does_not_grow(unit: Unit) -> None:
    ref = unit.helper("to_double", runtime.write_to_double)
    assert ref is not None
    text = str(unit.module)

    def compile_some(name: str) -> None:
        for number in range(20):
            Code(f"{text}\n; {name} {number}\n", level=2)

    compile_some("warm")
    before = _bytes_in_use()
    compile_some("counted")
    assert (_bytes_in_use() - before) / 20 < 20_000  # the passes of a module take five times that


def _bytes_in_use() -> int:
    class Mallinfo(ctypes.Structure):
        _fields_ = [(f"field{k}", ctypes.c_size_t) for k in range(10)]

    asked = ctypes.CDLL(None).mallinfo2
    asked.restype = Mallinfo
    return int(asked().field7)  # uordblks
