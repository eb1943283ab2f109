"""CFR+: negative regrets are forgotten, later rounds count more (Tammelin 2014)."""

from __future__ import annotations

from solvers.hidden.equilibrium import regret_minimiser
from solvers.hidden.records import Rule

RULE = Rule(plus=True, gamma=1)

cfr_plus = regret_minimiser("cfr_plus", RULE)
