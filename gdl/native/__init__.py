"""How does a game run fast? The Model compiled to LLVM IR and run in process.

plan/     looks at the Model alone: what can fault, what is read, which tests are masks
layout/   where variables lie, and how a position is packed and hashed
emit/     writes code, by `plan` and `layout`
ir/       makes machine code of it
compiled.py what kernels see of a game; its functions are those of gdl/abi.py
engine.py the Game protocol over all of this; stepping.py many moves without Python objects
"""
