"""`python -m tests.laws [--count N] [--start SEED] [--no-faults]`: every law on many generated games."""

from __future__ import annotations

import sys

from tests.generate import check_many
from tests.laws.laws import all_laws

sys.exit(check_many("tests.laws", all_laws))
