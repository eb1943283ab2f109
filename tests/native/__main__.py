"""`python -m tests.native [--count N] [--start SEED] [--no-faults]`: both engines on many generated games."""

from __future__ import annotations

import sys

from tests.generate import check_many
from tests.native.agreement import agree

sys.exit(check_many("tests.native", agree))
