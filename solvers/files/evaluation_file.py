"""Files of learned evaluations: text (JSON) that says what it is, small enough to lie beside a game.

    kind, version        evaluation, 1
    game, params, digest which rules
    made                 by which command, seed, method, from how many games
    view                 the elements of positions, how finely each is seen, whether players change places
    function             linear: the weight of each feature, to be read
                         tuples: per table the groups of elements that look it up, and its weights
                         network: its layers
    curve                how strong it was while it learned
    checksum             SHA-256 of all else

Weights of tables and layers are 16-bit numbers times a scale, compressed and written in base 64.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from solvers.files.container import bad_file, foreign, write_atomically
from solvers.learning.evaluation import Evaluation, Table, View

KIND = "evaluation"
VERSION = 1

FINEST = 1 / 256
"""Entries of tables, in log-odds, are rounded to this: 2048 plays as well, and most of what was met once or
twice becomes 0, which takes no room."""


@dataclass(frozen=True)
class EvaluationFile:
    """A learned evaluation and what its file says about it."""

    evaluation: Evaluation
    facts: Mapping[str, Any]

    @property
    def curve(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.facts.get("curve", [])
        return found


def save(
    path: Path | str,
    game: Any,
    evaluation: Evaluation,
    made: Mapping[str, Any],
    curve: list[Any],
    params: Mapping[str, Any],
) -> None:
    """Raises GameError where it cannot be written; then what was there before stays."""
    facts: dict[str, Any] = {
        "kind": KIND,
        "version": VERSION,
        "game": game.name,
        "params": dict(params),
        "digest": game.digest,
        "made": dict(made),
        "view": _written_view(evaluation),
        "function": _written(evaluation),
        "curve": curve,
    }
    facts["checksum"] = _checksum(facts)
    text = json.dumps(facts, indent=1, ensure_ascii=False) + "\n"

    def write(file: IO[bytes]) -> None:
        file.write(text.encode())

    write_atomically(Path(path), write)


def read(path: Path | str, game: Any) -> EvaluationFile:
    """The evaluation of a file for a game. Raises GameError with the reason where it is not one: damaged,
    about other rules, or of a newer version."""
    facts = read_facts(path)
    if facts.get("game") != game.name or facts.get("digest") != game.digest:
        raise foreign(Path(path), facts, game.name)
    try:
        evaluation = _read(facts)
    except (KeyError, ValueError, TypeError, IndexError, zlib.error, binascii.Error) as error:
        raise bad_file(path, f"it contradicts itself ({error})") from None
    elements = game.elements
    if evaluation.view.names != tuple(e.name for e in elements) or evaluation.view.sizes != tuple(
        e.size for e in elements
    ):
        raise bad_file(path, "it speaks of other elements of positions than the game has", "learn it again")
    return EvaluationFile(evaluation, facts)


def read_facts(path: Path | str) -> dict[str, Any]:
    """What a file says, verified but for the game. Raises GameError."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise bad_file(path, "it is not there", "`gdl learn GAME --save FILE` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise bad_file(path, f"it cannot be read ({error})") from None
    try:
        facts = json.loads(text)
    except ValueError:
        raise bad_file(path, "it is damaged, or no learned evaluation: it is no JSON") from None
    if not isinstance(facts, dict) or facts.get("kind") != KIND:
        raise bad_file(path, "it is no learned evaluation", "`gdl learn GAME --save FILE` writes one")
    version = facts.get("version")
    if version != VERSION:
        newer = isinstance(version, int) and version > VERSION
        hint = "use a newer version of the program" if newer else "learn it again"
        raise bad_file(path, f"it has version {version}, and this program reads version {VERSION}", hint)
    if facts.pop("checksum", None) != _checksum(facts):
        raise bad_file(path, "it is damaged: its checksum is wrong")
    return facts


def _checksum(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


# -------------------------------------------------------------------------------- evaluations


def _written_view(evaluation: Evaluation) -> dict[str, Any]:
    view = evaluation.view
    return {
        "elements": [
            [name, size, level, ordered]
            for name, size, level, ordered in zip(
                view.names, view.sizes, view.levels, view.ordered, strict=True
            )
        ],
        "players": view.players,
        "exchange": view.exchange,
        "draws": view.draws,
        "source": list(view.source),
        "maps": {str(element): list(mapped) for element, mapped in view.maps.items()},
    }


def _written(evaluation: Evaluation) -> dict[str, Any]:
    weights = evaluation.weights
    found: dict[str, Any] = {
        "kind": evaluation.kind,
        "columns": evaluation.columns,
        "squash": evaluation.squash,
        "low": list(evaluation.low),
        "high": list(evaluation.high),
        "turns": evaluation.turns,
        "by_moves": evaluation.by_moves,
        "expects": evaluation.expects,
    }
    if evaluation.kind == "linear":
        found["bias"] = _plain(weights["bias"])
        rows = zip(evaluation.features, weights["features"], strict=True)
        found["features"] = {name: _plain(row) for name, row in rows}
    elif evaluation.kind == "tuples":
        starts = evaluation.starts
        found["tables"] = [
            {
                "groups": [list(image) for image in table.images],
                "sizes": list(table.sizes),
                "weights": _packed(
                    weights["tables"][start:end], FINEST if evaluation.squash != "none" else 0
                ),
            }
            for table, start, end in zip(evaluation.tables, starts, starts[1:], strict=False)
        ]
    else:
        found["units"] = evaluation.units
        found["layers"] = {name: _packed(array) for name, array in weights.items()}
    return found


def _read(facts: Mapping[str, Any]) -> Evaluation:
    given, seen = facts["function"], facts["view"]
    names, sizes, levels, ordered = zip(*seen["elements"], strict=True)
    view = View(
        names=names,
        sizes=sizes,
        levels=levels,
        ordered=ordered,
        players=seen["players"],
        exchange=seen["exchange"],
        draws=seen["draws"],
        source=tuple(seen["source"]),
        maps={int(element): tuple(mapped) for element, mapped in seen["maps"].items()},
    )
    common: dict[str, Any] = {
        **{name: given[name] for name in ("kind", "columns", "squash", "turns", "by_moves")},
        "expects": given.get("expects", False),
        "view": view,
        "low": tuple(given["low"]),
        "high": tuple(given["high"]),
    }
    columns = given["columns"]
    if given["kind"] == "linear":
        features = given["features"]
        weights = {
            "bias": np.array(given["bias"], np.float32).reshape(view.contexts, columns),
            "features": np.array(list(features.values()), np.float32).reshape(len(features), columns),
        }
        return Evaluation(**common, weights=weights, features=tuple(features))
    if given["kind"] == "tuples":
        tables = tuple(
            Table(tuple(tuple(group) for group in one["groups"]), tuple(one["sizes"]))
            for one in given["tables"]
        )
        parts = [
            _unpacked(one["weights"], (table.size * view.contexts, columns))
            for one, table in zip(given["tables"], tables, strict=True)
        ]
        if any(not 0 <= e < len(names) for table in tables for image in table.images for e in image):
            raise ValueError("a table looks at an element that there is not")
        return Evaluation(**common, weights={"tables": np.concatenate(parts)}, tables=tables)
    units = given["units"]
    layers = given["layers"]
    from solvers.learning.evaluation import input_bases

    shapes = {
        "hidden": (input_bases(view)[-1], units),
        "hidden_bias": (units,),
        "out": (units, columns),
        "out_bias": (columns,),
    }
    weights = {name: _unpacked(layers[name], shape) for name, shape in shapes.items()}
    return Evaluation(**common, weights=weights, units=units)


def _plain(numbers: Any) -> list[Any]:
    """Six digits are more than is known."""
    found: list[Any] = np.vectorize(lambda x: float(f"{x:.6g}"))(np.asarray(numbers, float)).tolist()
    return found


def _packed(array: Any, finest: float = 0.0) -> dict[str, Any]:
    largest = float(np.abs(array).max(initial=0.0))
    scale = max(largest / 32767, finest) or 1.0
    numbers = np.round(array / scale).astype("<i2")
    return {
        "scale": float(f"{scale:.9g}"),
        "data": base64.b64encode(zlib.compress(numbers.tobytes(), 9)).decode(),
    }


def _unpacked(packed: Mapping[str, Any], shape: tuple[int, ...]) -> Any:
    size = int(np.prod(shape))
    raw = zlib.decompressobj().decompress(base64.b64decode(packed["data"], validate=True), 2 * size + 1)
    if len(raw) != 2 * size:
        raise ValueError("a table is not as large as it should be")
    return (np.frombuffer(raw, "<i2").astype(np.float32) * np.float32(packed["scale"])).reshape(shape)
