"""From the text of a module to machine code in this process."""

from __future__ import annotations

import platform
from collections import OrderedDict
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding.newpassmanagers import NewPassManager

ATTRIBUTES = """
attributes #0 = { nounwind }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { nounwind willreturn }
"""

_SLOW_PDEP = {"znver1", "znver2", "bdver4"}
"""Processors that have pdep and pext but run them in microcode, a hundred times slower."""

_lock = Lock()  # LLVM's global context is not for several threads at once


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@cache
def host() -> tuple[str, str]:
    """The name and the features of this processor."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def has_fast_bits() -> bool:
    """Whether this processor deposits and extracts bits in one fast instruction."""
    name, features = host()
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    return x86 and "+bmi2" in features.split(",") and name not in _SLOW_PDEP


def _target_machine(level: int) -> Any:
    name, features = host()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=level, jit=True
    )


KEPT = 256
"""So many modules stay compiled in this process, for games that are loaded again."""

_kept: OrderedDict[tuple[bytes, int], Code] = OrderedDict()


def compiled(text: str, level: int = 2) -> Code:
    """The machine code of a module; the same for the same text as long as it is kept."""
    key = sha256(text.encode()).digest(), level
    with _lock:
        code = _kept.pop(key, None) or Code(text, level)
        _kept[key] = code
        if len(_kept) > KEPT:
            _kept.popitem(last=False)  # who still uses it holds it
        return code


class Code:
    """A compiled module: keeps the machine code alive and gives the addresses of its functions."""

    def __init__(self, text: str, level: int):
        _initialise()
        machine = _target_machine(level)
        module = optimised(text, machine, level)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        return int(self._engine.get_function_address(name))


def optimised(text: str, machine: Any, level: int) -> Any:
    """The module after LLVM's passes."""
    module = llvm.parse_assembly(text + ATTRIBUTES)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    # What frees them in llvmlite is hidden behind a base class that does not: 100 kB a module would stay.
    NewPassManager._dispose(passes)
    passes.detach()
    return module


def listing(text: str, form: str, level: int = 2) -> str:
    """What becomes of a module: `llvm` after optimisation, or `asm`."""
    with _lock:
        _initialise()
        machine = _target_machine(level)
        module = optimised(text, machine, level)
        return str(machine.emit_assembly(module)) if form == "asm" else str(module)
