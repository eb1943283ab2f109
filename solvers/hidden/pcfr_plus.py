"""Predictive CFR+: the regret of the last round is expected once more (Farina, Kroer & Sandholm 2021)."""

from __future__ import annotations

from solvers.hidden.equilibrium import regret_minimiser
from solvers.hidden.records import Rule

RULE = Rule(plus=True, predictive=True, gamma=2)

pcfr_plus = regret_minimiser("pcfr_plus", RULE)
