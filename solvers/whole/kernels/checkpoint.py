"""Checkpoints of long computations: enough to go on where they stopped, and come to the same result.

Two files, each replaced as a whole: the positions found so far (with their edges, where those are kept),
and the bounds computed so far. Rounds and components are taken in a fixed order, so that a run which is
interrupted and goes on does the same as one which is not.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from solvers.files.checkpoint import CheckpointFile
from solvers.files.container import bad_file, identity, read_arrays, write_arrays
from solvers.whole.kernels.distributions import Laws
from solvers.whole.kernels.partition import Partition

if TYPE_CHECKING:
    from solvers.whole.kernels.breadth_first import Kept
    from solvers.whole.kernels.space import Space

_KEPT = ("mover", "worth", "degree", "spread", "law", "target")
_KEPT_COUNTS = ("positions", "choices", "edges")


class Checkpoint(CheckpointFile):
    """Where solving a whole game leaves what it has: positions in its file, bounds beside it."""

    def __init__(self, path: Path, resume: bool = False, every: float | None = None):
        super().__init__(path, resume, every)
        self.bounds_path = path.with_name(path.name + ".bounds")

    def remove(self) -> None:
        super().remove()
        self.bounds_path.unlink(missing_ok=True)

    # -------------------------------------------------------------------------------- positions

    def save_positions(
        self,
        space: Space,
        kept: list[Kept] | None,
        done: list[int],
        layers: list[list[int]],
        graded: bool,
        edges: int,
        starts: list[str],
    ) -> None:
        arrays: dict[str, Any] = {}
        for p, part in enumerate(space.parts):
            laws = space.laws[p]
            count = int(laws.count[0])
            arrays[f"keys{p}"] = part.keys[: part.count]
            arrays[f"law_start{p}"] = laws.start[: count + 1]
            arrays[f"law_data{p}"] = laws.data[: laws.start[count]]
            if kept is not None:
                mine = kept[p]
                arrays[f"counts{p}"] = np.array([getattr(mine, name) for name in _KEPT_COUNTS], np.int64)
                for name in _KEPT:
                    used = (
                        mine.positions
                        if name in ("mover", "worth", "degree")
                        else mine.edges
                        if name == "target"
                        else mine.choices
                    )
                    arrays[f"{name}{p}"] = getattr(mine, name)[:used]
        facts = {
            **identity(space.game),
            "partitions": space.size,
            "rests": space.told_by,
            "kept": kept is not None,
            "done": done,
            "layers": layers,
            "graded": graded,
            "edges": edges,
            "starts": starts,
            "mail": [len(batch.owner) for batch in space.batches],
        }
        write_arrays(self.path, "checkpoint", facts, arrays)
        self._last = monotonic()

    def load_positions(self, space: Space, starts: list[str]) -> dict[str, Any] | None:
        """Fills the space from the file, if there is one; gives the facts, with `kept_arrays`."""
        from solvers.whole.kernels.breadth_first import Kept

        if not self.resume or not self.path.exists():
            return None
        facts, arrays = read_arrays(self.path, "checkpoint", space.game)
        if facts["starts"] != starts:
            raise bad_file(self.path, "it was made from another position")
        if facts.get("rests") != space.told_by:
            wanted = "with --turns" if facts.get("rests") else "with --no-turns"
            raise bad_file(self.path, "it holds other positions than are kept now", f"go on {wanted}")
        if facts["partitions"] != space.size:
            raise bad_file(
                self.path,
                f"it has {facts['partitions']} partitions, not {space.size}",
                f"go on with --threads {facts['partitions']}",
            )
        kept: list[Kept] | None = [] if facts["kept"] else None
        for p in range(space.size):
            space.batches[p].allocate(facts["mail"][p])
            space.parts[p] = Partition.of(arrays[f"keys{p}"])
            space.laws[p] = Laws.of(arrays[f"law_start{p}"], arrays[f"law_data{p}"])
            if kept is not None:
                mine = Kept(space.simple, space.values)
                for name, count in zip(_KEPT_COUNTS, arrays[f"counts{p}"], strict=True):
                    setattr(mine, name, int(count))
                for name in _KEPT:
                    setattr(mine, name, arrays[f"{name}{p}"])
                kept.append(mine)
        return {**facts, "kept_arrays": kept}

    # ----------------------------------------------------------------------------------- bounds

    def save_bounds(self, space: Space, solver: str, step: dict[str, Any], arrays: dict[str, Any]) -> None:
        """What a solver has, and at which step it is."""
        write_arrays(
            self.bounds_path, "bounds", {**identity(space.game), "solver": solver, "step": step}, arrays
        )
        self._last = monotonic()

    def load_bounds(self, space: Space, solver: str) -> tuple[dict[str, Any], dict[str, Any]] | None:
        if not self.resume or not self.bounds_path.exists():
            return None
        facts, arrays = read_arrays(self.bounds_path, "bounds", space.game)
        if facts["solver"] != solver:
            return None  # from a run that was about something else; it will be replaced
        return facts["step"], arrays
