"""Counterfactual regret minimisation (Zinkevich, Johanson, Bowling & Piccione 2007)."""

from __future__ import annotations

from solvers.hidden.equilibrium import regret_minimiser
from solvers.hidden.records import Rule

RULE = Rule()

cfr = regret_minimiser("cfr", RULE)
