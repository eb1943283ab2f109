"""The random numbers of samples: the same in Python and in machine code.

A state is one 64-bit counter. Each draw takes the next 64 bits u, and the candidate in which u / 2^64 falls,
when the weights are laid end to end from 0 to 1, is the one that happens. Since both engines draw by this
rule, a seed gives the same play on either, unless machine code has to round a weight just there (a chance of
about 2^-50).
"""

from __future__ import annotations

INCREMENT = 0xA0761D6478BD642F
MIX = 0xE7037ED1A0B428DB
_MASK = (1 << 64) - 1


class RandomBits:
    """A stream of 64-bit random numbers: a Weyl sequence, mixed by one 64x64 -> 128 multiplication."""

    __slots__ = ("state",)

    def __init__(self, state: int):
        self.state = state

    def next(self) -> int:
        self.state = self.state + INCREMENT & _MASK
        product = self.state * (self.state ^ MIX)
        return product >> 64 ^ product & _MASK

    def below(self, stop: int) -> int:
        """A number from 0 to stop - 1."""
        return self.next() * stop >> 64
