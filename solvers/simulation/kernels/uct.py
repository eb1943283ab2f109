"""UCT: the kernel that simulates plays in the tree of tree.py.

Everything follows the textbook version (simulation/mcts.py): UCT selection, chance sampled among what is not
proven, proven moves that are selected pay their value while the walk goes on with another, proofs by the end
of the game and by the bounds of the utilities.

Several threads may share a tree. Then statistics are added atomically, and an edge on the way down counts as
lost until its play is known ("virtual loss": Chaslot, Winands & van den Herik 2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from solvers.machine.calls import (
    atomic_add_f64,
    atomic_add_i32,
    atomic_add_i64,
    call_i32_pipp,
    copy_bytes,
    get_f64,
    get_i8,
    get_i32,
    get_i64,
    set_f64,
    set_i8,
    set_i32,
    set_i64,
)
from solvers.machine.rules import (
    CAPACITY,
    UNFINISHED,
    play_on,
    random_fraction,
    rest_of_play,
)
from solvers.simulation.kernels.expansion import (
    expand,
    make_child,
)
from solvers.simulation.kernels.tree import (
    BUSY,
    CHILD,
    COUNT,
    CUT,
    DONE,
    DOUBTS,
    DRAW,
    DRAWN,
    EDGES,
    FAULT,
    FIRST,
    FULL,
    IS_PROVEN,
    LONGEST_PATH,
    MORE_MOVES,
    MORE_SLOTS,
    MOVE,
    MOVER,
    NODES,
    NONE,
    OPEN,
    PLAYS,
    PROVEN,
    SETTLED,
    SIMULATIONS,
    TABULATED,
    TOTAL,
    TRIED,
    VISITED,
    VISITS,
    WORTH,
    edge_at,
    form_at,
    node_at,
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
    new_nodes, new_edges = room.outcomes_room + 2, max(room.moves_room, room.outcomes_room)  # at most
    spare = options.threads * (new_nodes * tree.node_size + new_edges * tree.edge_size)
    shared = options.threads > 1
    while True:
        if (
            get_i64(tree.counters, SIMULATIONS) >= simulations
            or get_i64(tree.counters, VISITED) >= nodes
            or get_i8(stop, 0)
        ):
            return DONE
        if get_i8(node_at(tree, root), IS_PROVEN):
            return PROVEN
        if not options.frozen:
            made = get_i64(tree.counters, NODES)
            used = made * tree.node_size + get_i64(tree.counters, EDGES) * tree.edge_size
            if used + spare > tree.memory:
                return FULL
            if tree.slots_room and 2 * (made + new_nodes) > tree.slots_room:
                return MORE_SLOTS
        node = root
        length = 0
        reason = DONE
        while True:
            if get_i8(node_at(tree, node), IS_PROVEN):
                for k in range(columns):
                    set_f64(path.paid, k, get_f64(node_at(tree, node), WORTH + k))
                break
            if length == LONGEST_PATH:
                reason = _play_out(rules, numbers, options, tree, node, path, room)
                break
            if get_i32(node_at(tree, node), FIRST) < 0:
                new = get_i32(node_at(tree, node), VISITS) == 0 and node != root
                if new or options.frozen:
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                reason = expand(rules, numbers, options, tree, node, room, shared)
                if reason == BUSY:
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                if reason != DONE:
                    break
            set_i32(path.instead, length, NONE)
            if get_i8(node_at(tree, node), MOVER) >= 0:
                edge = _select(rules, numbers, options, tree, node, path, length, room, shared)
            else:
                edge = _draw(rules, numbers, options, tree, node, path, length, room)
            if options.frozen and get_i32(edge_at(tree, edge), CHILD) < 0:
                reason = _play_out(rules, numbers, options, tree, node, path, room)
                break
            set_i32(path.node, length, node)
            set_i32(path.edge, length, edge)
            length += 1
            if shared:
                _count_as_lost(rules, numbers, tree, node, edge, 1.0)
            child = get_i32(edge_at(tree, edge), CHILD)
            if child < 0:
                reason = make_child(rules, numbers, options, tree, node, edge, room, shared)
                if reason == BUSY:
                    length -= 1
                    if shared:
                        _count_as_lost(rules, numbers, tree, node, edge, -1.0)
                    reason = _play_out(rules, numbers, options, tree, node, path, room)
                    break
                if reason != DONE:
                    break
                child = get_i32(edge_at(tree, edge), CHILD)
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
    copy_bytes(place, form_at(tree, node), rules.form)
    drawn = get_i8(node_at(tree, node), MOVER) == DRAW
    if drawn:
        status = call_i32_pipp(
            rules.sample, place, get_i64(node_at(tree, node), DRAWN), room.random, path.rewards
        )
        if status != 0:
            return FAULT
    status = play_on(rules, numbers, options.policy, options.epsilon, options.depth, place, path.play, room)
    if status == UNFINISHED:
        if rest_of_play(numbers, room) > 0.0:
            atomic_add_i64(tree.counters + 8 * CUT, 1)
    elif status != 0:
        return MORE_MOVES if status == CAPACITY else FAULT
    for k in range(rules.columns):
        set_f64(path.paid, k, get_f64(path.play, k))
        if drawn:
            set_f64(path.paid, k, get_f64(path.rewards, k) + numbers.discount * get_f64(path.play, k))
    return DONE


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
    child = get_i32(edge_at(tree, edge), CHILD)
    paid = get_f64(node_at(tree, child), WORTH + k)
    if get_i8(node_at(tree, child), MOVER) != DRAW:
        paid *= numbers.discount
    return paid + (get_f64(edge_at(tree, edge), tree.reward + k) if rules.pays else 0.0)


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
    first, count = get_i32(node_at(tree, node), FIRST), get_i32(node_at(tree, node), COUNT)
    if get_i32(node_at(tree, node), TRIED) < count:
        if shared:
            turn = np.int64(atomic_add_i32(node_at(tree, node) + 4 * TRIED, np.int32(1)))
        else:
            turn = get_i32(node_at(tree, node), TRIED)
            set_i32(node_at(tree, node), TRIED, get_i32(node_at(tree, node), TRIED) + 1)
        if turn < count:
            return first + turn
    player = get_i8(node_at(tree, node), MOVER)
    sign, column = _sign(rules, player), _column(rules, player)
    visits = get_i32(node_at(tree, node), VISITS)
    if visits < TABULATED:
        explored = get_f64(options.logarithms, visits)
    else:
        explored = np.sqrt(np.log(visits))
    spread = options.c * _width(rules, numbers, tree, player) * explored
    best, best_edge = -np.inf, NONE
    best_settled, settled_edge = -np.inf, NONE
    for edge in range(first, first + count):
        if get_i8(edge_at(tree, edge), SETTLED):
            bound = sign * _edge_worth(rules, numbers, tree, edge, column)
            if bound > best_settled:
                best_settled, settled_edge = bound, edge
        else:
            plays = get_i32(edge_at(tree, edge), PLAYS)
            if plays < TABULATED:
                root = get_f64(options.roots, plays)
            else:
                root = 1.0 / np.sqrt(plays)
            bound = (sign * get_f64(edge_at(tree, edge), TOTAL + column) * root + spread) * root
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
    first, count = get_i32(node_at(tree, node), FIRST), get_i32(node_at(tree, node), COUNT)
    if options.widening > 0.0 and get_i8(node_at(tree, node), MOVER) == DRAW:
        count = min(count, 1 + np.int64(options.widening * np.sqrt(get_i32(node_at(tree, node), VISITS))))
    for k in range(columns):
        set_f64(path.known, length * columns + k, 0.0)
    rest, all_odds = 0.0, 0.0
    last = first
    for edge in range(first, first + count):
        all_odds += get_f64(edge_at(tree, edge), tree.odds)
        if get_i8(edge_at(tree, edge), SETTLED):
            for k in range(columns):
                paid = get_f64(edge_at(tree, edge), tree.odds) * _edge_worth(rules, numbers, tree, edge, k)
                set_f64(path.known, length * columns + k, get_f64(path.known, length * columns + k) + paid)
        else:
            rest += get_f64(edge_at(tree, edge), tree.odds)
            last = edge
    for k in range(columns):
        set_f64(path.known, length * columns + k, get_f64(path.known, length * columns + k) / all_odds)
    set_f64(path.weight, length, rest / all_odds)
    point = random_fraction(room.random) * rest
    for edge in range(first, last):
        if not get_i8(edge_at(tree, edge), SETTLED):
            point -= get_f64(edge_at(tree, edge), tree.odds)
            if point < 0.0:
                return edge
    return last


# ---------------------------------------------------------------------------- backing up


@njit(cache=True)
def _count_as_lost(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, sign: Any) -> None:
    """Counts a play as lost for the mover while it is under way, or (with sign -1) takes that back."""
    atomic_add_i32(edge_at(tree, edge) + 4 * PLAYS, np.int32(sign))
    player = get_i8(node_at(tree, node), MOVER)
    if player >= 0:
        loss = _sign(rules, player) * _loss(numbers, tree, player)
        atomic_add_f64(edge_at(tree, edge) + 8 * (TOTAL + _column(rules, player)), sign * loss)


@njit(cache=True)
def _loss(numbers: Any, tree: Any, player: Any) -> Any:
    return get_f64(numbers.low, player) if numbers.bounded else 0.0


@njit(cache=True, inline="always")
def _credit(rules: Any, tree: Any, edge: Any, paid: Any, shared: Any) -> None:
    at = edge_at(tree, edge)
    if shared:
        atomic_add_i32(at + 4 * PLAYS, np.int32(1))
    else:
        set_i32(at, PLAYS, get_i32(at, PLAYS) + 1)
    for k in range(rules.columns):
        amount = get_f64(paid, k)
        if shared:
            atomic_add_f64(at + 8 * (TOTAL + k), amount)
        else:
            set_f64(at, TOTAL + k, get_f64(at, TOTAL + k) + amount)


@njit(cache=True, inline="always")
def _visit(tree: Any, node: Any, shared: Any) -> None:
    if shared:
        atomic_add_i32(node_at(tree, node) + 4 * VISITS, np.int32(1))
    else:
        set_i32(node_at(tree, node), VISITS, get_i32(node_at(tree, node), VISITS) + 1)


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
        child = get_i32(edge_at(tree, edge), CHILD)
        for k in range(columns):
            if get_i8(node_at(tree, child), MOVER) != DRAW:
                set_f64(paid, k, get_f64(paid, k) * numbers.discount)
            if rules.pays:
                set_f64(paid, k, get_f64(paid, k) + get_f64(edge_at(tree, edge), tree.reward + k))
        _credit(rules, tree, edge, paid, shared)
        _visit(tree, node, shared)
        if get_i8(node_at(tree, node), MOVER) < 0:
            for k in range(columns):
                rest = get_f64(path.weight, i) * get_f64(paid, k)
                set_f64(paid, k, get_f64(path.known, i * columns + k) + rest)
        if not numbers.bounded:
            _widen_range(rules, tree, paid)
        if get_i8(node_at(tree, child), IS_PROVEN) and not get_i8(edge_at(tree, edge), SETTLED):
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
    set_i8(edge_at(tree, edge), SETTLED, 1)
    if shared:
        left = atomic_add_i32(node_at(tree, node) + 4 * OPEN, np.int32(-1)) - 1
    else:
        set_i32(node_at(tree, node), OPEN, get_i32(node_at(tree, node), OPEN) - 1)
        left = get_i32(node_at(tree, node), OPEN)
    columns = rules.columns
    first, count = get_i32(node_at(tree, node), FIRST), get_i32(node_at(tree, node), COUNT)
    player = get_i8(node_at(tree, node), MOVER)
    if player < 0:
        if left > 0:
            return
        for k in range(columns):
            total = 0.0
            for e in range(first, first + count):
                total += get_f64(edge_at(tree, e), tree.odds) * _edge_worth(rules, numbers, tree, e, k)
            set_f64(node_at(tree, node), WORTH + k, total)
        set_i8(node_at(tree, node), IS_PROVEN, 1)
        return
    if columns > 1 and left > 0:
        return  # what a move pays its mover, be it the most there is, says nothing about the others
    sign, column = _sign(rules, player), _column(rules, player)
    best, best_edge = -np.inf, edge
    for e in range(first, first + count):
        if get_i8(edge_at(tree, e), SETTLED):
            paid = sign * _edge_worth(rules, numbers, tree, e, column)
            if paid > best:
                best, best_edge = paid, e
    most = get_f64(numbers.high, player) if numbers.bounded else np.inf
    if left <= 0 or best >= most:
        if columns > 1:
            best_edge = _first_best(rules, numbers, tree, node, column, best, best_edge)
        for k in range(columns):
            set_f64(node_at(tree, node), WORTH + k, _edge_worth(rules, numbers, tree, best_edge, k))
        set_i8(node_at(tree, node), IS_PROVEN, 1)


@njit(cache=True)
def _first_best(
    rules: Any, numbers: Any, tree: Any, node: Any, column: Any, best: Any, best_edge: Any
) -> Any:
    """The first of the best moves in the game's order, which is the one that is played.

    Where moves differ by no more than rounding may do, and not for the others, there is a doubt.
    """
    first, count = get_i32(node_at(tree, node), FIRST), get_i32(node_at(tree, node), COUNT)
    rounds = rules.outcomes != 0 or rules.discounts or rules.pays
    found = best_edge
    for e in range(first, first + count):
        paid = _edge_worth(rules, numbers, tree, e, column)
        if paid == best and get_i64(edge_at(tree, e), MOVE) < get_i64(edge_at(tree, found), MOVE):
            found = e
    for e in range(first, first + count):
        paid = _edge_worth(rules, numbers, tree, e, column)
        if e != found and abs(paid - best) <= 1e-9 * max(1.0, abs(best)) and (rounds or paid != best):
            for k in range(rules.columns):
                other = _edge_worth(rules, numbers, tree, e, k)
                if k != column and other != _edge_worth(rules, numbers, tree, found, k):
                    atomic_add_i64(tree.counters + 8 * DOUBTS, 1)
    return found
