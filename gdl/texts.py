"""The bytes of a file as text: UTF-8, with line ends of one kind."""

from __future__ import annotations

from gdl.diagnostics import GameError
from gdl.diagnostics import wording as say


def decoded(name: str, data: bytes) -> str:
    """The text; raises GameError, which calls the file by this name, where it is none."""
    if b"\0" in data:
        raise GameError([say.not_text(name, data.index(b"\0"))])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GameError([say.not_text(name, error.start)]) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
