"""Functions of a game's ABI that are kernels: machine code that hands a kernel what it needs besides.

`evaluate` of the ABI takes a position and gives numbers. A kernel that does the same needs more: what it
looks things up in, and memory of its own, of each thread. Here a few lines of LLVM take that memory from the
stack and call the kernel.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import llvmlite.binding
import numpy as np

from solvers.machine.pointers import Callback, Function, Pointer, Struct, struct

llvm: Any = llvmlite.binding

_numbers = count()


class Bound:
    """A kernel as `evaluate(position, out)`: called with `given`, then these two, then each of `rooms`
    (records of arrays and numbers), new on the stack at every call and not cleared."""

    def __init__(self, kernel: Any, given: Struct, rooms: list[Any]):
        taken = (given, Pointer.none(np.uint8), Pointer.none(np.float64), *map(struct, rooms))
        callback = Callback(kernel, taken, needed=True)
        self._kept = given, callback, rooms
        lines, names = [], []
        for number, room in enumerate(rooms):
            lines += _on_stack(room, f"%r{number}")
            names.append(f"ptr %r{number}")
        arguments = ", ".join([f"ptr inttoptr (i64 {given.address} to ptr)", "ptr %pos", "ptr %out", *names])
        body = "\n  ".join(lines)
        text = f"""define i32 @bound{next(_numbers)}(ptr %pos, ptr %out) {{
  {body}
  %status = call i64 inttoptr (i64 {callback.address} to ptr)({arguments})
  %short = trunc i64 %status to i32
  ret i32 %short
}}
"""
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1, jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
        self._engine.finalize_object()
        name = text.partition("@")[2].partition("(")[0]
        self.address = int(self._engine.get_function_address(name))


def _on_stack(record: Any, name: str) -> list[str]:
    """LLVM that makes the struct of a record, its arrays beside it."""
    lines = [f"{name} = alloca [{len(record)} x i64], align 16"]
    for k, part in enumerate(record):
        place = f"{name}.at{k}"
        lines.append(f"{place} = getelementptr i64, ptr {name}, i64 {k}")
        if isinstance(part, np.ndarray):
            lines.append(f"{name}.m{k} = alloca [{max(part.nbytes, 8)} x i8], align 64")
            lines.append(f"store ptr {name}.m{k}, ptr {place}, align 8")
        elif isinstance(part, Function | Pointer | Struct):
            lines.append(f"store i64 {part.address}, ptr {place}, align 8")
        else:
            lines.append(f"store i64 {int(part)}, ptr {place}, align 8")
    return lines
