"""How kernels and their steps are compiled with a third of numba's work.

Numba makes every function it compiles run by itself: LLVM optimises it with all that it calls, writes its
machine code, and does both again for each who calls it. Here a step, which only kernels call, stays in LLVM's
language until a kernel takes it in, and is kept on disk so. Passes for what kernels do not have (closures,
`with`, expressions of arrays, owners of memory, loops of vectors) are left out. What `a + b` means for two
types is looked up once, not at every place. Kernels that take arrays of numpy are compiled as numba does it.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numba
import numba.core.codegen
import numba.core.compiler
import numba.core.compiler_machinery
import numba.core.typed_passes
import numba.core.types.functions
import numba.core.untyped_passes

from solvers.machine.pointers import FunctionType, PointerType, RecordType, StructType

# Numba's inner parts have no types.
codegen: Any = numba.core.codegen
compiler: Any = numba.core.compiler
machinery: Any = numba.core.compiler_machinery
typed: Any = numba.core.typed_passes
untyped: Any = numba.core.untyped_passes
types: Any = numba.types

_PASSES = (
    untyped.TranslateByteCode,
    untyped.FixupArgs,
    untyped.IRProcessing,
    untyped.RewriteSemanticConstants,
    untyped.DeadBranchPrune,
    untyped.GenericRewrites,
    untyped.RewriteDynamicRaises,
    untyped.ReconstructSSA,
    typed.NopythonTypeInference,
    typed.PreLowerStripPhis,
    typed.NoPythonSupportedFeatureValidation,
    typed.IRLegalization,
    typed.AnnotateTypes,
    typed.NativeLowering,
    typed.NoPythonBackend,
)

_WITHOUT_OWNERS = (
    PointerType, StructType, RecordType, FunctionType, types.Number, types.Boolean, types.NoneType,
)  # fmt: skip
"""What nobody owns, so that nobody counts who refers to it."""


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler for what Python calls, with fewer passes where nothing that it takes has an owner."""

    def define_pipelines(self) -> list[Any]:
        if not _all_without_owners(self.state):
            return [compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)]
        return [_fewer_passes(self.state, Lean)]


class StepCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler for what kernels call."""

    def define_pipelines(self) -> list[Any]:
        self.state.flags.nrt = not _all_without_owners(self.state)
        return [_fewer_passes(self.state, Step)]


def _all_without_owners(state: Any) -> bool:
    return all(isinstance(kind, _WITHOUT_OWNERS) for kind in state.args)


def _fewer_passes(state: Any, library: Any) -> Any:
    state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
    state.library.enable_object_caching()
    passes = machinery.PassManager("lean")
    for one in _PASSES:
        passes.add_pass(one, one.__name__)
    passes.finalize()
    return passes


class Lean(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A library of numba that is optimised once, not for vectors."""

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(opt=2, loop_vectorize=False, slp_vectorize=False)
        passes.run(self._final_module, builder)


class Step(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A library of numba that is there to be linked into others, and never runs itself."""

    KIND = "step"
    """Marks it among what numba reads from disk."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return _Nowhere()

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        return self.name, self.KIND, self._get_module_for_linking().as_bitcode()

    @classmethod
    def read(cls, generator: Any, name: str, code: bytes) -> Step:
        step = cls(generator, name)
        step._final_module = step._shared_module = llvmlite.binding.parse_bitcode(code)
        step._finalize_dynamic_globals()
        step._finalized = True
        return step


class _Nowhere:
    """Where numba would note the environment of a function that runs."""

    def set_env(self, name: str, environment: Any) -> None:
        """A step has none: the kernel that it is linked into has its own."""


def read_steps_from_disk() -> None:
    """Lets numba take steps for what they are where it reads what it has kept."""
    read = codegen.CPUCodeLibrary._unserialize.__func__

    def unserialize(cls: Any, generator: Any, state: Any) -> Any:
        name, kind, code = state
        return Step.read(generator, name, code) if kind == Step.KIND else read(cls, generator, state)

    codegen.CPUCodeLibrary._unserialize = classmethod(unserialize)


def look_operators_up_once() -> None:
    """Lets numba keep what an operator or function means for types of arguments that nobody owns:
    it asks every template that there is, those of numpy too, at each place where one stands."""
    functions: Any = numba.core.types.functions.BaseFunction
    look_up = functions.get_call_type
    known: dict[Any, Any] = {}

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(kind, _WITHOUT_OWNERS) for kind in args):
            return look_up(self, context, args, kws)
        asked = self, tuple(args)
        if asked not in known:
            known[asked] = look_up(self, context, args, kws)
        return known[asked]

    functions.get_call_type = get_call_type
