"""One game out of several files: what stands in the game itself replaces what it borrows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gdl.syntax import tree

Items = tuple[tree.Item, ...]


def variant(base: Items, own: Items) -> Items:
    """The items of `game own from base`: those of the base in their order, with what differs in its place,
    then what is new. Expectations of the base stay where `expect all from` asks for them."""
    keeps = any(isinstance(item, tree.ExpectAll) for item in own)
    kept = [item for item in base if keeps or not isinstance(item, tree.Expect)]
    return _replaced(kept, [item for item in own if not isinstance(item, tree.ExpectAll)])


def with_libraries(libraries: Items, own: Items) -> Items:
    """The items of a game together with the declarations of the libraries that it uses."""
    declared = (item for item in libraries if not isinstance(item, tree.Doc))
    return _replaced(declared, [item for item in own if not isinstance(item, tree.Use)])


def base_of(items: Iterable[tree.Item]) -> tree.Name | None:
    """The game that a game is made from."""
    return next((item.base for item in items if isinstance(item, tree.GameName)), None)


def of_a_library(item: tree.Item) -> bool:
    """Whether the item may stand in a library: it declares something that any game can use."""
    return isinstance(item, tree.Doc | tree.Use | tree.TypeItem | tree.Const | tree.Def | tree.Effect)


def _replaced(old: Iterable[tree.Item], new: Iterable[tree.Item]) -> Items:
    """The old items, those that are also among the new ones replaced, and the other new ones behind them."""
    by_key: dict[tuple[str, str], list[tree.Item]] = {}
    for item in new:
        by_key.setdefault(_key(item), []).append(item)
    found: list[tree.Item] = []
    placed: set[tuple[str, str]] = set()
    for item in old:
        key = _key(item)
        if key == _EXPECT or key not in by_key:
            found.append(item)
        elif key not in placed:
            placed.add(key)
            found.extend(_merged(item, also) for also in by_key[key])
    return (*found, *(item for key, items in by_key.items() if key not in placed for item in items))


def _merged(old: tree.Item, new: tree.Item) -> tree.Item:
    """The new item; of a position its variables and those of the old one that it does not mention."""
    if not isinstance(old, tree.PositionItem) or not isinstance(new, tree.PositionItem):
        return new
    by_name: dict[str, list[tree.Variable]] = {}
    for variable in new.variables:
        by_name.setdefault(variable.name.id, []).append(variable)
    found = [v for variable in old.variables for v in by_name.pop(variable.name.id, [variable])]
    return replace(new, variables=(*found, *(v for more in by_name.values() for v in more)))


_EXPECT = ("expect", "")


def _key(item: tree.Item) -> tuple[str, str]:
    """What an item is to a game: no two items with the same key are part of it (but `expect`s)."""
    match item:
        case tree.Param() | tree.Const() | tree.Def() | tree.Feature():
            return "value", item.name.id
        case tree.TypeItem() | tree.Effect() | tree.Move() | tree.Policy():
            return type(item).__name__, item.name.id
        case tree.Section():
            return item.keyword, ""
        case tree.Expect():
            return _EXPECT
    return type(item).__name__, ""
