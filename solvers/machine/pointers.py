"""Arrays, records and functions as C has them, for kernels: `stack.alpha[ply] = x`.

Arrays of numba count who refers to them, at every call; pointers cost nothing to hand on. What numba compiles
knows their types, not where they point, so that kernels are kept on disk and serve every game.

    pointer[i]            the item, integers widened to 64 bits; `pointer[i] = x` narrows again
    pointer + i           points i items further
    if pointer            whether it points anywhere
    record.field          likewise, for records of `records`; a field of no fixed length is a pointer
    function(a, b)        a function of the ABI (gdl/abi.py), or a kernel (`Callback`); its pointers must have
                          the types that it names

Here `stack` is a NamedTuple of arrays on the side of Python, handed over as `struct(stack)`: where it lies.
To store a float where integers lie, or to hand a function a pointer to something else, is an error of
compiling.
"""

from __future__ import annotations

import ctypes
import operator
from functools import cache
from struct import pack
from typing import Any

import llvmlite.ir
import numba.core.cgutils
import numba.core.imputils
import numba.core.typing
import numba.np.numpy_support
import numpy as np

from gdl import abi

# Numba and llvmlite make most of these while they run; mypy need not look.
ir: Any = llvmlite.ir
types: Any = numba.types
extending: Any = numba.extending
models: Any = extending.models
intrinsic: Any = extending.intrinsic
cgutils: Any = numba.core.cgutils
imputils: Any = numba.core.imputils
lower: Any = imputils.lower_builtin
templates: Any = numba.core.typing.templates
signature: Any = templates.signature
typeof: Any = numba.typeof
from_dtype: Any = numba.np.numpy_support.from_dtype

_I64 = ir.IntType(64)

# ------------------------------------------------------------------------------- on the side of Python


class Pointer:
    """Where the items of an array lie. Valid while the array lives; `Pointer.none(kind)` points nowhere."""

    __slots__ = ("_numba_type_", "address")

    def __init__(self, array: Any):
        assert array.flags.c_contiguous
        self.address = array.ctypes.data
        self._numba_type_ = _pointer_to(array.dtype)

    @classmethod
    def none(cls, kind: Any) -> Pointer:
        pointer = cls.__new__(cls)
        pointer.address = 0
        pointer._numba_type_ = _pointer_to(np.dtype(kind))
        return pointer


class Function:
    """A function of a game's ABI at an address; 0 where the game never needs it."""

    __slots__ = ("_numba_type_", "address")

    def __init__(self, name: str, address: int):
        self.address = address
        self._numba_type_ = _FUNCTIONS[name]


class Callback:
    """A kernel (kernels.called_by_address) that others call by its address, compiled only where it is needed.

    `taken` are arguments of the types that it takes. It gives an integer.
    """

    __slots__ = ("_numba_type_", "address")

    def __init__(self, kernel: Any, taken: tuple[Any, ...], needed: bool):
        kinds = tuple(typeof(part) for part in taken)
        self._numba_type_ = FunctionType(types.int64, kinds)
        self.address = 0
        if needed:
            kernel.compile(kinds)
            code = kernel.overloads[kinds]
            self.address = code.library.get_pointer_to_function(code.fndesc.llvm_cfunc_wrapper_name)


class Struct:
    """A NamedTuple of numbers, arrays, functions and other structs as kernels take it: at one address, by one
    type."""

    __slots__ = ("_memory", "_numba_type_", "_record", "address")

    def __init__(self, record: Any):
        self._record = record  # keeps its arrays alive
        kinds, values = zip(*map(_as_member, record), strict=True)
        name: Any = type(record)
        self._numba_type_, form = _struct_type(name, kinds)
        self._memory = ctypes.create_string_buffer(pack(form, *values))
        self.address = ctypes.addressof(self._memory)


def struct(record: Any) -> Struct:
    """A NamedTuple as kernels take it, its arrays as pointers, which it keeps alive."""
    return Struct(record)


def _as_member(part: Any) -> tuple[Any, int | float]:
    if isinstance(part, np.ndarray):
        assert part.flags.c_contiguous
        return _pointer_to(part.dtype), part.ctypes.data
    if isinstance(part, Pointer | Function | Callback | Struct):
        return part._numba_type_, part.address
    if isinstance(part, float):
        return types.float64, part
    return types.int64, int(part)


@cache
def _struct_type(record: Any, kinds: tuple[Any, ...]) -> tuple[StructType, str]:
    form = "".join("d" if kind == types.float64 else "q" for kind in kinds)
    return StructType(record.__qualname__, tuple(zip(record._fields, kinds, strict=True))), form


# ------------------------------------------------------------------------------------------- types


class PointerType(types.Type):  # type: ignore[misc]
    """To items of a type of numba."""

    def __init__(self, dtype: Any):
        self.dtype = dtype
        super().__init__(name=f"Pointer({dtype})")


class StructType(types.Type):  # type: ignore[misc]
    """What a kernel holds of a NamedTuple: names and types of its members."""

    def __init__(self, title: str, members: tuple[tuple[str, Any], ...]):
        self.members = members
        super().__init__(name=f"Struct({title}, {members})")


class RecordType(types.Type):  # type: ignore[misc]
    """A record at some address. Its fields: name, type of numba, offset, whether it is the first of many."""

    def __init__(self, title: str, fields: tuple[tuple[str, Any, int, bool], ...]):
        self.fields = {name: (dtype, offset, many) for name, dtype, offset, many in fields}
        super().__init__(name=f"Record({title}, {fields})")


class FunctionType(types.Callable):  # type: ignore[misc]
    """A function of the ABI, or a kernel called by its address: by the types of what it takes and gives."""

    def __init__(self, result: Any, parameters: tuple[Any, ...]):
        self.result = result
        self.parameters = parameters
        super().__init__(name=f"Function({self.result}, {self.parameters})")

    def get_call_type(self, context: Any, arguments: Any, named: Any) -> Any:
        if named or len(arguments) != len(self.parameters):
            return None
        fits = all(_fits(given, wanted) for given, wanted in zip(arguments, self.parameters, strict=True))
        if not fits:
            return None
        taken = [
            wanted if isinstance(wanted, types.Number) else given
            for given, wanted in zip(arguments, self.parameters, strict=True)
        ]
        return signature(_wide(self.result), *taken, recvr=self)

    def get_call_signatures(self) -> Any:
        return [signature(_wide(self.result), *self.parameters)], False

    def get_impl_key(self, sig: Any) -> Any:
        return FunctionType


_SCALARS = {
    "void": types.none,
    "u8": types.uint8,
    "i32": types.int32,
    "u32": types.uint32,
    "i64": types.int64,
    "u64": types.uint64,
    "f64": types.float64,
}


def _parameter(name: str) -> Any:
    return PointerType(_SCALARS[name[:-1]]) if name.endswith("*") else _SCALARS[name]


def _fits(given: Any, wanted: Any) -> bool:
    """Whether an argument is what a function takes: a number, or a pointer to, or array of, such items."""
    if isinstance(wanted, types.Number):
        return _storable(given, wanted)
    if isinstance(given, types.Array):
        return bool(given.layout == "C" and given.dtype == wanted.dtype)
    return bool(given == wanted)


def _of_abi(function: abi.Function) -> FunctionType:
    return FunctionType(
        _SCALARS[function.result], tuple(_parameter(part.type) for part in function.parameters)
    )


def _pointer_to(kind: Any) -> PointerType:
    found = _POINTERS.get(kind)
    if found is None:
        found = _POINTERS[kind] = PointerType(from_dtype(kind))
    return found


_POINTERS: dict[Any, PointerType] = {}
_FUNCTIONS = {name: _of_abi(function) for name, function in abi.FUNCTIONS.items()}


def _wide(dtype: Any) -> Any:
    """What an item is read as: small integers as 64 bits, so that a kernel has one signature."""
    if isinstance(dtype, types.Integer) and dtype.bitwidth < 64:
        return types.int64
    return dtype


def _widened(builder: Any, value: Any, dtype: Any) -> Any:
    if _wide(dtype) == dtype:
        return value
    return builder.sext(value, _I64) if dtype.signed else builder.zext(value, _I64)


def _narrowed(builder: Any, value: Any, dtype: Any) -> Any:
    return value if _wide(dtype) == dtype else builder.trunc(value, ir.IntType(dtype.bitwidth))


def _storable(given: Any, dtype: Any) -> bool:
    """Whether a number may be stored as an item: no float as an integer."""
    return isinstance(given, types.Integer | types.Boolean) or (
        isinstance(given, types.Float) and isinstance(dtype, types.Float)
    )


# ---------------------------------------------------------------------------------------- from Python

extending.register_model(PointerType)(models.PointerModel)


@extending.register_model(RecordType)
class _RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, record: Any):
        super().__init__(manager, record, ir.IntType(8).as_pointer())


@extending.register_model(FunctionType)
class _FunctionModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, function: Any):
        super().__init__(manager, function, ir.IntType(8).as_pointer())


@extending.register_model(StructType)
class _StructModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@extending.typeof_impl.register(Pointer)
@extending.typeof_impl.register(Function)
@extending.typeof_impl.register(Struct)
def _typeof(value: Any, context: Any) -> Any:
    return value._numba_type_


@extending.unbox(PointerType)
@extending.unbox(FunctionType)
@extending.unbox(StructType)
def _unbox(kind: Any, value: Any, c: Any) -> Any:
    pointer = c.builder.inttoptr(_address_of(value, c), c.context.get_value_type(kind))
    return extending.NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def _address_of(value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return address


# ---------------------------------------------------------------------------------------- in kernels


@templates.infer_global(operator.getitem)
class _GetItem(templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, named: Any) -> Any:
        pointer, i = arguments
        if isinstance(pointer, PointerType) and isinstance(i, types.Integer):
            return signature(_wide(pointer.dtype), pointer, types.int64)
        return None


@lower(operator.getitem, PointerType, types.Integer)
def _get_item(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    pointer, i = arguments
    return _widened(builder, builder.load(builder.gep(pointer, [i])), sig.args[0].dtype)


@templates.infer_global(operator.setitem)
class _SetItem(templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, named: Any) -> Any:
        pointer, i, value = arguments
        if (
            isinstance(pointer, PointerType)
            and isinstance(i, types.Integer)
            and _storable(value, pointer.dtype)
        ):
            return signature(types.none, pointer, types.int64, _wide(pointer.dtype))
        return None


@lower(operator.setitem, PointerType, types.Integer, types.Any)
def _set_item(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    pointer, i, value = arguments
    builder.store(_narrowed(builder, value, sig.args[0].dtype), builder.gep(pointer, [i]))
    return context.get_dummy_value()


@templates.infer_global(operator.add)
class _Add(templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, named: Any) -> Any:
        pointer, i = arguments
        if isinstance(pointer, PointerType) and isinstance(i, types.Integer):
            return signature(pointer, pointer, types.int64)
        return None


@lower(operator.add, PointerType, types.Integer)
def _add(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.gep(arguments[0], [arguments[1]])


@templates.infer_global(bool)
class _Truth(templates.AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, named: Any) -> Any:
        points = isinstance(arguments[0], PointerType | FunctionType)
        return signature(types.boolean, *arguments) if points else None


@lower(bool, FunctionType)
@lower(bool, PointerType)
def _truth(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return cgutils.is_not_null(builder, arguments[0])


@templates.infer_getattr
class _Members(templates.AttributeTemplate):  # type: ignore[misc]
    key = StructType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        return dict(kind.members).get(name)


@imputils.lower_getattr_generic(StructType)
def _get_member(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    """Members lie one after another, 8 bytes each. None changes while a kernel runs: it may be read once."""
    names, kinds = zip(*kind.members, strict=True)
    i = names.index(name)
    place = builder.gep(value, [_I64(8 * i)])
    number = builder.load(builder.bitcast(place, context.get_value_type(kinds[i]).as_pointer()))
    number.set_metadata("invariant.load", builder.module.add_metadata([]))
    return number


@lower(FunctionType, types.VarArg(types.Any))
def _call(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    function, *kinds = sig.args
    address, *given = arguments
    passed = [
        _data(context, builder, kind, value) if isinstance(kind, types.Array) else value
        for kind, value in zip(kinds, given, strict=True)
    ]
    result = ir.VoidType() if function.result == types.none else context.get_value_type(function.result)
    code = ir.FunctionType(result, [value.type for value in passed]).as_pointer()
    answer = builder.call(builder.bitcast(address, code), passed)
    if function.result == types.none:
        return context.get_dummy_value()
    return _widened(builder, answer, function.result)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


@intrinsic
def pointer_to(typing: Any, array: Any) -> Any:
    """To the first item of an array."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _data(context, builder, sig.args[0], arguments[0])

    return PointerType(array.dtype)(array), generate


def _seen_as(kind: Any) -> Any:
    def see(typing: Any, pointer: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(kind))

        return (kind(pointer), generate) if isinstance(pointer, PointerType) else None

    return see


as_words = intrinsic(_seen_as(PointerType(types.uint64)))
as_integers = intrinsic(_seen_as(PointerType(types.int64)))
as_floats = intrinsic(_seen_as(PointerType(types.float64)))


# ------------------------------------------------------------------------------------------- records


def records(title: str, kind: Any, pointer: str, size: str) -> Any:
    """What gives a record by its number, `f(holder, i)`: `holder` is a struct whose members of these names
    are the pointer to the first one and the bytes from one to the next. Records have the fields of a
    structured dtype; the last may be the first of many (a subarray of no length)."""
    record = RecordType(title, tuple(_field_of(name, *kind.fields[name][:2]) for name in kind.names))

    def see(typing: Any, holder: Any, i: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            struct, number = arguments
            first, bytes_ = (_get_member(context, builder, holder, struct, name) for name in (pointer, size))
            return builder.gep(first, [builder.mul(number, bytes_)])

        if isinstance(holder, StructType) and isinstance(i, types.Integer):
            return record(holder, types.int64), generate
        return None

    return intrinsic(see)


def _field_of(name: str, kind: Any, offset: Any) -> tuple[str, Any, int, bool]:
    base, shape = kind.subdtype or (kind, None)
    return name, from_dtype(base), int(offset), shape is not None


@templates.infer_getattr
class _Fields(templates.AttributeTemplate):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, record: Any, name: str) -> Any:
        if name not in record.fields:
            return None
        dtype, _, many = record.fields[name]
        return PointerType(dtype) if many else _wide(dtype)


def _field(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
    dtype, offset, _ = record.fields[name]
    place = builder.gep(value, [_I64(offset)])
    return builder.bitcast(place, context.get_value_type(dtype).as_pointer())


@imputils.lower_getattr_generic(RecordType)
def _get_field(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
    place = _field(context, builder, record, value, name)
    dtype, _, many = record.fields[name]
    return place if many else _widened(builder, builder.load(place), dtype)


@imputils.lower_setattr_generic(RecordType)
def _set_field(context: Any, builder: Any, sig: Any, arguments: Any, name: str) -> Any:
    record, (value, number) = sig.args[0], arguments
    number = _narrowed(builder, number, record.fields[name][0])
    builder.store(number, _field(context, builder, record, value, name))
    return context.get_dummy_value()


# ------------------------------------------------------------------------------------ shared memory

# Places that several threads share: an item of a pointer, or a field of a record by its name. Every operation
# is sequentially consistent.


def _place(context: Any, builder: Any, kind: Any, value: Any, where: Any, index: Any) -> Any:
    if isinstance(kind, RecordType):
        return _field(context, builder, kind, value, where.literal_value)
    return builder.gep(value, [index])


def _item_of(kind: Any, where: Any) -> Any:
    """The type of what lies there; None where nothing does."""
    if isinstance(kind, PointerType) and isinstance(where, types.Integer):
        return kind.dtype
    if isinstance(kind, RecordType) and isinstance(where, types.StringLiteral):
        dtype, _, many = kind.fields[where.literal_value]
        return None if many else dtype
    return None


@intrinsic(prefer_literal=True)
def atomic_add(typing: Any, base: Any, where: Any, amount: Any) -> Any:
    """Adds to the item `where` of a pointer, or the field of a record; gives what was there before."""
    dtype = _item_of(base, where)
    if dtype is None or not _storable(amount, dtype):
        return None

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = _place(context, builder, base, arguments[0], where, arguments[1])
        operation = "fadd" if isinstance(dtype, types.Float) else "add"
        number = _narrowed(builder, arguments[2], dtype)
        return _widened(builder, builder.atomic_rmw(operation, place, number, "seq_cst"), dtype)

    index = where if isinstance(base, RecordType) else types.int64
    return _wide(dtype)(base, index, _wide(dtype)), generate


@intrinsic(prefer_literal=True)
def compare_and_swap(typing: Any, base: Any, where: Any, expected: Any, new: Any) -> Any:
    """Stores `new` where `expected` stands; gives what was there before."""
    dtype = _item_of(base, where)
    if dtype is None or not isinstance(dtype, types.Integer):
        return None

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = _place(context, builder, base, arguments[0], where, arguments[1])
        old, stored = (_narrowed(builder, number, dtype) for number in arguments[2:])
        pair = builder.cmpxchg(place, old, stored, "seq_cst", "seq_cst")
        return _widened(builder, builder.extract_value(pair, 0), dtype)

    index = where if isinstance(base, RecordType) else types.int64
    return types.int64(base, index, types.int64, types.int64), generate


# ------------------------------------------------------------------------------------------- memory


@intrinsic
def prefetch(typing: Any, pointer: Any) -> Any:
    """Asks for a cache line that will be read soon."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [builder.bitcast(arguments[0], byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(pointer), generate


@intrinsic
def copy_bytes(typing: Any, target: Any, source: Any, size: Any) -> Any:
    """Copies `size` bytes, aligned to 8, from one place to another; they do not overlap."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        to, given = (builder.bitcast(pointer, byte) for pointer in arguments[:2])
        cgutils.raw_memcpy(builder, to, given, arguments[2], 1, align=8)
        return context.get_dummy_value()

    return types.void(target, source, types.int64), generate
