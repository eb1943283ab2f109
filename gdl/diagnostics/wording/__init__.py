"""How is a mistake in the text worded? One function per code. Checking code decides, these files say.

Codes are permanent: S syntax, E errors found by the checker, W warnings, O what is left to the engines.
The essay for each code (`gdl explain CODE`) is in `gdl/diagnostics/essays/`. Whoever reports a mistake calls
`say.name_of_the_mistake(...)`, without having to know its family.
"""

from gdl.diagnostics.wording.grammar import *  # noqa: F403
from gdl.diagnostics.wording.habits import *  # noqa: F403
from gdl.diagnostics.wording.moves import *  # noqa: F403
from gdl.diagnostics.wording.names import *  # noqa: F403
from gdl.diagnostics.wording.policies import *  # noqa: F403
from gdl.diagnostics.wording.remarks import *  # noqa: F403
from gdl.diagnostics.wording.sections import *  # noqa: F403
from gdl.diagnostics.wording.text import *  # noqa: F403
from gdl.diagnostics.wording.types import *  # noqa: F403
