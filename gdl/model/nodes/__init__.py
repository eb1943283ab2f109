"""Of what is a game made? The Model: the only input of engines, exporters and analyses.

Everything here is frozen data. Parameters are substituted, names are bound (to variables, functions and
numbered frame slots), constants are folded, and every expression carries its type, for whole numbers with
the interval inferred for it. Values are represented as `gdl.model.types` says.

What an engine must know beyond the node's docstrings:

- **Frames.** Every function, effect, move and section has its own frame of `frame` numbered slots
  (parameters, lets, loop variables). A call starts a fresh frame.
- **Faults.** Only these nodes can fail while a game runs: `Check` (value outside a type), `Index` (no such
  place in a list), `Arithmetic` with `div`, `mod` or `/` (zero divisor), `Aggregate` min/max without default
  (nothing to choose from), `BagOperation`, `BagChange` that grows and `Aggregate` bag (a bag too large, or
  without what is taken from it), `Draw` (nothing to draw from, negative weight), `RunOut`, and `Chance`
  (probabilities not summing to 1, or negative). Evaluation is left to right and stops at the first fault;
  `And`, `Or`, `Conditional`, `any`, `all` and `first` evaluate no more than they need.
- **Statements** change the position in order; later reads see earlier assignments.
"""

from gdl.model.nodes.declarations import *  # noqa: F403
from gdl.model.nodes.expressions import *  # noqa: F403
from gdl.model.nodes.statements import *  # noqa: F403
