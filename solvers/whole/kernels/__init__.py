"""How is a whole game solved fast? The twins of the solvers beside this folder, on machine code.

In the order of the work: `solve` says what is done; `space` spreads positions over `partition`s, which
`expand` them; `breadth_first` reaches them all, and `position_graph` is what is kept, with `distributions` of
chance. `strong_components` order it. `backward_induction` (or `induction_without_edges`), `retrograde`,
`value_iteration` (by `bellman` and `blocks`, where needed by `end_components`) and `policy_iteration` give
the values. Where not all positions fit, `turns/` does the same for those between turns.
"""

import solvers.machine  # noqa: F401  decides where compiled kernels are kept, before there are any
