"""The tree of Monte Carlo tree search in flat arrays, and the kernel that simulates plays in it.

    node n            form[n], mover[n]; edges  first[n] .. first[n] + count[n]  once it is expanded
    edge e            move[e] leads to the node child[e] (-1: not yet); plays[e], total[e], squares[e]

Players and chance move in nodes. A move that draws leads to a node of its own kind, DRAW, with the position
before the move and one edge per outcome: chance nodes are explicit. A node is made by one simulation, which
plays on from it at random, and expanded by the next.

Everything follows the textbook version (solvers/mcts.py): UCT selection, chance sampled among what is not
proven, proven moves that are selected pay their value while the walk goes on with another, proofs by the end
of the game and by the bounds of the utilities.

Several threads may share a tree. Then statistics are added atomically, and an edge on the way down counts as
lost until its play is known ("virtual loss": Chaslot, Winands & van den Herik 2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from solvers.kernels.calls import (
    atomic_add_f64,
    atomic_add_i32,
    atomic_add_i64,
    call_i32_p,
    call_i32_pipp,
    call_i32_ppip,
    call_i64_pipipp,
    call_i64_ppi,
    compare_and_swap_i32,
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    load_f64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
)
from solvers.kernels.rules import (
    CAPACITY,
    CHANCE,
    TERMINAL,
    Rules,
    hash_form,
    may_draw,
    play_on,
    random_below,
    random_fraction,
    same_form,
    utility,
)

DRAW = -3
"""The mover of a node in which a move has been chosen and chance decides what it does."""

NONE, BUSY = -1, -2
"""In `child` and `first`: not there yet, and being made by another thread."""

# Why the kernel stopped.
DONE, PROVEN, FULL, MORE_MOVES, MORE_OUTCOMES, FAULT = range(6)

# Places in `counters`.
NODES, EDGES, SIMULATIONS, VISITED = range(4)

LONGEST_PATH = 1 << 14
"""A walk down the tree that is longer plays on at random from where it is."""


class Tree(NamedTuple):
    """See above. Values are in columns, `columns` of them for each node and edge."""

    counters: Any  # i64[4]
    seen: Any  # f64[2 * players]: the least and the most that was paid, where there are no bounds
    form: Any  # u8[nodes * size of a form]
    mover: Any  # i8
    drawn: Any  # i64: the move of a DRAW node
    first: Any  # i32
    count: Any  # i32
    tried: Any  # i32: edges that selection has begun with
    open: Any  # i32: edges that are not settled
    visits: Any  # i32
    proven: Any  # u8
    worth: Any  # f64, per column: what a proven node pays
    move: Any  # i64: the number of a move, or of an outcome
    child: Any  # i32
    plays: Any  # i32
    settled: Any  # u8: whether the child is proven and has been counted as such
    total: Any  # f64, per column
    squares: Any  # f64, per column
    odds: Any  # f64, the probability of an edge of chance; empty without chance
    reward: Any  # f64, per column; empty without rewards
    slots: Any  # i32: nodes by the hash of their position, + 1; empty without transpositions
    nodes_room: int
    edges_room: int
    slots_room: int


class Options(NamedTuple):
    c: float
    policy: int
    epsilon: float
    depth: int  # of plays beyond the tree, negative for all the way
    widening: float  # outcomes in play at a node of chance: widening * sqrt(visits), all if 0
    threads: int  # that share the tree
    frozen: int  # whether there is no room for more nodes
    roots: Any  # f64[TABULATED]: 1 / sqrt(n)
    logarithms: Any  # f64[TABULATED]: sqrt(ln(n))


TABULATED = 1 << 12
"""Up to this many visits, square roots and logarithms are looked up."""


def tabulated() -> tuple[Any, Any]:
    """The tables of `Options`."""
    n = np.maximum(np.arange(TABULATED, dtype=np.float64), 1.0)
    return 1.0 / np.sqrt(n), np.sqrt(np.log(np.maximum(n, 2.0)))


class Path(NamedTuple):
    """The way down, and what one thread needs to come up again."""

    node: Any  # i32
    edge: Any  # i32
    instead: Any  # i32: the settled edge whose value is paid further up, or -1
    weight: Any  # f64: at chance, the probability of what is not proven
    known: Any  # f64, per column: at chance, what the proven outcomes add
    paid: Any  # f64[columns]
    play: Any  # f64[players]
    rewards: Any  # f64[players]


def tree_of(rules: Rules, nodes: int, edges: int, transpositions: bool) -> Tree:
    """An empty tree with room for so many nodes and edges."""
    k = rules.columns
    slots = 1 << (2 * nodes - 1).bit_length() if transpositions else 0
    chance = edges if rules.outcomes else 0
    return Tree(
        counters=np.zeros(4, np.int64),
        seen=np.concatenate([np.full(rules.players, np.inf), np.full(rules.players, -np.inf)]),
        form=np.empty(nodes * rules.form, np.uint8),
        mover=np.empty(nodes, np.int8),
        drawn=np.empty(nodes if rules.outcomes else 0, np.int64),
        first=np.empty(nodes, np.int32),
        count=np.empty(nodes, np.int32),
        tried=np.empty(nodes, np.int32),
        open=np.empty(nodes, np.int32),
        visits=np.empty(nodes, np.int32),
        proven=np.empty(nodes, np.uint8),
        worth=np.empty(nodes * k),
        move=np.empty(edges, np.int64),
        child=np.empty(edges, np.int32),
        plays=np.empty(edges, np.int32),
        settled=np.empty(edges, np.uint8),
        total=np.empty(edges * k),
        squares=np.empty(edges * k),
        odds=np.empty(chance),
        reward=np.empty(edges * k if rules.pays else 0),
        slots=np.zeros(slots, np.int32),
        nodes_room=nodes,
        edges_room=edges,
        slots_room=slots,
    )


def path_of(rules: Rules) -> Path:
    return Path(
        node=np.empty(LONGEST_PATH, np.int32),
        edge=np.empty(LONGEST_PATH, np.int32),
        instead=np.empty(LONGEST_PATH, np.int32),
        weight=np.empty(LONGEST_PATH),
        known=np.empty(LONGEST_PATH * rules.columns),
        paid=np.empty(rules.columns),
        play=np.empty(rules.players),
        rewards=np.empty(rules.players),
    )


@njit(cache=True, nogil=True)
def simulate(
    rules: Any,
    numbers: Any,
    options: Any,
    tree: Any,
    path: Any,
    room: Any,
    root: Any,
    simulations: Any,
    nodes: Any,
    stop: Any,
) -> Any:
    """Simulates plays from a root until so many are made in the tree, so many nodes are visited, `stop[0]` is
    set, or there is a reason to pause. Gives the reason."""
    columns = rules.columns
    spare_nodes = options.threads * (room.outcomes_room + 2)
    spare_edges = options.threads * max(room.moves_room, room.outcomes_room)
    shared = options.threads > 1
    while True:
        if (
            get_i64(tree.counters, SIMULATIONS) >= simulations
            or get_i64(tree.counters, VISITED) >= nodes
            or get_i8(stop, 0)
        ):
            return DONE
        if get_i8(tree.proven, root):
            return PROVEN
        if not options.frozen and (
            get_i64(tree.counters, NODES) + spare_nodes > tree.nodes_room
            or get_i64(tree.counters, EDGES) + spare_edges > tree.edges_room
        ):
            return FULL
        node = root
        length = 0
        reason = DONE
        while True:
            if get_i8(tree.proven, node):
                for k in range(columns):
                    set_f64(path.paid, k, get_f64(tree.worth, node * columns + k))
                break
            if get_i32(tree.first, node) < 0:
                new = get_i32(tree.visits, node) == 0 and node != root
                if new or options.frozen or length == LONGEST_PATH:
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                reason = _expand(rules, numbers, options, tree, node, room, shared)
                if reason == BUSY:
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                if reason != DONE:
                    break
            set_i32(path.instead, length, NONE)
            if get_i8(tree.mover, node) >= 0:
                edge = _select(rules, numbers, options, tree, node, path, length, room, shared)
            else:
                edge = _draw(rules, numbers, options, tree, node, path, length, room)
            if options.frozen and get_i32(tree.child, edge) < 0:
                reason = _play_out(rules, numbers, options, tree, node, path, room)
                break
            set_i32(path.node, length, node)
            set_i32(path.edge, length, edge)
            length += 1
            if shared:
                _count_as_lost(rules, numbers, tree, node, edge, 1.0)
            child = get_i32(tree.child, edge)
            if child < 0:
                reason = _make_child(rules, numbers, options, tree, node, edge, room, shared)
                if reason == BUSY:
                    length -= 1
                    if shared:
                        _count_as_lost(rules, numbers, tree, node, edge, -1.0)
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                if reason != DONE:
                    break
                child = get_i32(tree.child, edge)
            node = child
        if reason != DONE:
            if shared:
                for i in range(length):
                    _count_as_lost(rules, numbers, tree, get_i32(path.node, i), get_i32(path.edge, i), -1.0)
            return reason
        _back_up(rules, numbers, tree, node, path, length, shared)
        if shared:
            atomic_add_i64(tree.counters + 8 * SIMULATIONS, 1)
            atomic_add_i64(tree.counters + 8 * VISITED, length + 1)
        else:
            set_i64(tree.counters, SIMULATIONS, get_i64(tree.counters, SIMULATIONS) + 1)
            set_i64(tree.counters, VISITED, get_i64(tree.counters, VISITED) + length + 1)


@njit(cache=True, inline="always")
def _play_out(rules: Any, numbers: Any, options: Any, tree: Any, node: Any, path: Any, room: Any) -> Any:
    """Plays on from a node; leaves what was paid, in columns, in path.paid."""
    place = room.form
    copy_bytes(place, tree.form + node * rules.form, rules.form)
    drawn = get_i8(tree.mover, node) == DRAW
    if drawn:
        status = call_i32_pipp(rules.sample, place, get_i64(tree.drawn, node), room.random, path.rewards)
        if status != 0:
            return FAULT
    status = play_on(rules, numbers, options.policy, options.epsilon, options.depth, place, path.play, room)
    if status != 0:
        return MORE_MOVES if status == CAPACITY else FAULT
    for k in range(rules.columns):
        set_f64(path.paid, k, get_f64(path.play, k))
        if drawn:
            set_f64(path.paid, k, get_f64(path.rewards, k) + numbers.discount * get_f64(path.play, k))
    return DONE


@njit(cache=True)
def _outcomes(rules: Any, at: Any, move: Any, room: Any) -> Any:
    return call_i64_pipipp(
        rules.outcomes,
        at,
        move,
        room.records,
        room.outcomes_room,
        room.table,
        room.script,
    )


# ------------------------------------------------------------------------------ growing


@njit(cache=True, inline="always")
def _allocate(tree: Any, counter: Any, amount: Any, shared: Any) -> Any:
    if shared:
        return atomic_add_i64(tree.counters + 8 * counter, amount)
    at = get_i64(tree.counters, counter)
    set_i64(tree.counters, counter, at + amount)
    return at


@njit(cache=True, inline="always")
def new_node(rules: Any, tree: Any, node: Any, at: Any, mover: Any, room: Any) -> Any:
    """Fills a node with the position at an address; gives whether its utility could be computed."""
    copy_bytes(tree.form + node * rules.form, at, rules.form)
    set_i8(tree.mover, node, mover)
    set_i32(tree.first, node, NONE)
    set_i32(tree.count, node, 0)
    set_i32(tree.tried, node, 0)
    set_i32(tree.open, node, 0)
    set_i32(tree.visits, node, 0)
    set_i8(tree.proven, node, 0)
    if mover == TERMINAL:
        if utility(rules, at, room.paid) != 0:
            return False
        for k in range(rules.columns):
            set_f64(tree.worth, node * rules.columns + k, get_f64(room.paid, k))
        set_i8(tree.proven, node, 1)
    return True


@njit(cache=True, inline="always")
def _new_edge(rules: Any, tree: Any, edge: Any, move: Any) -> None:
    set_i64(tree.move, edge, move)
    set_i32(tree.child, edge, NONE)
    set_i32(tree.plays, edge, 0)
    set_i8(tree.settled, edge, 0)
    for k in range(edge * rules.columns, (edge + 1) * rules.columns):
        set_f64(tree.total, k, 0.0)
        set_f64(tree.squares, k, 0.0)
        if rules.pays:
            set_f64(tree.reward, k, 0.0)


@njit(cache=True)
def _expand(rules: Any, numbers: Any, options: Any, tree: Any, node: Any, room: Any, shared: Any) -> Any:
    """Makes the edges of a node: its moves, in random order, or the outcomes of chance."""
    if shared:
        place = tree.first + 4 * node
        if compare_and_swap_i32(place, np.int32(NONE), np.int32(BUSY)) != NONE:
            return BUSY if get_i32(tree.first, node) < 0 else DONE
    at = tree.form + node * rules.form
    if get_i8(tree.mover, node) == DRAW:
        first, reason = _expand_draw(rules, options, tree, node, at, room, shared)
    else:
        first, reason = _expand_moves(rules, tree, node, at, room, shared)
    if shared:
        found = np.int32(first if reason == DONE else NONE)
        compare_and_swap_i32(tree.first + 4 * node, np.int32(BUSY), found)
    elif reason == DONE:
        set_i32(tree.first, node, first)
    return reason


@njit(cache=True)
def _swap_i64(array: Any, i: Any, j: Any) -> None:
    item = get_i64(array, i)
    set_i64(array, i, get_i64(array, j))
    set_i64(array, j, item)


@njit(cache=True)
def _expand_moves(rules: Any, tree: Any, node: Any, at: Any, room: Any, shared: Any) -> Any:
    count = call_i64_ppi(rules.moves, at, room.moves, room.moves_room)
    if count < 0:
        return np.int64(0), FAULT
    if count > room.moves_room:
        return np.int64(0), MORE_MOVES
    by_chance = get_i8(tree.mover, node) == CHANCE
    if by_chance:
        status = call_i32_ppip(rules.weights, at, room.moves, count, room.weights)
        if status != 0:
            return np.int64(0), FAULT
    else:
        for i in range(count - 1, 0, -1):
            j = random_below(room.random, i + 1)
            _swap_i64(room.moves, i, j)
    first = _allocate(tree, EDGES, count, shared)
    used = 0
    for i in range(count):
        if by_chance:
            if get_i64(room.weights, 2 + 2 * i) == 0:
                continue
            odds = get_i64(room.weights, 2 + 2 * i) / get_i64(room.weights, 3 + 2 * i)
            set_f64(tree.odds, first + used, odds / (get_i64(room.weights, 0) / get_i64(room.weights, 1)))
        _new_edge(rules, tree, first + used, get_i64(room.moves, i))
        used += 1
    set_i32(tree.count, node, used)
    set_i32(tree.open, node, used)
    return first, DONE


@njit(cache=True)
def _expand_draw(rules: Any, options: Any, tree: Any, node: Any, at: Any, room: Any, shared: Any) -> Any:
    """One edge per outcome. Without widening the positions they lead to become nodes at once."""
    count = _outcomes(rules, at, get_i64(tree.drawn, node), room)
    if count < 0:
        return np.int64(0), MORE_OUTCOMES if count == -CAPACITY else FAULT
    first = _allocate(tree, EDGES, count, shared)
    for i in range(count):
        record = room.records + i * rules.record
        edge = first + i
        _new_edge(rules, tree, edge, i)
        set_f64(tree.odds, edge, load_f64(record))
    if options.widening > 0.0:
        _order_by_lot(tree, first, count, room)
    for i in range(count):
        edge = first + i
        record = room.records + get_i64(tree.move, edge) * rules.record
        if rules.pays:
            for k in range(rules.columns):
                set_f64(tree.reward, edge * rules.columns + k, load_f64(record + 8 + 8 * k))
        if options.widening == 0.0:
            child = _allocate(tree, NODES, 1, shared)
            mover = call_i32_p(rules.to_move, record + rules.at_form)
            if mover < TERMINAL or not new_node(rules, tree, child, record + rules.at_form, mover, room):
                return np.int64(0), FAULT
            set_i32(tree.child, edge, child)
    set_i32(tree.count, node, count)
    set_i32(tree.open, node, count)
    return first, DONE


@njit(cache=True)
def _order_by_lot(tree: Any, first: Any, count: Any, room: Any) -> None:
    """Puts outcomes into the order in which chance would draw them without putting back."""
    rest = 0.0
    for edge in range(first, first + count):
        rest += get_f64(tree.odds, edge)
    for i in range(first, first + count - 1):
        point = random_fraction(room.random) * rest
        j = i
        while j < first + count - 1 and point >= get_f64(tree.odds, j):
            point -= get_f64(tree.odds, j)
            j += 1
        rest -= get_f64(tree.odds, j)
        odds = get_f64(tree.odds, i)
        set_f64(tree.odds, i, get_f64(tree.odds, j))
        set_f64(tree.odds, j, odds)
        _swap_i64(tree.move, i, j)


@njit(cache=True, inline="always")
def _make_child(
    rules: Any, numbers: Any, options: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any
) -> Any:
    """Makes the node that an edge leads to, or finds it where transpositions are kept."""
    link = tree.child + 4 * edge
    if shared and compare_and_swap_i32(link, np.int32(NONE), np.int32(BUSY)) != NONE:
        return BUSY if get_i32(tree.child, edge) < 0 else DONE
    child, reason = _child(rules, numbers, tree, node, edge, room, shared)
    if shared:
        found = np.int32(child if reason == DONE else NONE)
        compare_and_swap_i32(link, np.int32(BUSY), found)
    elif reason == DONE:
        set_i32(tree.child, edge, child)
    return reason


@njit(cache=True, inline="always")
def _child(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, room: Any, shared: Any) -> Any:
    at = tree.form + node * rules.form
    move = get_i64(tree.move, edge)
    if get_i8(tree.mover, node) == DRAW:
        count = _outcomes(rules, at, get_i64(tree.drawn, node), room)
        if count < 0:
            return np.int64(0), FAULT
        place = room.records + move * rules.record + rules.at_form
    elif rules.draws and may_draw(numbers, move):
        child = _allocate(tree, NODES, 1, shared)
        new_node(rules, tree, child, at, DRAW, room)
        set_i64(tree.drawn, child, move)
        return child, DONE
    else:
        place = room.form
        copy_bytes(place, at, rules.form)
        status = call_i32_pipp(rules.sample, place, move, room.random, room.rewards)
        if status != 0:
            return np.int64(0), FAULT
        if rules.pays:
            for k in range(rules.columns):
                set_f64(tree.reward, edge * rules.columns + k, get_f64(room.rewards, k))
    slot = np.int64(NONE)
    if tree.slots_room:
        slot, found = _find(rules, tree, place)
        if found >= 0:
            return found, DONE
    mover = call_i32_p(rules.to_move, place)
    child = _allocate(tree, NODES, 1, shared)
    if mover < TERMINAL or not new_node(rules, tree, child, place, mover, room):
        return np.int64(0), FAULT
    if slot >= 0:
        set_i32(tree.slots, slot, child + 1)
    return child, DONE


@njit(cache=True)
def _find(rules: Any, tree: Any, at: Any) -> Any:
    """The slot for a position, and the node in it or -1. Positions of DRAW nodes are not kept."""
    mask = tree.slots_room - 1
    slot = np.int64(hash_form(at, rules.form) & np.uint64(mask))
    while get_i32(tree.slots, slot):
        node = np.int64(get_i32(tree.slots, slot) - 1)
        if same_form(tree.form + node * rules.form, at, rules.form):
            return slot, node
        slot = (slot + 1) & mask
    return slot, np.int64(NONE)


# ---------------------------------------------------------------------------- selecting


@njit(cache=True, inline="always")
def _column(rules: Any, player: Any) -> Any:
    return player if rules.columns > 1 else 0


@njit(cache=True, inline="always")
def _sign(rules: Any, player: Any) -> Any:
    return -1.0 if rules.columns == 1 and player == 1 else 1.0


@njit(cache=True, inline="always")
def _edge_worth(rules: Any, numbers: Any, tree: Any, edge: Any, k: Any) -> Any:
    """What a settled edge pays in column k."""
    child = get_i32(tree.child, edge)
    paid = get_f64(tree.worth, child * rules.columns + k)
    if get_i8(tree.mover, child) != DRAW:
        paid *= numbers.discount
    return paid + (get_f64(tree.reward, edge * rules.columns + k) if rules.pays else 0.0)


@njit(cache=True)
def _width(rules: Any, numbers: Any, tree: Any, player: Any) -> Any:
    """The range of what a player can be paid, as far as it is known."""
    if numbers.bounded:
        width = get_f64(numbers.high, player) - get_f64(numbers.low, player)
    else:
        width = get_f64(tree.seen, rules.players + player) - get_f64(tree.seen, player)
    return width if 0.0 < width < np.inf else 1.0


@njit(cache=True, inline="always")
def _select(
    rules: Any,
    numbers: Any,
    options: Any,
    tree: Any,
    node: Any,
    path: Any,
    length: Any,
    room: Any,
    shared: Any,
) -> Any:
    """The edge of the next simulation: any that is new, then by UCT.

    A settled edge counts what it pays; where it is the best, path.instead gets it, and the best of the others
    is selected.
    """
    first, count = get_i32(tree.first, node), get_i32(tree.count, node)
    if get_i32(tree.tried, node) < count:
        if shared:
            turn = np.int64(atomic_add_i32(tree.tried + 4 * node, np.int32(1)))
        else:
            turn = get_i32(tree.tried, node)
            set_i32(tree.tried, node, get_i32(tree.tried, node) + 1)
        if turn < count:
            return first + turn
    player = get_i8(tree.mover, node)
    sign, column, columns = _sign(rules, player), _column(rules, player), rules.columns
    visits = get_i32(tree.visits, node)
    if visits < TABULATED:
        explored = get_f64(options.logarithms, visits)
    else:
        explored = np.sqrt(np.log(visits))
    spread = options.c * _width(rules, numbers, tree, player) * explored
    best, best_edge = -np.inf, NONE
    best_settled, settled_edge = -np.inf, NONE
    for edge in range(first, first + count):
        if get_i8(tree.settled, edge):
            bound = sign * _edge_worth(rules, numbers, tree, edge, column)
            if bound > best_settled:
                best_settled, settled_edge = bound, edge
        else:
            plays = get_i32(tree.plays, edge)
            if plays < TABULATED:
                root = get_f64(options.roots, plays)
            else:
                root = 1.0 / np.sqrt(plays)
            bound = (sign * get_f64(tree.total, edge * columns + column) * root + spread) * root
            if bound > best:
                best, best_edge = bound, edge
    if settled_edge >= 0 and best_settled >= best:
        set_i32(path.instead, length, settled_edge)
    return best_edge if best_edge >= 0 else settled_edge


@njit(cache=True)
def _draw(
    rules: Any,
    numbers: Any,
    options: Any,
    tree: Any,
    node: Any,
    path: Any,
    length: Any,
    room: Any,
) -> Any:
    """An outcome of chance, among those in play that are not proven; what the others pay is known."""
    columns = rules.columns
    first, count = get_i32(tree.first, node), get_i32(tree.count, node)
    if options.widening > 0.0 and get_i8(tree.mover, node) == DRAW:
        count = min(count, 1 + np.int64(options.widening * np.sqrt(get_i32(tree.visits, node))))
    for k in range(columns):
        set_f64(path.known, length * columns + k, 0.0)
    rest, all_odds = 0.0, 0.0
    last = first
    for edge in range(first, first + count):
        all_odds += get_f64(tree.odds, edge)
        if get_i8(tree.settled, edge):
            for k in range(columns):
                paid = get_f64(tree.odds, edge) * _edge_worth(rules, numbers, tree, edge, k)
                set_f64(path.known, length * columns + k, get_f64(path.known, length * columns + k) + paid)
        else:
            rest += get_f64(tree.odds, edge)
            last = edge
    for k in range(columns):
        set_f64(path.known, length * columns + k, get_f64(path.known, length * columns + k) / all_odds)
    set_f64(path.weight, length, rest / all_odds)
    point = random_fraction(room.random) * rest
    for edge in range(first, last):
        if not get_i8(tree.settled, edge):
            point -= get_f64(tree.odds, edge)
            if point < 0.0:
                return edge
    return last


# ---------------------------------------------------------------------------- backing up


@njit(cache=True)
def _count_as_lost(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, sign: Any) -> None:
    """Counts a play as lost for the mover while it is under way, or (with sign -1) takes that back."""
    atomic_add_i32(tree.plays + 4 * edge, np.int32(sign))
    player = get_i8(tree.mover, node)
    if player >= 0:
        k = edge * rules.columns + _column(rules, player)
        loss = _sign(rules, player) * _loss(numbers, tree, player)
        atomic_add_f64(tree.total + 8 * k, sign * loss)


@njit(cache=True)
def _loss(numbers: Any, tree: Any, player: Any) -> Any:
    return get_f64(numbers.low, player) if numbers.bounded else 0.0


@njit(cache=True, inline="always")
def _credit(rules: Any, tree: Any, edge: Any, paid: Any, shared: Any) -> None:
    if shared:
        atomic_add_i32(tree.plays + 4 * edge, np.int32(1))
    else:
        set_i32(tree.plays, edge, get_i32(tree.plays, edge) + 1)
    for k in range(rules.columns):
        i = edge * rules.columns + k
        amount = get_f64(paid, k)
        if shared:
            atomic_add_f64(tree.total + 8 * i, amount)
            atomic_add_f64(tree.squares + 8 * i, amount * amount)
        else:
            set_f64(tree.total, i, get_f64(tree.total, i) + amount)
            set_f64(tree.squares, i, get_f64(tree.squares, i) + amount * amount)


@njit(cache=True, inline="always")
def _visit(tree: Any, node: Any, shared: Any) -> None:
    if shared:
        atomic_add_i32(tree.visits + 4 * node, np.int32(1))
    else:
        set_i32(tree.visits, node, get_i32(tree.visits, node) + 1)


@njit(cache=True, inline="always")
def _back_up(rules: Any, numbers: Any, tree: Any, leaf: Any, path: Any, length: Any, shared: Any) -> None:
    """Adds what was paid (path.paid) to every edge on the way up, and proves what follows."""
    columns = rules.columns
    paid = path.paid
    _visit(tree, leaf, shared)
    for i in range(length - 1, -1, -1):
        node, edge = get_i32(path.node, i), get_i32(path.edge, i)
        if shared:
            _count_as_lost(rules, numbers, tree, node, edge, -1.0)
        child = get_i32(tree.child, edge)
        for k in range(columns):
            if get_i8(tree.mover, child) != DRAW:
                set_f64(paid, k, get_f64(paid, k) * numbers.discount)
            if rules.pays:
                set_f64(paid, k, get_f64(paid, k) + get_f64(tree.reward, edge * columns + k))
        _credit(rules, tree, edge, paid, shared)
        _visit(tree, node, shared)
        if get_i8(tree.mover, node) < 0:
            for k in range(columns):
                rest = get_f64(path.weight, i) * get_f64(paid, k)
                set_f64(paid, k, get_f64(path.known, i * columns + k) + rest)
        if not numbers.bounded:
            _widen_range(rules, tree, paid)
        if get_i8(tree.proven, child) and not get_i8(tree.settled, edge):
            _settle(rules, numbers, tree, node, edge, shared)
        instead = get_i32(path.instead, i)
        if instead >= 0:
            for k in range(columns):
                set_f64(paid, k, _edge_worth(rules, numbers, tree, instead, k))
            _credit(rules, tree, instead, paid, shared)
            _visit(tree, node, shared)


@njit(cache=True)
def _widen_range(rules: Any, tree: Any, paid: Any) -> None:
    for player in range(rules.players):
        amount = _sign(rules, player) * get_f64(paid, _column(rules, player))
        set_f64(tree.seen, player, min(get_f64(tree.seen, player), amount))
        set_f64(tree.seen, rules.players + player, max(get_f64(tree.seen, rules.players + player), amount))


@njit(cache=True)
def _settle(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, shared: Any) -> None:
    """Counts an edge as proven, and proves the node if that follows."""
    set_i8(tree.settled, edge, 1)
    if shared:
        left = atomic_add_i32(tree.open + 4 * node, np.int32(-1)) - 1
    else:
        set_i32(tree.open, node, get_i32(tree.open, node) - 1)
        left = get_i32(tree.open, node)
    columns = rules.columns
    first, count = get_i32(tree.first, node), get_i32(tree.count, node)
    player = get_i8(tree.mover, node)
    if player < 0:
        if left > 0:
            return
        for k in range(columns):
            total = 0.0
            for e in range(first, first + count):
                total += get_f64(tree.odds, e) * _edge_worth(rules, numbers, tree, e, k)
            set_f64(tree.worth, node * columns + k, total)
        set_i8(tree.proven, node, 1)
        return
    sign, column = _sign(rules, player), _column(rules, player)
    best, best_edge = -np.inf, edge
    for e in range(first, first + count):
        if get_i8(tree.settled, e):
            paid = sign * _edge_worth(rules, numbers, tree, e, column)
            if paid > best:
                best, best_edge = paid, e
    most = get_f64(numbers.high, player) if numbers.bounded else np.inf
    if left <= 0 or best >= most:
        for k in range(columns):
            set_f64(tree.worth, node * columns + k, _edge_worth(rules, numbers, tree, best_edge, k))
        set_i8(tree.proven, node, 1)


# ------------------------------------------------------------------- planting and reusing


@njit(cache=True)
def plant(rules: Any, tree: Any, count: Any, forms: Any, movers: Any, odds: Any, room: Any) -> None:
    """Begins a tree with a position, or with several: then node 0 is a draw among them."""
    first = 0 if count == 1 else 1
    for i in range(count):
        new_node(rules, tree, first + i, forms + i * rules.form, get_i64(movers, i), room)
    set_i64(tree.counters, NODES, first + count)
    if count == 1:
        return
    new_node(rules, tree, 0, forms, DRAW, room)
    for i in range(count):
        _new_edge(rules, tree, i, i)
        set_f64(tree.odds, i, get_f64(odds, i))
        set_i32(tree.child, i, 1 + i)
    set_i32(tree.first, 0, 0)
    set_i32(tree.count, 0, count)
    set_i32(tree.open, 0, count)
    set_i64(tree.counters, EDGES, count)


@njit(cache=True)
def near_root(rules: Any, tree: Any, root: Any, form: Any, plies: Any) -> Any:
    """The node of a position at most so many edges below the root, or -1."""
    level = np.array([root], np.int64)
    for _ in range(plies + 1):
        size = 0
        for node in level:
            at = tree.form + node * rules.form
            if get_i8(tree.mover, node) != DRAW and same_form(at, form, rules.form):
                return node
            if get_i32(tree.first, node) >= 0:
                size += get_i32(tree.count, node)
        below = np.empty(size, np.int64)
        size = 0
        for node in level:
            if get_i32(tree.first, node) >= 0:
                for edge in range(
                    get_i32(tree.first, node), get_i32(tree.first, node) + get_i32(tree.count, node)
                ):
                    if get_i32(tree.child, edge) >= 0:
                        below[size] = get_i32(tree.child, edge)
                        size += 1
        level = below[:size]
    return np.int64(NONE)


@njit(cache=True)
def transplant(rules: Any, old: Any, new: Any, root: Any) -> None:
    """Copies what lies below a node of one tree into another, where it becomes node 0.

    The new tree has room for it; its counters of simulations and visited nodes start at 0.
    """
    place = np.full(get_i64(old.counters, NODES), NONE, np.int32)
    queue = np.empty(get_i64(old.counters, NODES), np.int32)
    queue[0] = root
    place[root] = 0
    nodes, edges, at = 1, 0, 0
    while at < nodes:
        node = np.int64(queue[at])
        _copy_node(rules, old, new, node, at)
        if get_i32(old.first, node) >= 0:
            set_i32(new.first, at, edges)
            for edge in range(get_i32(old.first, node), get_i32(old.first, node) + get_i32(old.count, node)):
                _copy_edge(rules, old, new, edge, edges)
                child = get_i32(old.child, edge)
                if child >= 0:
                    if place[child] < 0:
                        place[child] = nodes
                        queue[nodes] = child
                        nodes += 1
                    set_i32(new.child, edges, place[child])
                edges += 1
        if new.slots_room and get_i8(new.mover, at) != DRAW:
            slot, found = _find(rules, new, new.form + at * rules.form)
            if found < 0:
                set_i32(new.slots, slot, at + 1)
        at += 1
    for i in range(2 * rules.players):
        set_f64(new.seen, i, get_f64(old.seen, i))
    set_i64(new.counters, SIMULATIONS, 0)
    set_i64(new.counters, VISITED, 0)
    set_i64(new.counters, NODES, nodes)
    set_i64(new.counters, EDGES, edges)


@njit(cache=True)
def _copy_node(rules: Any, old: Any, new: Any, node: Any, at: Any) -> None:
    copy_bytes(new.form + at * rules.form, old.form + node * rules.form, rules.form)
    set_i8(new.mover, at, get_i8(old.mover, node))
    if rules.outcomes:
        set_i64(new.drawn, at, get_i64(old.drawn, node))
    set_i32(new.first, at, NONE)
    set_i32(new.count, at, get_i32(old.count, node))
    set_i32(new.tried, at, get_i32(old.tried, node))
    set_i32(new.open, at, get_i32(old.open, node))
    set_i32(new.visits, at, get_i32(old.visits, node))
    set_i8(new.proven, at, get_i8(old.proven, node))
    for k in range(rules.columns):
        set_f64(new.worth, at * rules.columns + k, get_f64(old.worth, node * rules.columns + k))


@njit(cache=True)
def _copy_edge(rules: Any, old: Any, new: Any, edge: Any, at: Any) -> None:
    columns = rules.columns
    set_i64(new.move, at, get_i64(old.move, edge))
    set_i32(new.child, at, NONE)
    set_i32(new.plays, at, get_i32(old.plays, edge))
    set_i8(new.settled, at, get_i8(old.settled, edge))
    if rules.outcomes:
        set_f64(new.odds, at, get_f64(old.odds, edge))
    for k in range(columns):
        set_f64(new.total, at * columns + k, get_f64(old.total, edge * columns + k))
        set_f64(new.squares, at * columns + k, get_f64(old.squares, edge * columns + k))
        if rules.pays:
            set_f64(new.reward, at * columns + k, get_f64(old.reward, edge * columns + k))
