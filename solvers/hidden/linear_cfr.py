"""Linear CFR: round t counts t times, in regrets and in the average (Brown & Sandholm 2019)."""

from __future__ import annotations

from solvers.hidden.equilibrium import regret_minimiser
from solvers.hidden.records import Rule

RULE = Rule(alpha=1, beta=1, gamma=1)

linear_cfr = regret_minimiser("linear_cfr", RULE)
