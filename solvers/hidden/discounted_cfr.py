"""Discounted CFR: early regrets fade, negative ones faster (Brown & Sandholm 2019, with 3/2, 0 and 2)."""

from __future__ import annotations

from solvers.hidden.equilibrium import regret_minimiser
from solvers.hidden.records import Rule

RULE = Rule(alpha=1.5, beta=0, gamma=2)

discounted_cfr = regret_minimiser("discounted_cfr", RULE)
