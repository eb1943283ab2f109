"""Every answer against the truth: what a solver or a command says of a game is held to its own label."""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from math import inf, isfinite
from pathlib import Path
from random import Random
from time import process_time
from typing import Any
from unittest import mock

from tests.judge.asking import ENGINES, Question, questions
from tests.judge.generate import Drawn
from tests.judge.graph import CHANCE, OVER
from tests.judge.needs import TO_THE_END, WITHOUT_REPEATS, meets, opposed
from tests.judge.oracle import Real, Truth
from tests.judge.reading import ENDLESS, Claim, Unreadable, claim_of, strict_json

SECONDS = 10.0
"""Of processor time, for any answer."""

Watch = Callable[[str], AbstractContextManager[Any]]
"""Told what is asked before it is asked: who watches can stop it."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """One broken promise: a kind, to count and compare by, and what was said against what is true."""

    question: str
    solver: str
    engine: str
    kind: str
    message: str

    @property
    def signature(self) -> tuple[str, str, str]:
        return self.solver, self.engine, self.kind


@dataclass(slots=True)
class Verdict:
    """What came of judging one game."""

    complaints: list[Complaint] = field(default_factory=list)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)  # (axis, what): answers judged

    def __iadd__(self, other: Verdict) -> Verdict:
        self.complaints += other.complaints
        self.seen += other.seen
        return self


@dataclass(frozen=True, slots=True)
class Said:
    """A value as an answer gives it, from whichever form."""

    kind: str
    number: Real
    low: Real | None
    high: Real | None


@dataclass(frozen=True, slots=True)
class Move:
    name: str
    value: Said | Claim | None
    best: bool


@dataclass(frozen=True, slots=True)
class Expected:
    """What is true where a question asks: per player, and of the choices there to whoever chooses."""

    values: tuple[Real | None, ...]
    worths: dict[str, Real] = field(default_factory=dict)

    @property
    def best(self) -> set[str]:
        most = max(self.worths.values(), default=None)
        return {name for name, worth in self.worths.items() if worth == most}


class Refused(Exception):
    """A solver said no, with a code."""

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code


def judge(
    drawn: Drawn,
    random: Random,
    watch: Watch = lambda _: nullcontext(),
    solver: str | None = None,
    engine: str | None = None,
) -> Verdict:
    """Asks everything of a game that applies, and compares; if given, only one solver on one engine."""
    with tempfile.TemporaryDirectory() as folder:
        court = Court(drawn, Path(folder), watch)
        for question in questions(drawn.graph, random):
            if solver in (None, question.name) and engine in (None, question.engine):
                court.hear(question)
    for trait in drawn.traits:
        court.verdict.seen["trait", trait] += 1
    return court.verdict


@lru_cache(maxsize=1)
def games_of(text: str) -> dict[str, Any]:
    """The game on each engine. A text is read, and machine code made, once for all that is asked: it costs
    most."""
    from gdl.diagnostics import Source
    from gdl.loading import game_of, load_model

    model = load_model(Source("judged.gdl", text))
    return {engine: game_of(model, engine) for engine in ENGINES}


class Court:
    """One game under judgement."""

    def __init__(self, drawn: Drawn, folder: Path, watch: Watch):
        self.drawn = drawn
        self.graph = drawn.graph
        self.truth = Truth(drawn.graph)
        self.watch = watch
        self.verdict = Verdict()
        self._said: set[tuple[str, ...]] = set()
        self.file = folder / "judged.gdl"
        self.file.write_text(drawn.text, encoding="utf-8")
        self.games = games_of(drawn.text)
        self.positions = {
            engine: [game.parse_position(name) for name in self.graph.names]
            for engine, game in self.games.items()
        }

    def hear(self, question: Question) -> None:
        """Asks, and complains of whatever is wrong with the answer."""
        from gdl.diagnostics import GameError

        seen, began = self.verdict.seen, process_time()
        with self.watch(str(question)):
            try:
                if question.by == "python":
                    self.judge_result(question, self.answer(question))
                else:
                    self.judge_command(question)
                outcome = "answered"
            except (GameError, Refused) as error:
                outcome = "refused"
                code = error.code if isinstance(error, Refused) else error.diagnostics[0].code
                if (reason := self.wrongly_refused(question, code)) is not None:
                    self.complain(question, "refusal", f"{reason}: {error}")
            except Unreadable as error:
                outcome = "answered"
                self.complain(question, "unreadable", str(error))
            except Exception as error:
                outcome = "crashed"
                self.complain(question, "crash", f"{type(error).__name__}: {error}")
        if (spent := process_time() - began) > SECONDS:
            self.complain(question, "time", f"took {spent:.1f} seconds")
        seen["answer", outcome] += 1
        if outcome == "answered":
            seen["solver", question.name] += 1
            seen["engine", question.engine] += 1
            seen["budget", question.budget] += 1
            seen["leaf", re.sub(r"\(.*", "", question.leaf or "none given")] += 1

    def complain(self, question: Question, kind: str, message: str) -> None:
        complaint = Complaint(str(question), question.name, question.engine, kind, message)
        if complaint.signature not in self._said:  # once is enough: a wrong value is wrong in many positions
            self._said.add(complaint.signature)
            self.verdict.complaints.append(complaint)

    # ------------------------------------------------------------------------------ asking

    def answer(self, question: Question) -> Any:
        import solvers
        from solvers.agents.kinds import search_described
        from solvers.core.policies import uniform

        game = self.games[question.engine]
        at = None if question.at is None else self.positions[question.engine][question.at]
        if question.solver in ("best_response", "policy_evaluation"):
            options = {"against": uniform(game)} if question.solver == "best_response" else {}
            return solvers.solve(game, question.solver, at, **options)
        if question.solver in ("backward_induction", "retrograde", "value_iteration", "policy_iteration"):
            given: dict[str, Any] = {
                name: value == "true" if name == "exact" else float(value) for name, value in question.options
            }
            return solvers.solve(game, question.solver, at, **given)
        entry, found = search_described(question.description, game)
        return entry.load()(game, at, **found)

    # ------------------------------------------------------------------------------ what is true

    def whose(self, question: Question) -> int:
        """The player whose play is asked for where it is one player's: who moves, or the first."""
        first = self.graph.starts[0][1] if question.at is None else question.at
        return max(self.graph.places[first].owner, 0)

    def expected(self, question: Question, me: int | None = None) -> Expected | None:
        """None where nothing is claimed that could be true or false."""
        graph, truth, players = self.graph, self.truth, len(self.graph.players)
        roots = [place for _, place in graph.starts] if question.at is None else [question.at]
        owner = graph.places[roots[0]].owner
        me = self.whose(question) if me is None else me
        if question.solver == "flat_monte_carlo":
            return None
        agents = dict(question.options).get("agents")
        tables: list[Sequence[Real] | None]
        if question.solver == "policy_evaluation" or agents == 2**players - 1:
            tables = [truth.stake("chain", player) for player in range(players)]
        elif agents is not None:
            me = next(p for p in range(players) if not agents >> p & 1)
            tables = [truth.stake("uniform", p) if p == me else None for p in range(players)]
        elif question.solver in ("expectimax", "best_response"):
            tables = [truth.stake("uniform", p) if p == me else None for p in range(players)]
        elif question.solver == "paranoid":
            tables = [truth.stake("duel", p) if p == me else None for p in range(players)]
            if players == 2 and graph.opposed:
                tables = [truth.stake("duel", p) for p in range(players)]
        elif truth.values is None:
            return None
        else:
            tables = [[value[p] for value in truth.values] for p in range(players)]
        values = tuple(
            None if table is None else truth.at_start(table) if question.at is None else table[question.at]
            for table in tables
        )
        if all(value is None for value in values):
            return None
        worths: dict[str, Real] = {}
        if len(roots) == 1 and owner >= 0 and (own := tables[owner]) is not None:
            names = [choice.name for choice in graph.places[roots[0]].choices]
            worths = dict(zip(names, truth.of_choices(roots[0], own, owner), strict=True))
        return Expected(values, worths)

    def wrongly_refused(self, question: Question, code: str) -> str | None:
        """Why a refusal is wrong; None where it is due."""
        graph, solver = self.graph, question.solver
        roots = [place for _, place in graph.starts] if question.at is None else [question.at]
        if code == "R001":
            met = meets(graph, self.drawn.text, solver)
            return f"{solver} has all that it needs" if met else None
        options = dict(question.options)
        if code == "R003" and {"transpositions", "null_move", "beam"} & set(options):
            return None
        if code != "R002":
            return f"a refusal {code} that nothing explains"
        if self.pays_for_ever(question) and not self.worth_something(question):
            return None
        if self.expected(question) is None and question.solver not in ("mcts", "flat_monte_carlo"):
            return None
        cyclic = graph.cyclic(roots)
        searches = question.by == "search" or solver in TO_THE_END
        if searches and ((cyclic and not question.limited) or graph.chance_goes_round(roots)):
            return None
        if solver == "chosen" and cyclic and not self.duel(question) and question.by == "solve":
            return None  # interests happen to be opposed, but the rules do not show it
        if solver in WITHOUT_REPEATS and cyclic:
            return None
        return "refused, but the value is clear"

    def duel(self, question: Question) -> bool:
        """Whether there is one player, or two whom the text or the checker shows to be opposed."""
        proven = self.games[question.engine].traits.zero_sum
        return opposed(self.graph, self.drawn.text) or (proven and len(self.graph.players) == 2)

    def worth_something(self, question: Question) -> bool:
        """Whether `gdl solve` chose how to solve a game of one or of opposed interests that has a value."""
        if question.by != "solve" or question.solver != "chosen" or "agents" in dict(question.options):
            return False
        expected = self.expected(question) if self.duel(question) else None
        return expected is not None and all(v is not None and isfinite(v) for v in expected.values)

    def pays_for_ever(self, question: Question) -> bool:
        """Whether rewards can be collected for ever: then sums need not exist, though some values do."""
        against = question.solver in ("best_response", "expectimax") or "agents" in dict(question.options)
        which = "uniform" if against else "chain" if question.solver == "policy_evaluation" else "duel"
        return self.truth.pays_for_ever(which)

    # ------------------------------------------------------------------------------ judging

    def judge_result(self, question: Question, result: Any) -> None:
        values = [None if value is None else _said(value) for value in result.values]
        moves = [
            Move(move.text, None if move.value is None else _said(move.value), move.best)
            for move in result.moves
        ]
        starred = [move.name for move in moves if move.best]
        if moves and result.line and result.line[0].move not in starred:
            self.complain(question, "line", f"begins with {result.line[0].move}, best moves {starred}")
        expected = self.expected(question)
        self.judge_values(question, values, expected)
        self.judge_moves(question, moves, expected, result.kind)
        for player, value in enumerate(result.values):
            if value is not None:
                self.judge_text(question, value, None if expected is None else expected.values[player])
        for move in result.moves:
            if move.value is not None:
                true = None if expected is None else expected.worths.get(move.text)
                self.judge_text(question, move.value, true)
        if result.policy is not None and expected is not None:
            self.judge_policy(question, result.policy, result.kind)

    def judge_values(
        self,
        question: Question,
        values: Sequence[Said | Claim | None],
        expected: Expected | None,
        start: bool = True,
    ) -> None:
        bounds = self.games[question.engine].traits.value_bounds
        for player, value in enumerate(values):
            true = None if expected is None else expected.values[player]
            if value is not None:
                name = self.graph.players[player]
                self.judge_value(question, name, value, true, bounds[player], start)

    def judge_value(
        self,
        question: Question,
        what: str,
        value: Said | Claim,
        true: Real | None,
        bounds: tuple[Any, Any] = (-inf, inf),
        start: bool = False,
    ) -> None:
        """One number against the truth; a value of the start must be finite, or refused."""
        if isinstance(value, Claim):
            if value.proven and true is not None and not value.holds(true):
                self.complain(question, "text", f"{what}: printed {_show(value)}, true {_number(true)}")
            if start and value.low == value.high and not isfinite(value.low):
                self.complain(question, "not finite", f"{what}: {_show(value)}")
            return
        numbers = [value.number] if value.kind == "estimate" else []
        numbers += [] if value.kind != "exact" else [value.number]
        if value.kind == "exact" and value.number == true and not start:
            return  # rewards without end may be that: exactly, and away from where the game starts
        if any(number is not None and not isfinite(number) for number in numbers) or any(
            number != number for number in (value.low, value.high) if number is not None
        ):
            self.complain(question, "not finite", f"{what}: {value}")
            return
        if value.kind == "exact" and true is not None and Fraction(value.number) != true:
            self.complain(question, "exact", f"{what}: exact {_number(value.number)}, true {_number(true)}")
        low, high = value.low, value.high
        if value.kind == "bounded" and true is not None:
            low, high = -inf if low is None else low, inf if high is None else high
            if not low <= true <= high:
                self.complain(
                    question, "bounds", f"{what}: {_number(low)} to {_number(high)}, true {_number(true)}"
                )
        if value.kind == "estimate":
            room = 1e-9 * max([1.0, *(abs(float(b)) for b in bounds if isfinite(b))])
            if not bounds[0] - room <= value.number <= bounds[1] + room:
                self.complain(
                    question, "outside", f"{what}: about {value.number}, but no value is outside {bounds}"
                )
            if question.solver == "mcts" and low is not None:
                self.complain(question, "interval", f"{what}: {value}: a growing tree has no interval")

    def judge_moves(
        self, question: Question, moves: Sequence[Move], expected: Expected | None, kind: str
    ) -> None:
        if not moves:
            return
        if not any(move.best for move in moves):
            self.complain(question, "no best move", str([move.name for move in moves]))
        if expected is None or not expected.worths:
            return
        if question.by == "python" and [move.name for move in moves] != list(expected.worths):
            self.complain(question, "moves", f"{[m.name for m in moves]}, true {list(expected.worths)}")
            return
        for move in moves:
            if move.value is not None and move.name in expected.worths:
                self.judge_value(question, f"move {move.name}", move.value, expected.worths[move.name])
        named = {move.name for move in moves if move.best}
        whole = question.solver in ("backward_induction", "retrograde", "value_iteration", "policy_iteration")
        whole = whole or question.solver == "best_response" or question.by == "solve"
        missing = expected.best - named
        # Under a limit a search may leave open what another move is worth; the command has one of its own,
        # which ends searches where plays go round.
        roots = [place for _, place in self.graph.starts] if question.at is None else [question.at]
        limited = question.limited or (question.by == "search" and self.graph.cyclic(roots))
        if not whole and limited:
            missing -= {m.name for m in moves if not isinstance(m.value, Said) or m.value.kind != "exact"}
        if kind == "exact":
            doubtful = {m.name for m in moves if isinstance(m.value, Said) and m.value.kind == "bounded"}
            if named - expected.best - doubtful or missing:
                self.complain(question, "best", f"best {sorted(named)}, true {sorted(expected.best)}")
        elif kind == "bounded" and whole and missing:
            self.complain(question, "best", f"best {sorted(named)}, true {sorted(expected.best)}")
        if kind in ("exact", "bounded"):
            floor = max((_low(move.value) for move in moves), default=-inf)
            for move in moves:
                if move.best and move.value is not None and _high(move.value) < floor:
                    self.complain(question, "best", f"{move.name} is named best and proven worse: {moves}")

    def judge_policy(self, question: Question, policy: Any, kind: str) -> None:
        """What a solver of whole games says of every position."""
        engine = question.engine
        roots = [place for _, place in self.graph.starts] if question.at is None else [question.at]
        me = self.whose(question)
        for place in self.graph.reachable(roots):
            here = replace(question, at=place)
            expected = self.expected(here, me)
            owner = self.graph.places[place].owner
            if expected is None or owner in (CHANCE, OVER):
                continue
            if question.solver == "best_response" and owner != me:
                continue
            position = self.positions[engine][place]
            values = [_said(value) for value in policy.value(position)]
            if len(values) == len(self.graph.players):
                self.judge_values(here, values, expected, start=False)
            named = {self.games[engine].format_move(move) for move in policy.best(position)}
            exact = kind == "exact" and all(value.kind == "exact" for value in values)
            in_floats = question.solver == "value_iteration" or ("exact", "false") in question.options
            exact = exact and not in_floats  # where bounds of moves overlap, both
            wrong = named != expected.best if exact else not expected.best <= named
            if question.solver == "retrograde":  # of the best moves those that get on
                wrong = not named or not named <= expected.best
            if any(value.kind == "estimate" for value in values):
                wrong = not named
            if expected.worths and wrong:
                self.complain(here, "policy", f"policy {sorted(named)}, true {sorted(expected.best)}")

    def judge_text(self, question: Question, value: Any, true: Real | None) -> None:
        """A value as text: it may say less than the value, not more, and nothing that is not true."""
        text = str(value)
        try:
            claim = claim_of(text)
        except Unreadable as error:
            self.complain(question, "unreadable", str(error))
            return
        if claim.proven and value.kind == "estimate":
            self.complain(question, "text", f"`{text}` hides that {_said(value)} is an estimate")
        elif claim.proven and true is not None and not claim.holds(true):
            self.complain(question, "text", f"`{text}`, true {_number(true)}")

    # ------------------------------------------------------------------------------ commands

    def judge_command(self, question: Question) -> None:
        cold = {"GDL_COMPILE": "never"} if ("cold", "true") in question.options else {}
        with mock.patch.dict(os.environ, cold):
            code, out, err = run_gdl(self.command(question), self.drawn.text)
        if code == 1:
            found = re.search(r"[AREVS]\d{3}", err) or re.search(r'"code": "([A-Z]\d{3})"', out)
            raise Refused((found[0] if found else "?").replace('"code": ', "").strip('"'), (err or out)[:300])
        if code != 0:
            self.complain(question, "crash", f"exit code {code}: {err[-300:]}")
            return
        expected = self.expected(question)
        if question.as_json:
            self.judge_json(question, strict_json(out), expected)
        else:
            self.judge_printed(question, out, expected)

    def command(self, question: Question) -> list[str]:
        """The command line of a question."""
        words = [question.by, str(self.file), "--engine", question.engine]
        for name, value in question.options:
            if name == "cold":
                continue
            if name == "exact":
                words.append("--exact")
            elif name == "agents":
                names = [p for i, p in enumerate(self.graph.players) if value >> i & 1]
                words += [word for name in names for word in ("--agent", f"{name}=random")]
            else:
                words += [f"--{name}", str(value)]
        if question.at is not None:
            words += ["--at", self.graph.names[question.at]]
        if question.solver != "chosen":
            leaf = f"(leaf={question.leaf})" if question.leaf else ""
            words += ["--solver", question.solver + leaf]
        return words + (["--json"] if question.as_json else [])

    def judge_json(self, question: Question, data: Any, expected: Expected | None) -> None:
        values = [None if each is None else _of_json(each) for each in data["values"].values()]
        if ("exact", "true") in question.options and data["kind"] != "exact":
            self.complain(question, "no fraction", f"--exact was answered by {data['values']}")
        self.judge_values(replace(question, solver=data["solver"]), values, expected)
        moves = [
            Move(
                move["move"],
                None if move["value"] is None else _of_json(move["value"]),
                move["best"],
            )
            for move in data["moves"]
        ]
        self.judge_moves(question, moves, self.for_moves(expected, moves), data["kind"])

    def judge_printed(self, question: Question, out: str, expected: Expected | None) -> None:
        sections = _sections(out)
        shown = next((rows for title, rows in sections if title.startswith("value")), None)
        if shown is None and question.limited and "UCT with" in out:
            return  # a few simulations may tell nothing
        if shown is None:
            self.complain(question, "unreadable", f"no value in:\n{out}")
            return
        for name, text in shown:
            if name in self.graph.players:
                true = None if expected is None else expected.values[self.graph.players.index(name)]
                self.judge_value(question, name, claim_of(text), true, start=True)
                if ("exact", "true") in question.options and "±" in text:
                    self.complain(question, "no fraction", f"--exact was answered by {text}")
        mover, rows = next(
            ((title.split()[2], rows) for title, rows in sections if title.startswith("moves of")), ("", [])
        )
        moves = []
        for name, text in rows:
            worth = re.split(r"\s{3,}", text)[0]
            if own := re.search(rf"(?:^|, ){mover} +([^,]+)", worth):
                worth = own[1]  # one number per player
            value = None if worth.startswith(("?", "not ", "no better")) else claim_of(worth)
            moves.append(Move(name.removeprefix("* ").strip(), value, name.startswith("* ")))
        proven = all(
            isinstance(m.value, Claim) and m.value.proven and m.value.low == m.value.high for m in moves
        )
        bounded = all(isinstance(m.value, Claim) and m.value.proven for m in moves)
        kind = "exact" if proven else "bounded" if bounded else "?"
        self.judge_moves(question, moves, self.for_moves(expected, moves), kind)
        if "UCT with" in out and "95 %" in "".join(text for _, text in [*shown, *rows]):
            self.complain(question, "interval", f"a growing tree has no interval:\n{out}")

    @staticmethod
    def for_moves(expected: Expected | None, moves: Iterable[Move]) -> Expected | None:
        """The truth about moves, where the answer names those that it should."""
        names = [move.name for move in moves]
        return expected if expected is not None and set(names) == set(expected.worths) else None


def run_gdl(words: Sequence[str], text: str) -> tuple[int, str, str]:
    """The program in this process, on the game of a text: exit code, standard output, standard error."""
    from gdl.cli import BUG

    loading: Any = import_module("gdl.loading")
    made, read = loading.game_of, loading.load_model

    def kept(model: Any, engine: str = "reference") -> Any:
        return games_of(text)[engine] if model.source.text == text else made(model, engine)

    def known(source: Any, params: Any = None) -> Any:
        return games_of(text)["reference"].model if source.text == text else read(source, params)

    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    try:
        loading.game_of, loading.load_model = kept, known
        with redirect_stdout(out), redirect_stderr(err):
            _program()(list(words), prog_name="gdl")
    except SystemExit as leaving:
        code = leaving.code
    except Exception as error:
        return BUG, out.getvalue(), f"{type(error).__name__}: {error}"
    finally:
        loading.game_of, loading.load_model = made, read
    return int(code or 0), out.getvalue(), err.getvalue()


@lru_cache(maxsize=1)
def _program() -> Any:
    """The command line, its options read once."""
    from typer.main import get_command

    from gdl.cli import application

    return get_command(application())


def _sections(out: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles with their two columns."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in out.splitlines():
        if line and not line.startswith(" "):
            found.append((line, []))
        elif found and (match := re.match(r"  ((?:\* |  )?\S+)\s{3,}(\S.*)$", line)):
            found[-1][1].append((match[1] if match[1].startswith("*") else match[1].strip(), match[2]))
    return found


def _said(value: Any) -> Said:
    return Said(value.kind, value.number, value.low, value.high)


def _of_json(data: Any) -> Said:
    exact = data.get("exact")
    if exact in ENDLESS:
        return Said(data["kind"], ENDLESS[exact], ENDLESS[exact], ENDLESS[exact])
    number = Fraction(exact) if exact is not None else data["value"]
    low, high = data.get("low"), data.get("high")
    if number is None:
        number = low if low is not None else high if high is not None else 0
    return Said(data["kind"], number, low, high)


def _low(value: Said | Claim | None) -> Real:
    if value is None or (isinstance(value, Said) and value.kind == "estimate"):
        return -inf
    if isinstance(value, Said) and value.kind == "exact":
        return value.number
    return -inf if value.low is None else value.low


def _high(value: Said | Claim | None) -> Real:
    if value is None or (isinstance(value, Said) and value.kind == "estimate"):
        return inf
    if isinstance(value, Said) and value.kind == "exact":
        return value.number
    return inf if value.high is None else value.high


def _show(claim: Claim) -> str:
    return f"{_number(claim.low)} to {_number(claim.high)}"


def _number(number: Any) -> str:
    if isinstance(number, float):
        return repr(number)
    return f"{number} = {float(number)!r}" if Fraction(number).denominator != 1 else str(number)
