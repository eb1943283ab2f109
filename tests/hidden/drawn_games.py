"""Small games with hidden information, drawn by a seed: what is dealt, who sees it when, which moves are
secret, and what all that pays."""

from __future__ import annotations

from random import Random


def hidden_game(seed: int) -> str:
    """The text of a game."""
    rng = Random(seed)
    players = ["a", "b", "c"][: rng.choice([2, 2, 3])]
    cards, choices, steps = rng.randint(2, 3), rng.randint(2, 3), rng.randint(2, 3)
    sees_card = rng.choice(["p", "p", "nobody", "everyone if step > 1 else p", "p if step > 0 else nobody"])
    sees_choice = rng.choice(["p", "nobody", f"everyone if step == {steps} else p"])
    by_chance = rng.random() < 0.4  # dealt move by move, else at the start
    deal = (
        ["    for p in player:", f"        card[p] ~ 1..{cards}"]
        if rng.random() < 0.5
        else ["    for p in player:", f"        card[p] ~ 1..{cards} weighted it"]
    )
    lines = [
        f"game drawn_{seed}",
        f"players: {', '.join(players)}",
        "position:",
        f"    card[p: player]: 0..{cards} = 0 visible to {sees_card}",
        f"    choice[p: player]: 0..{choices} = 0 visible to {sees_choice}",
        f"    pot: 0..{steps * choices} = 0",
        f"    step: 0..{steps} = 0",
        f"    to_deal: 0..{len(players)} = {len(players) if by_chance else 0}",
        "    turn: player = a",
    ]
    if not by_chance:
        lines += ["initial:", *deal]
    lines.append("player: chance if to_deal > 0 else turn")
    if by_chance:
        secret = "secret " if rng.random() < 0.7 else ""
        lines += [
            f"{secret}move deal(k: 1..{cards}) when to_deal > 0:",
            "    card[turn] = k",
            "    to_deal -= 1",
            "    turn = next(turn)",
        ]
    lines += [
        f"secret move choose(k: 1..{choices}) when to_deal == 0:",
        "    choice[turn] = k",
        *(["    reward turn: k"] if rng.random() < 0.3 and len(players) > 2 else []),
        "    step += 1",
        "    turn = next(turn)",
        f"move bet(k: 1..{rng.randint(1, choices)}) when to_deal == 0:",
        "    pot += k",
        *([f"    card[turn] ~ 1..{cards}"] if rng.random() < 0.4 else []),
        "    step += 1",
        "    turn = next(turn)",
        f"terminal: step == {steps}",
    ]
    pays = rng.choice(["card[{}] * (pot + choice[{}])", "pot * (1 if card[{}] > choice[{}] else -1)"])
    if len(players) == 2:
        lines.append(f"utility: {pays.format('a', 'b')} - {pays.format('b', 'a')}")
    else:
        lines.append(f"utility(p): {pays.format('p', 'next(p)')}")
    return "\n".join(lines) + "\n"
