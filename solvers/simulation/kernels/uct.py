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

from gdl.abi import CAPACITY, UNFINISHED
from gdl.movers import DRAW
from solvers.machine.kernels import inlined, kernel, step
from solvers.machine.plays import play_on, rest_of_play
from solvers.machine.pointers import atomic_add, copy_bytes
from solvers.machine.rules import random_fraction
from solvers.machine.types import i64
from solvers.simulation.kernels.expansion import (
    expand,
    make_child,
)
from solvers.simulation.kernels.tree import (
    BUSY,
    CUT,
    DONE,
    DOUBTS,
    EDGES,
    FAULT,
    FULL,
    LONGEST_PATH,
    MORE_MOVES,
    MORE_SLOTS,
    NODES,
    NONE,
    PROVEN,
    SIMULATIONS,
    TABULATED,
    VISITED,
    edge_at,
    form_at,
    node_at,
    rewards_of,
)


@kernel
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
    new_nodes, new_edges = room.outcomes_room + 2, max(room.moves_room, room.outcomes_room)  # at most
    spare = options.threads * (new_nodes * tree.node_size + new_edges * tree.edge_size)
    shared = options.threads > 1
    while True:
        if tree.counters[SIMULATIONS] >= simulations or tree.counters[VISITED] >= nodes or stop[0]:
            return DONE
        if node_at(tree, root).is_proven:
            return PROVEN
        if not options.frozen:
            made = tree.counters[NODES]
            used = made * tree.node_size + tree.counters[EDGES] * tree.edge_size
            if used + spare > tree.memory:
                return FULL
            if tree.slots_room and 2 * (made + new_nodes) > tree.slots_room:
                return MORE_SLOTS
        reason, node, length = _walk_down(rules, numbers, options, tree, root, path, room, shared)
        if reason != DONE:
            if shared:
                for i in range(length):
                    _count_as_lost(rules, numbers, tree, path.node[i], path.edge[i], -1.0)
            return reason
        _back_up(rules, numbers, tree, node, path, length, shared)
        if shared:
            atomic_add(tree.counters, SIMULATIONS, 1)
            atomic_add(tree.counters, VISITED, length + 1)
        else:
            tree.counters[SIMULATIONS] += 1
            tree.counters[VISITED] += length + 1


@inlined
def _walk_down(
    rules: Any, numbers: Any, options: Any, tree: Any, root: Any, path: Any, room: Any, shared: Any
) -> Any:
    """Goes from the root to a proven node, or to where a play leaves the tree and is played on: `path` gets
    the way, and what was paid below it. Gives the reason to pause, or DONE, the last node, and how many edges
    led there.
    """
    node = root
    length = i64(0)
    reason = DONE
    while True:
        here = node_at(tree, node)
        if here.is_proven:
            for k in range(rules.columns):
                path.paid[k] = here.worth[k]
            break
        if length == LONGEST_PATH:
            reason = _play_out(rules, numbers, options, tree, node, path, room)
            break
        if here.first < 0:
            if options.frozen or (here.visits == 0 and node != root):
                reason = _play_out(rules, numbers, options, tree, node, path, room)
                break
            reason = expand(rules, numbers, options, tree, node, room, shared)
            if reason == BUSY:
                reason = _play_out(rules, numbers, options, tree, node, path, room)
                break
            if reason != DONE:
                break
        path.instead[length] = NONE
        if here.mover >= 0:
            edge = _select(rules, numbers, options, tree, node, path, length, room, shared)
        else:
            edge = _draw(rules, numbers, options, tree, node, path, length, room)
        if options.frozen and edge_at(tree, edge).child < 0:
            reason = _play_out(rules, numbers, options, tree, node, path, room)
            break
        path.node[length] = node
        path.edge[length] = edge
        length += 1
        if shared:
            _count_as_lost(rules, numbers, tree, node, edge, 1.0)
        child = edge_at(tree, edge).child
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
            child = edge_at(tree, edge).child
        node = child
    return reason, node, length


@step
def _play_out(rules: Any, numbers: Any, options: Any, tree: Any, node: Any, path: Any, room: Any) -> Any:
    """Plays on from a node; leaves what was paid, in columns, in path.paid."""
    place, here = room.form, node_at(tree, node)
    copy_bytes(place, form_at(tree, node), rules.form)
    drawn = here.mover == DRAW
    if drawn:
        status = rules.sample(place, here.drawn, room.random, path.rewards)
        if status != 0:
            return FAULT
    status = play_on(rules, numbers, options.plays, place, path.play, room)
    if status == UNFINISHED:
        if rest_of_play(numbers, room) > 0.0:
            atomic_add(tree.counters, CUT, 1)
    elif status != 0:
        return MORE_MOVES if status == CAPACITY else FAULT
    for k in range(rules.columns):
        path.paid[k] = path.play[k]
        if drawn:
            path.paid[k] = path.rewards[k] + numbers.discount * path.play[k]
    return DONE


# ---------------------------------------------------------------------------- selecting


@inlined
def _column(rules: Any, player: Any) -> Any:
    return player if rules.columns > 1 else 0


@inlined
def _sign(rules: Any, player: Any) -> Any:
    return -1.0 if rules.columns == 1 and player == 1 else 1.0


@inlined
def _edge_worth(rules: Any, numbers: Any, tree: Any, edge: Any, k: Any) -> Any:
    """What a settled edge pays in column k."""
    link = edge_at(tree, edge)
    child = node_at(tree, link.child)
    paid = child.worth[k]
    if child.mover != DRAW:
        paid *= numbers.discount
    return paid + (rewards_of(rules, link)[k] if rules.pays else 0.0)


@step
def _width(rules: Any, numbers: Any, tree: Any, player: Any) -> Any:
    """The range of what a player can be paid, as far as it is known."""
    if numbers.bounded:
        width = numbers.high[player] - numbers.low[player]
    else:
        width = tree.seen[rules.players + player] - tree.seen[player]
    return width if 0.0 < width < np.inf else 1.0


@inlined
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
    here = node_at(tree, node)
    first, count = here.first, here.count
    if here.tried < count:
        if shared:
            turn = atomic_add(here, "tried", 1)
        else:
            turn = here.tried
            here.tried += 1
        if turn < count:
            return first + turn
    player = here.mover
    sign, column = _sign(rules, player), _column(rules, player)
    visits = here.visits
    if visits < TABULATED:
        explored = options.logarithms[visits]
    else:
        explored = np.sqrt(np.log(visits))
    spread = options.c * _width(rules, numbers, tree, player) * explored
    best, best_edge = -np.inf, NONE
    best_settled, settled_edge = -np.inf, NONE
    for edge in range(first, first + count):
        link = edge_at(tree, edge)
        if link.settled:
            bound = sign * _edge_worth(rules, numbers, tree, edge, column)
            if bound > best_settled:
                best_settled, settled_edge = bound, edge
        else:
            plays = link.plays
            if plays < TABULATED:
                root = options.roots[plays]
            else:
                root = 1.0 / np.sqrt(plays)
            bound = (sign * link.total[column] * root + spread) * root
            if bound > best:
                best, best_edge = bound, edge
    if settled_edge >= 0 and best_settled >= best:
        path.instead[length] = settled_edge
    return best_edge if best_edge >= 0 else settled_edge


@step
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
    here = node_at(tree, node)
    first, count = here.first, here.count
    if options.widening > 0.0 and here.mover == DRAW:
        count = min(count, 1 + np.int64(options.widening * np.sqrt(here.visits)))
    for k in range(columns):
        path.known[length * columns + k] = 0.0
    rest, all_odds = 0.0, 0.0
    last = first
    for edge in range(first, first + count):
        link = edge_at(tree, edge)
        all_odds += link.odds
        if link.settled:
            for k in range(columns):
                path.known[length * columns + k] += link.odds * _edge_worth(rules, numbers, tree, edge, k)
        else:
            rest += link.odds
            last = edge
    for k in range(columns):
        path.known[length * columns + k] /= all_odds
    path.weight[length] = rest / all_odds
    point = random_fraction(room.random) * rest
    for edge in range(first, last):
        link = edge_at(tree, edge)
        if not link.settled:
            point -= link.odds
            if point < 0.0:
                return edge
    return last


# ---------------------------------------------------------------------------- backing up


@step
def _count_as_lost(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, sign: Any) -> None:
    """Counts a play as lost for the mover while it is under way, or (with sign -1) takes that back."""
    atomic_add(edge_at(tree, edge), "plays", np.int64(sign))
    player = node_at(tree, node).mover
    if player >= 0:
        loss = _sign(rules, player) * _loss(numbers, tree, player)
        atomic_add(edge_at(tree, edge).total, _column(rules, player), sign * loss)


@step
def _loss(numbers: Any, tree: Any, player: Any) -> Any:
    return numbers.low[player] if numbers.bounded else 0.0


@inlined
def _credit(rules: Any, tree: Any, edge: Any, paid: Any, shared: Any) -> None:
    at = edge_at(tree, edge)
    if shared:
        atomic_add(at, "plays", 1)
    else:
        at.plays += 1
    for k in range(rules.columns):
        amount = paid[k]
        if shared:
            atomic_add(at.total, k, amount)
        else:
            at.total[k] += amount


@inlined
def _visit(tree: Any, node: Any, shared: Any) -> None:
    if shared:
        atomic_add(node_at(tree, node), "visits", 1)
    else:
        node_at(tree, node).visits += 1


@inlined
def _back_up(rules: Any, numbers: Any, tree: Any, leaf: Any, path: Any, length: Any, shared: Any) -> None:
    """Adds what was paid (path.paid) to every edge on the way up, and proves what follows."""
    columns = rules.columns
    paid = path.paid
    _visit(tree, leaf, shared)
    for i in range(length - 1, -1, -1):
        node, edge = path.node[i], path.edge[i]
        if shared:
            _count_as_lost(rules, numbers, tree, node, edge, -1.0)
        link = edge_at(tree, edge)
        child = node_at(tree, link.child)
        for k in range(columns):
            if child.mover != DRAW:
                paid[k] *= numbers.discount
            if rules.pays:
                paid[k] += rewards_of(rules, link)[k]
        _credit(rules, tree, edge, paid, shared)
        _visit(tree, node, shared)
        if node_at(tree, node).mover < 0:
            for k in range(columns):
                rest = path.weight[i] * paid[k]
                paid[k] = path.known[i * columns + k] + rest
        if not numbers.bounded:
            _widen_range(rules, tree, paid)
        if child.is_proven and not link.settled:
            _settle(rules, numbers, tree, node, edge, shared)
        instead = path.instead[i]
        if instead >= 0:
            for k in range(columns):
                paid[k] = _edge_worth(rules, numbers, tree, instead, k)
            _credit(rules, tree, instead, paid, shared)
            _visit(tree, node, shared)


@step
def _widen_range(rules: Any, tree: Any, paid: Any) -> None:
    for player in range(rules.players):
        amount = _sign(rules, player) * paid[_column(rules, player)]
        tree.seen[player] = min(tree.seen[player], amount)
        tree.seen[rules.players + player] = max(tree.seen[rules.players + player], amount)


@step
def _settle(rules: Any, numbers: Any, tree: Any, node: Any, edge: Any, shared: Any) -> None:
    """Counts an edge as proven, and proves the node if that follows."""
    edge_at(tree, edge).settled = 1
    here = node_at(tree, node)
    if shared:
        left = atomic_add(here, "open", -1) - 1
    else:
        here.open -= 1
        left = here.open
    columns = rules.columns
    first, count = here.first, here.count
    player = here.mover
    if player < 0:
        if left > 0:
            return
        for k in range(columns):
            total = 0.0
            for e in range(first, first + count):
                total += edge_at(tree, e).odds * _edge_worth(rules, numbers, tree, e, k)
            here.worth[k] = total
        here.is_proven = 1
        return
    if columns > 1 and left > 0:
        return  # what a move pays its mover, be it the most there is, says nothing about the others
    sign, column = _sign(rules, player), _column(rules, player)
    best, best_edge = -np.inf, edge
    for e in range(first, first + count):
        if edge_at(tree, e).settled:
            paid = sign * _edge_worth(rules, numbers, tree, e, column)
            if paid > best:
                best, best_edge = paid, e
    most = numbers.high[player] if numbers.bounded else np.inf
    if left <= 0 or best >= most:
        if columns > 1:
            best_edge = _first_best(rules, numbers, tree, node, column, best, best_edge)
        for k in range(columns):
            here.worth[k] = _edge_worth(rules, numbers, tree, best_edge, k)
        here.is_proven = 1


@step
def _first_best(
    rules: Any, numbers: Any, tree: Any, node: Any, column: Any, best: Any, best_edge: Any
) -> Any:
    """The first of the best moves in the game's order, which is the one that is played.

    Where moves differ by no more than rounding may do, and not for the others, there is a doubt.
    """
    here = node_at(tree, node)
    first, count = here.first, here.count
    rounds = rules.chance_moves or rules.discounts or rules.pays
    found = best_edge
    for e in range(first, first + count):
        paid = _edge_worth(rules, numbers, tree, e, column)
        if paid == best and edge_at(tree, e).move < edge_at(tree, found).move:
            found = e
    for e in range(first, first + count):
        paid = _edge_worth(rules, numbers, tree, e, column)
        if e != found and abs(paid - best) <= 1e-9 * max(1.0, abs(best)) and (rounds or paid != best):
            for k in range(rules.columns):
                other = _edge_worth(rules, numbers, tree, e, k)
                if k != column and other != _edge_worth(rules, numbers, tree, found, k):
                    atomic_add(tree.counters, DOUBTS, 1)
    return found
