"""stub"""
from __future__ import annotations
from typing import Any
class Masks:
    def __init__(self, model: Any, facts: Any):
        self.planes: dict[str, set[int]] = {}
    def aggregate(self, scope: Any, node: Any) -> Any:
        return None
    def candidates(self, scope: Any, domain: Any, slot: Any, condition: Any) -> Any:
        return None
    def guard_mask(self, scope: Any, parameter: Any) -> Any:
        return None
