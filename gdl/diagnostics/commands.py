"""The wording of problems that commands meet beyond the game file itself: one function per code.

C001  a game that is not there                 C006  a name that no game can have
C002  a recording that cannot be read          C007  an agent for a player that is not there
C003  a recording that the game contradicts    C008  a file that cannot be written
C004  a file that exists already               C009  something that chance cannot do
C005  a code that nobody uses                  C010  a file of solutions that cannot be used
C011  a part that is not installed             C015  what chance does is left open
C016  no place where work can be done          C017  a cluster that cannot be reached
C018  an address that cannot be listened at    C019  a worker that may not take part
C020  workers that are lost again and again

T001  an expectation that does not hold        T003  an expectation that cannot be tested
T002  solvers that disagree
"""

from __future__ import annotations

from collections.abc import Sequence

from gdl.diagnostics.core import Diagnostic, Severity
from gdl.diagnostics.source import Span
from gdl.diagnostics.wording.phrases import counted, listing, near


def no_such_game(name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = f"did you mean `{match}`?" if match else "a file is named with its ending: `mygame.gdl`"
    return _error("C001", f"there is no file and no game `{name}`", hint)


def bad_recording(name: str, reason: str) -> Diagnostic:
    return _error("C002", f"{name} is not a recording: {reason}", "`gdl run GAME --record FILE` writes one")


def other_recording(name: str, recorded: str, game: str) -> Diagnostic:
    return _error(
        "C012",
        f"{name} records another play: of {recorded}, not of {game} with these parameters, or several plays",
        "load what `save` wrote at the same game, or start `gdl play` with that game and its parameters",
    )


def no_such_command(text: str, names: list[str], near: list[str]) -> Diagnostic:
    hint = f"did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else None
    return _error(
        "C013",
        f"`{text}` is neither a legal move here nor a command",
        hint or f"`?` lists the moves; commands: {', '.join(names)}",
    )


def several_moves(text: str, moves: list[str]) -> Diagnostic:
    shown = ", ".join(moves[:8]) + (f" and {len(moves) - 8} more" if len(moves) > 8 else "")
    return _error("C014", f"`{text}` may mean {shown}", "say more of the move")


def recording_differs(
    name: str, play: int, number: int, what: str, recorded: str, found: str, hint: str | None = None
) -> Diagnostic:
    """The first difference: in step `number` (0 is the start) of play `play`, counted from 1."""
    where = f"play {play}, " + (f"move {number}" if number else "the start")
    return Diagnostic(
        "C003",
        Severity.ERROR,
        f"{name} does not fit the game any more: {where}: {what} differs",
        hint=hint,
        context=(("recorded", recorded), ("the game says", found)),
    )


def file_exists(name: str, hint: str = "choose another name, or remove it first") -> Diagnostic:
    return _error("C004", f"{name} exists already and is left alone", hint)


def unfinished_sweep(name: str, rows: int) -> Diagnostic:
    kept = f"it has {counted(rows, 'row')} of a sweep to this file that was stopped"
    return file_exists(name, f"{kept}: `--resume` goes on with it; remove it to begin anew")


def no_such_code(code: str, known: Sequence[str]) -> Diagnostic:
    match = near(code.upper(), known)
    hint = f"did you mean {match}? " if match else ""
    return _error(
        "C005", f"there is no diagnostic with the code {code}", f"{hint}`gdl explain` lists all codes"
    )


def not_a_name(text: str) -> Diagnostic:
    hint = "a name starts with a letter and goes on with letters, digits and _"
    return _error("C006", f"`{text}` cannot be the name of a game", hint)


def no_such_player(name: str, known: Sequence[str]) -> Diagnostic:
    match = near(name, known)
    hint = f"did you mean `{match}`?" if match else f"the players are {listing(known)}"
    return _error("C007", f"the game has no player `{name}`", hint)


def cannot_write(name: str, reason: str) -> Diagnostic:
    hint = "name a file that you may write, in a folder that exists"
    return _error("C008", f"cannot write {name}: {reason}", hint)


def unusable_solution(name: str, reason: str, hint: str | None = None) -> Diagnostic:
    """A tablebase, a policy, a certificate or a checkpoint that is damaged, or belongs to other rules."""
    return _error("C010", f"{name} cannot be used: {reason}", hint)


def no_such_outcome(move: str, label: str, known: Sequence[str]) -> Diagnostic:
    hint = f"it can do {listing(known, 'or')}" if known else "nothing is left to chance there"
    return _error("C009", f"chance cannot do `{label}` when `{move}` is made", hint)


def chance_without_move(label: str) -> Diagnostic:
    return _error(
        "C009",
        f"`[{label}]` stands before any move",
        "what chance does stands behind the move: `roll [face=3]`",
    )


def chance_decides(move: str, known: Sequence[str]) -> Diagnostic:
    """Moves were typed to get to one position, and chance may lead to several; no move: at the start."""
    if not move:
        return _error("C015", "the start of the game is drawn at random", "say with --at which one is meant")
    said = f": `{move} [{known[0]}]`" if known else ""
    return _error(
        "C015",
        f"chance decides what comes of `{move}`",
        f"say what it does in brackets behind the move{said}",
    )


def extra_missing(what: str, package: str, extra: str) -> Diagnostic:
    return _error(
        "C011", f"{what} needs {package}, which is not installed", f"`pip install 'gdl-games[{extra}]'`"
    )


def cannot_listen(host: str, port: int, reason: str) -> Diagnostic:
    return _error(
        "C018", f"nobody can listen at {host}:{port}: {reason}", "`--port 0` takes a port that is free"
    )


# ----------------------------------------------------------------- work done elsewhere


def no_such_place(said: str, ways: Sequence[str], reason: str | None = None) -> Diagnostic:
    why = f": {reason}" if reason else ""
    return _error("C016", f"work cannot be done on `{said}`{why}", f"say {listing(ways, 'or')}")


def no_ranks() -> Diagnostic:
    return _error(
        "C016",
        "`mpi` is work for the ranks that `mpiexec` starts, and there is only this one",
        "put `mpiexec -n 4` before the command: one rank asks, three work",
    )


def no_cluster(said: str, reason: str, command: str) -> Diagnostic:
    return _error(
        "C017",
        f"there is no cluster at {said}: {reason}",
        f"start one with `{command}`, which prints its address, and look whether this computer may reach it",
    )


def cluster_without_workers(said: str, command: str) -> Diagnostic:
    return _error("C017", f"the cluster at {said} has no workers", f"start some: `{command}`")


def cluster_gone(said: str) -> Diagnostic:
    return _error(
        "C017", f"the cluster at {said} is gone", "look at what its scheduler said last, and start it again"
    )


def worker_of_another_kind(worker: str, theirs: str, ours: str) -> Diagnostic:
    return Diagnostic(
        "C019",
        Severity.ERROR,
        "a worker holds another gdl, whose answers need not be those of this one",
        hint="install the same sources everywhere, and start the workers again",
        context=(("worker", worker), ("holds", theirs), ("here", ours)),
    )


def worker_without_gdl(reason: str, ours: str) -> Diagnostic:
    return Diagnostic(
        "C019",
        Severity.ERROR,
        f"a worker cannot load gdl: {reason}",
        hint="install it where workers run, in the same version, and start them again",
        context=(("here", ours),),
    )


def other_texts(worker: str, name: str, ours: str, theirs: str) -> Diagnostic:
    return Diagnostic(
        "C019",
        Severity.ERROR,
        f"a worker reads another text where {name} borrows from other files",
        hint="put the same files beside the game where workers run, and start the workers again",
        context=(("worker", worker), ("texts there", theirs), ("here", ours)),
    )


def workers_lost(times: int, reason: str) -> Diagnostic:
    said = f": {reason.splitlines()[0]}" if reason else ""
    return _error(
        "C020",
        f"workers were lost {times} times with no work done in between{said}",
        "look whether they have memory enough, and try fewer of them",
    )


def executor_broken(name: str, reason: str) -> Diagnostic:
    return _error("C020", f"the {name} that was given takes no more work: {reason}", "hand in a new one")


# --------------------------------------------------------------------- expectations


def expectation_failed(text: str, found: str, how: str, span: Span) -> Diagnostic:
    """T001: something computed contradicts the file."""
    return Diagnostic("T001", Severity.ERROR, f"`{text}` does not hold: {how} finds {found}", span)


def solvers_disagree(text: str, answers: Sequence[tuple[str, str]], span: Span) -> Diagnostic:
    """T002: two ways of computing the same thing differ, so one of them is wrong."""
    return Diagnostic(
        "T002", Severity.ERROR, f"the solvers disagree about `{text}`", span, context=tuple(answers)
    )


def cannot_be_tested(text: str, reason: str, span: Span) -> Diagnostic:
    """T003: no way to compute the quantity."""
    return Diagnostic("T003", Severity.ERROR, f"`{text}` cannot be tested: {reason}", span)


def _error(code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, hint=hint)
