"""What a game takes from other files: `game misere from tictactoe` and `use cards`.

The text of a game is data, perhaps a stranger's: what it names is looked for in its own folder and among
what comes with the program, nowhere else. A name is one word, so it has no path in it, and a link that leads
out of the folder is not followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from gdl.diagnostics import Diagnostic, GameError, Label, Source, Span
from gdl.diagnostics import wording as say
from gdl.paths import data_directory
from gdl.syntax import merge, parse, tree
from gdl.syntax.parse import Memory
from gdl.texts import decoded

Kind = Literal["game", "library"]
_FOLDERS: dict[Kind, str] = {"game": "games", "library": "library"}
"""Where those are that come with the program."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A game with all that it borrows in one tree, its own text alone, what is wrong with the texts, and for
    each borrowed text the place that names it."""

    file: tree.File
    own: tree.File
    mistakes: tuple[Diagnostic, ...]
    named: dict[Source, Span]

    def traced(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic; one about a borrowed text also shows by which lines it came to be read."""
        labels, span = list(diagnostic.labels), diagnostic.span
        while span is not None and (span := self.named.get(span.source)) is not None:
            labels.append(Label(span, "which is read from here"))
        return replace(diagnostic, labels=tuple(labels))

    def brought_home(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic, placed in the text of the game itself, for whoever shows nothing but that."""
        span, labels = diagnostic.span, self.traced(diagnostic).labels
        here = tuple(label for label in labels if label.span.source is self.own.source)
        if span is None or span.source is self.own.source:
            return replace(diagnostic, labels=here)
        message = f"{span}: {diagnostic.message}"
        return replace(diagnostic, span=here[-1].span, message=message, labels=here[:-1], fixes=())


def read_whole(source: Source, memory: Memory | None = None) -> Whole:
    """The syntax tree of a text together with the files that it borrows from; `memory` as in `parse`."""
    reader = _Reader()
    path = source.path.resolve() if source.path is not None else None
    own, mistakes = parse(source, memory)
    reader.mistakes += mistakes
    items = reader.completed(own, (path,) if path else ())
    if items and not reader.mistakes and all(map(merge.of_a_library, items)):
        reader.mistakes.append(say.library_alone(Span(source, 0, 0), path.stem if path else ""))
    return Whole(tree.File(source, items), own, tuple(reader.mistakes), reader.named)


@dataclass
class _Reader:
    mistakes: list[Diagnostic] = field(default_factory=list)
    named: dict[Source, Span] = field(default_factory=dict)
    libraries: dict[Path, merge.Items] = field(default_factory=dict)

    def completed(self, file: tree.File, chain: tuple[Path, ...]) -> merge.Items:
        """The items of a game and of what it borrows; `chain` are the files on the way to it, and its own."""
        source, own, base = file.source, file.items, merge.base_of(file.items)
        for item in own:
            if isinstance(item, tree.ExpectAll) and (base is None or item.base.id != base.id):
                self.mistakes.append(
                    say.expects_of_another(item.base.span, item.base.id, base.id if base else None)
                )
        used = self._used(own, source)
        if base is not None and (found := self._find("game", base, source)) is not None:
            if found in chain:
                names = [path.stem for path in (*chain[chain.index(found) :], found)]
                self.mistakes.append(say.circle_of_games(base.span, names))
            elif (text := self._read(found, base)) is not None:
                theirs = self.completed(self._parsed(text), (*chain, found))
                if theirs and not any(isinstance(item, tree.GameName) for item in theirs):
                    self.mistakes.append(say.not_a_game(base.span, base.id))
                own = merge.variant(theirs, own)
        return merge.with_libraries(used, own)

    def _used(self, items: merge.Items, source: Source) -> merge.Items:
        """What the libraries declare that these items use, each library once."""
        found: dict[int, tree.Item] = {}
        for name in (name for item in items if isinstance(item, tree.Use) for name in item.names):
            path = self._find("library", name, source)
            if path is not None and path not in self.libraries:
                self.libraries[path] = ()  # libraries may use each other
                self.libraries[path] = self._library(path, name)
            if path is not None:
                found |= {id(item): item for item in self.libraries[path]}
        return tuple(found.values())

    def _library(self, path: Path, name: tree.Name) -> merge.Items:
        text = self._read(path, name)
        if text is None:
            return ()
        file = self._parsed(text)
        if any(isinstance(item, tree.GameName) for item in file.items):
            self.mistakes.append(say.not_a_library(name.span, name.id))
            return ()
        for item in file.items:
            if not merge.of_a_library(item):
                self.mistakes.append(say.not_of_a_library(item.span, name.id))
        return merge.with_libraries(self._used(file.items, text), file.items)

    def _parsed(self, text: Source) -> tree.File:
        file, mistakes = parse(text)
        self.mistakes += mistakes
        return file

    def _find(self, kind: Kind, name: tree.Name, source: Source) -> Path | None:
        """The file of a game or a library that a text names; None if there is none that may be read."""
        beside = [source.path.parent] if source.path else []
        # What is a game and named as a library, or the other way round, is told when it is read.
        kinds = sorted(_FOLDERS, key=lambda other: other != kind)
        for folder in (*beside, *(data_directory(_FOLDERS[other]) for other in kinds)):
            path = folder / f"{name.id}.gdl"
            try:
                found = path.resolve(strict=True)
            except (OSError, RuntimeError):  # not there; a circle of links
                continue
            if found.parent != folder.resolve() or not found.is_file():
                self.mistakes.append(say.leads_out(name.span, path.name))
                return None
            return found
        known = sorted(path.stem for path in data_directory(_FOLDERS[kind]).glob("*.gdl"))
        self.mistakes.append(say.nothing_to_borrow(name.span, name.id, kind, known, source.path is not None))
        return None

    def _read(self, path: Path, name: tree.Name) -> Source | None:
        try:
            source = Source(_shown(path, name), decoded(path.name, path.read_bytes()), path)
        except OSError as error:
            self.mistakes.append(say.cannot_borrow(name.span, path.name, error.strerror or str(error)))
            return None
        except GameError as error:
            self.mistakes += (replace(d, span=name.span) for d in error.diagnostics)
            return None
        self.named[source] = name.span
        return source


def _shown(path: Path, name: tree.Name) -> str:
    """What diagnostics call a borrowed file: as its neighbour is called, or by its path."""
    beside = name.span.source
    if beside.path is not None and beside.path.resolve().parent == path.parent:
        return str(Path(beside.name).parent / path.name)
    return str(path)
