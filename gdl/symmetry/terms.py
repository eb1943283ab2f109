"""Expressions over the atoms of a position, each kept once, in a form that does not depend on order.

An *atom* is a number of the position: an element of a variable, a field of one that is a record, or a bit
of one that is a set. Two terms with the same number are equal in every position; terms that are equal in
every position may have different numbers, so what is concluded from equal numbers is proven, and what is
not concluded is only unproven.

    term                     key
    constant                 ("const", kind, value)
    atom                     ("atom", a)
    a function of one term   ("case", term, ((value, term), ..))      one entry for each value it can have
    a relation of two        ("pair", one, other, ((value, ((value, constant), ..)), ..))
    what a set reaches       ("reach", graph, (start, within)), of which the graph is ("graph", edges): a
    node of it is
                             known by whether it is a start and whether it may be walked on
    and, or, +, *, ..        (operation, terms in order of their numbers)
    <, div, ..               (operation, terms in the order of the text)

Sums are kept as coefficients, conditions on one atom as cases, so that `not (x == 1)` and `x == 0` are the
same term where x is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Term = int
Node = tuple[Term, Term]


class _Nowhere:
    """The value of what is proven never to be asked, whatever the position: any value would do, but one that
    permutations leave alone is wanted."""

    def __repr__(self) -> str:
        return "NOWHERE"


NOWHERE = _Nowhere()

SMALL = 256
"""Functions of an atom with more values than this are not tabulated."""

STEPS = 10
"""Steps of work allowed for each term allowed."""

PAIRS = 4096
"""Relations of two atoms with more combinations than this neither."""


class TooLarge(Exception):
    """The rules are too large to be written out."""


class Terms:
    """All terms about positions whose atoms have these values; at most `limit` of them."""

    def __init__(self, domains: Sequence[Sequence[Any] | None], limit: int):
        self.domains = domains
        self._limit = limit
        self._numbers: dict[Any, Term] = {}
        self._pushed: dict[Any, Term] = {}  # questions about terms that were answered once
        self._steps = 0
        self.keys: list[Any] = []
        self.false, self.true = self.const(False), self.const(True)
        self.zero, self.one = self.const(0), self.const(1)
        self.nowhere = self.const(NOWHERE)

    def _number(self, key: Any) -> Term:
        found = self._numbers.get(key)
        if found is None:
            if len(self.keys) >= self._limit:
                raise TooLarge
            found = self._numbers[key] = len(self.keys)
            self.keys.append(key)
        return found

    def work(self, work: int = 1) -> None:
        """Counts work, so that rules that grow without end when written out are given up."""
        self._steps += work
        if self._steps > STEPS * self._limit:
            raise TooLarge

    # ------------------------------------------------------------------------------ leaves

    def const(self, value: Any) -> Term:
        kind = "truth" if isinstance(value, bool) else "number"
        if isinstance(value, Fraction) and value.denominator == 1:
            value = value.numerator
        return self._number(("const", kind, value))

    def atom(self, number: int) -> Term:
        return self._number(("atom", number))

    def is_const(self, term: Term) -> bool:
        return bool(self.keys[term][0] == "const")

    def value(self, term: Term) -> Any:
        return self.keys[term][2]

    # ------------------------------------------------------------- functions of an atom

    def table(self, term: Term) -> tuple[Term, dict[Any, Any]] | None:
        """A term as a function of one atom: the atom, and the result for each of its values."""
        key = self.keys[term]
        if key[0] == "atom":
            domain = self.domains[key[1]]
            if domain is not None and len(domain) <= SMALL:
                return term, {value: value for value in domain}
        elif key[0] == "+" and len(key[1]) == 1:
            ((inner, factor),) = key[1]
            known = self.table(inner)
            if known is not None:
                return known[0], {
                    value: NOWHERE if result is NOWHERE else factor * result + key[2]
                    for value, result in known[1].items()
                }
        elif key[0] == "case" and self.keys[key[1]][0] == "atom":
            entries = dict(key[2])
            if all(self.is_const(entry) for entry in entries.values()):
                return key[1], {value: self.value(entry) for value, entry in entries.items()}
        return None

    def case(self, term: Term, entries: Mapping[Any, Term]) -> Term:
        """The entry for the value that a term has."""
        key = self.keys[term]
        if key[0] == "const":
            return entries.get(key[2], self.nowhere)
        self.work(len(entries))
        if key[0] in ("ite", "case"):
            question = (term, tuple(sorted(entries.items())))
            if question not in self._pushed:
                self._pushed[question] = self._case_inside(key, entries)
            return self._pushed[question]
        if key[0] == "+" and (known := self.table(term)) is not None:
            rest = self.nowhere  # where a sum is out of reach of the entries
            return self.case(known[0], {v: entries.get(result, rest) for v, result in known[1].items()})
        domain = self.domains[key[1]] if key[0] == "atom" else None
        if domain is not None:
            entries = {value: entries.get(value, self.nowhere) for value in domain}
        if len(set(entries.values())) == 1:
            return next(iter(entries.values()))
        if all(self.is_const(e) and _same(self.value(e), value) for value, e in entries.items()):
            return term
        return self._number(("case", term, tuple(sorted(entries.items()))))

    def _case_inside(self, key: Any, entries: Mapping[Any, Term]) -> Term:
        if key[0] == "ite":
            _, condition, then, otherwise = key
            return self.ite(condition, self.case(then, entries), self.case(otherwise, entries))
        return self.case(key[1], {value: self.case(entry, entries) for value, entry in key[2]})

    def mapped(self, term: Term, function: Callable[[Any], Any], values: Iterable[Any]) -> Term:
        """A function of a term that can have these values."""
        return self.case(term, {value: self.const(function(value)) for value in values})

    def pair(self, one: Term, other: Term, given: Callable[[Any, Any], Any]) -> Term | None:
        """A function of two terms that are functions of one atom each; None where they are not, or too
        many.
        """
        a, b = self.table(one), self.table(other)
        if self.is_const(one):
            a = (one, {self.value(one): self.value(one)})
        if self.is_const(other):
            b = (other, {self.value(other): self.value(other)})
        if a is None or b is None:
            return None
        (x, f), (y, g) = a, b

        def function(a: Any, b: Any) -> Any:
            return NOWHERE if a is NOWHERE or b is NOWHERE else given(a, b)

        if self.is_const(x):
            (c,) = f.values()
            return self.mapped(y, lambda v: function(c, g[v]), g)
        if self.is_const(y):
            (c,) = g.values()
            return self.mapped(x, lambda u: function(f[u], c), f)
        if x == y:
            return self.mapped(x, lambda u: function(f[u], g[u]), f)
        if len(f) * len(g) > PAIRS:
            return None
        return self._relation(x, y, {(u, v): function(f[u], g[v]) for u in f for v in g})

    def _relation(self, x: Term, y: Term, results: Mapping[tuple[Any, Any], Any]) -> Term:
        """Of two different atoms."""
        if y < x:
            x, y, results = y, x, {(v, u): result for (u, v), result in results.items()}
        rows: dict[Any, dict[Any, Any]] = {}
        for (u, v), result in results.items():
            rows.setdefault(u, {})[v] = result
        first, *others = rows.values()
        if all(row == first for row in others):
            return self.mapped(y, lambda v: first[v], first)
        if all(len(set(row.values())) == 1 for row in rows.values()):
            return self.mapped(x, lambda u: next(iter(rows[u].values())), rows)
        table = tuple(sorted((u, tuple(sorted(row.items()))) for u, row in rows.items()))
        return self._number(("pair", x, y, table))

    # -------------------------------------------------------------------------- conditions

    def not_(self, term: Term) -> Term:
        question = ("not", term)
        if question not in self._pushed:
            self._pushed[question] = self._not(term)
        return self._pushed[question]

    def _not(self, term: Term) -> Term:
        self.work()
        key = self.keys[term]
        if key[0] == "const":
            return self.const(key[2] is False)
        if key[0] == "not":
            return int(key[1])
        if key[0] == "and":
            return self.any(self.not_(part) for part in key[1])
        if key[0] == "or":
            return self.all(self.not_(part) for part in key[1])
        if key[0] == "case":
            return self.case(key[1], {value: self.not_(entry) for value, entry in key[2]})
        if key[0] == "pair":
            results = {(u, v): result is False for u, row in key[3] for v, result in row}
            return self._relation(key[1], key[2], results)
        if key[0] == "atom":
            return self.mapped(term, lambda value: not value, (False, True))
        return self._number(("not", term))

    def all(self, parts: Iterable[Term]) -> Term:
        """True where all are: a conjunction, its conditions on one atom joined."""
        return self._joined(parts, "and", self.true, self.false)

    def any(self, parts: Iterable[Term]) -> Term:
        return self._joined(parts, "or", self.false, self.true)

    def _joined(self, parts: Iterable[Term], word: str, neutral: Term, absorbing: Term) -> Term:
        both = word == "and"
        found: set[Term] = set()
        tests: dict[Term, dict[Any, bool]] = {}
        waiting = list(parts)
        while waiting:
            self.work()
            term = waiting.pop()
            key = self.keys[term]
            if term == absorbing:
                return absorbing
            if term == neutral:
                continue
            if term == self.nowhere:
                waiting.append(self.false)
                continue
            if key[0] == word:
                waiting.extend(key[1])
                continue
            test = self.table(term)
            if test is None:
                found.add(term)
                continue
            atom, results = test[0], {value: result is True for value, result in test[1].items()}
            known = tests.get(atom)
            if known is not None:
                results = {
                    value: (known[value] and result) if both else (known[value] or result)
                    for value, result in results.items()
                }
            tests[atom] = results
        for atom, results in tests.items():
            term = self.mapped(atom, results.__getitem__, results)
            if term == absorbing:
                return absorbing
            if term != neutral:
                found.add(term)
        if any(self.not_(term) in found for term in found if self.keys[term][0] == "not"):
            return absorbing
        if not found:
            return neutral
        return found.pop() if len(found) == 1 else self._number((word, tuple(sorted(found))))

    def ite(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """`then` where the condition holds, else `otherwise`."""
        key = self.keys[condition]
        if key[0] == "const":
            return then if key[2] is True else otherwise
        if then == otherwise:
            return then
        if key[0] == "not":
            return self.ite(key[1], otherwise, then)
        if then == self.true:
            return self.any([condition, otherwise])
        if then == self.false:
            return self.all([self.not_(condition), otherwise])
        if otherwise == self.true:
            return self.any([self.not_(condition), then])
        if otherwise == self.false:
            return self.all([condition, then])
        test = self.table(condition)
        if test is not None:
            holds = {value: result is True for value, result in test[1].items()}
            return self._split(test[0], holds, then, otherwise)
        return self._number(("ite", condition, then, otherwise))

    def _split(self, atom: Term, results: Mapping[Any, bool], then: Term, otherwise: Term) -> Term:
        """A choice by the value of an atom; a branch that asks for the same atom knows the answer."""

        def known(term: Term, value: Any) -> Term:
            key = self.keys[term]
            if key[0] == "case" and key[1] == atom:
                return dict(key[2])[value]  # type: ignore[no-any-return]
            return self.const(value) if term == atom else term

        return self.case(
            atom, {value: known(then if holds else otherwise, value) for value, holds in results.items()}
        )

    def equal(self, one: Term, other: Term) -> Term:
        if one == other:
            return self.true
        question = ("==", min(one, other), max(one, other))
        if question not in self._pushed:
            self._pushed[question] = self._equal(one, other)
        return self._pushed[question]

    def _equal(self, one: Term, other: Term) -> Term:
        self.work()
        found = self.pair(one, other, lambda a, b: a == b)
        if found is not None:
            return found
        for term, against in ((one, other), (other, one)):
            key = self.keys[term]
            if key[0] == "ite":
                return self.ite(key[1], self.equal(key[2], against), self.equal(key[3], against))
            if key[0] == "case" and self.is_const(against):
                return self.case(key[1], {value: self.equal(entry, against) for value, entry in key[2]})
        return self._number(("==", tuple(sorted((one, other)))))

    def less(self, one: Term, other: Term) -> Term:
        found = self.pair(one, other, lambda a, b: a < b)
        return self._number(("<", (one, other))) if found is None else found

    # ----------------------------------------------------------------------------- numbers

    def sum(self, parts: Iterable[tuple[Term, Any]]) -> Term:
        """The sum of terms with coefficients."""
        self.work()
        constant: Any = 0
        found: dict[Term, Any] = {}
        for term, factor in parts:
            key = self.keys[term]
            if term == self.nowhere:
                return term
            if key[0] == "const":
                constant += factor * key[2]
            elif key[0] == "+":
                constant += factor * key[2]
                for inner, inside in key[1]:
                    found[inner] = found.get(inner, 0) + factor * inside
            else:
                found[term] = found.get(term, 0) + factor
        left = {term: factor for term, factor in found.items() if factor}
        if not left:
            return self.const(constant)
        if len(left) == 1:
            ((term, factor),) = left.items()
            if factor == 1 and constant == 0:
                return term
        return self._number(("+", tuple(sorted(left.items())), constant))

    def count(self, conditions: Iterable[Term]) -> Term:
        return self.sum((self.ite(condition, self.one, self.zero), 1) for condition in conditions)

    def product(self, one: Term, other: Term) -> Term:
        for term, against in ((one, other), (other, one)):
            if self.is_const(term):
                return self.sum([(against, self.value(term))])
        return self._number(("*", tuple(sorted((one, other)))))

    def unordered(self, word: str, parts: Iterable[Term]) -> Term:
        """An operation whose operands may be in any order, once or often: min, max."""
        found = set(parts)
        return found.pop() if len(found) == 1 else self._number((word, tuple(sorted(found))))

    def ordered(self, word: str, *parts: Any) -> Term:
        """Any other operation."""
        return self._number((word, parts))

    # ----------------------------------------------------------------------------- reaching

    def reached(self, nodes: Sequence[Node], edges: Iterable[tuple[int, int, Term]]) -> list[Term]:
        """For each node, given as (whether it is a start, whether it may be walked on), whether it is
        walked on from a start; an edge leads from one node to another where its condition holds."""
        open_ = {k for k, (_, within) in enumerate(nodes) if within != self.false}
        led = [(a, b, where) for a, b, where in edges if a in open_ and b in open_ and where != self.false]
        ends = {end for a, b, _ in led for end in (a, b)}
        if len({nodes[k] for k in ends}) != len(ends):
            raise TooLarge  # nodes that cannot be told apart
        graph = self._number(("graph", tuple(sorted({(nodes[a], nodes[b], where) for a, b, where in led}))))
        return [
            self._number(("reach", graph, node)) if k in ends else self.all(node)
            for k, node in enumerate(nodes)
        ]

    def _graph_renamed(self, key: Any, known: Mapping[Term, Term]) -> Term:
        edges = [
            ((known[a], known[b]), (known[c], known[d]), known[where]) for (a, b), (c, d), where in key[1]
        ]
        return self._number(("graph", tuple(sorted(edges))))

    # ------------------------------------------------------------------------ other atoms

    def renamed(self, atoms: Mapping[int, Term], known: dict[Term, Term], term: Term) -> Term:
        """The term with other terms in place of its atoms. `known` keeps what was renamed so far."""
        waiting = [term]
        while waiting:
            self.work()
            top = waiting[-1]
            if top in known:
                waiting.pop()
                continue
            missing = [part for part in self._parts(top) if part not in known]
            if missing:
                waiting.extend(missing)
                continue
            known[top] = self._rebuilt(top, atoms, known)
            waiting.pop()
        return known[term]

    def _parts(self, term: Term) -> Sequence[Term]:
        key = self.keys[term]
        match key[0]:
            case "const" | "atom":
                return ()
            case "case":
                return (key[1], *(entry for _, entry in key[2]))
            case "pair":
                return key[1:3]  # type: ignore[no-any-return]
            case "not":
                return (key[1],)
            case "ite":
                return key[1:]  # type: ignore[no-any-return]
            case "+":
                return [part for part, _ in key[1]]
            case "graph":
                return [part for one, other, where in key[1] for part in (*one, *other, where)]
            case "reach":
                return (key[1], *key[2])
            case _:
                return key[1]  # type: ignore[no-any-return]

    def _rebuilt(self, term: Term, atoms: Mapping[int, Term], known: Mapping[Term, Term]) -> Term:
        key = self.keys[term]
        match key[0]:
            case "const":
                return term
            case "atom":
                return atoms.get(key[1], term)
            case "case":
                return self.case(known[key[1]], {value: known[entry] for value, entry in key[2]})
            case "pair":
                results = {(u, v): result for u, row in key[3] for v, result in row}
                found = self.pair(known[key[1]], known[key[2]], lambda u, v: results[u, v])
                assert found is not None, "atoms are renamed to functions of atoms"
                return found
            case "and":
                return self.all(known[part] for part in key[1])
            case "or":
                return self.any(known[part] for part in key[1])
            case "not":
                return self.not_(known[key[1]])
            case "ite":
                return self.ite(*(known[part] for part in key[1:]))
            case "+":
                return self.sum([*((known[part], factor) for part, factor in key[1]), (self.one, key[2])])
            case "*":
                one, other = (known[part] for part in key[1])
                return self.product(one, other)
            case "==":
                one, other = (known[part] for part in key[1])
                return self.equal(one, other)
            case "<":
                one, other = (known[part] for part in key[1])
                return self.less(one, other)
            case "graph":
                return self._graph_renamed(key, known)
            case "reach":
                start, within = (known[part] for part in key[2])
                return self._number(("reach", known[key[1]], (start, within)))
            case "min" | "max":
                return self.unordered(key[0], (known[part] for part in key[1]))
            case _:
                return self.ordered(key[0], *(known[part] for part in key[1]))


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
