"""The server: requests of an editor, answered from the analysis of the text as it is now.

Diagnostics follow a change after a moment without another one; a request in between is answered at once, from
an analysis that is then kept for both. There is one thread, so an answer never mixes two versions of a text.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from gdl.diagnostics import Diagnostic, Edit, Fix, GameError, Severity, Source, Span
from gdl.lsp import expecting
from gdl.lsp.analysis import Analysis, analyse
from gdl.lsp.completion import Proposal, complete
from gdl.lsp.highlighting import KINDS, MODIFIERS, highlighted
from gdl.lsp.hints import inlay_hints
from gdl.lsp.hover import hover
from gdl.lsp.outline import Entry, outline
from gdl.lsp.positions import Positions
from gdl.lsp.rename import CannotRename, renamable, rename
from gdl.lsp.signatures import signature_help
from gdl.syntax import tree
from gdl.syntax.format import format_text
from gdl.syntax.parse import Memory

MOMENT = 0.03
"""Seconds without a change after which a text is checked."""

MOST_UNCOLLECTED = 500_000
"""Objects that may gather while an editor only asks and changes nothing; some fifty analyses."""

TEST = "gdl.test"
"""The command behind the lens of an `expect` line: a URI and a line from 1."""

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
_COMPLETIONS = {
    "keyword": lsp.CompletionItemKind.Keyword,
    "type": lsp.CompletionItemKind.Class,
    "variable": lsp.CompletionItemKind.Field,
    "field": lsp.CompletionItemKind.Property,
    "const": lsp.CompletionItemKind.Constant,
    "param": lsp.CompletionItemKind.Constant,
    "value": lsp.CompletionItemKind.EnumMember,
    "cell": lsp.CompletionItemKind.EnumMember,
    "local": lsp.CompletionItemKind.Variable,
    "move": lsp.CompletionItemKind.Method,
    "effect": lsp.CompletionItemKind.Method,
    "policy": lsp.CompletionItemKind.Method,
}
_SYMBOLS = {
    "game": lsp.SymbolKind.Module,
    "section": lsp.SymbolKind.Namespace,
    "variable": lsp.SymbolKind.Field,
    "player": lsp.SymbolKind.EnumMember,
    "type": lsp.SymbolKind.Class,
    "const": lsp.SymbolKind.Constant,
    "param": lsp.SymbolKind.Constant,
    "move": lsp.SymbolKind.Method,
    "effect": lsp.SymbolKind.Method,
    "policy": lsp.SymbolKind.Method,
    "expect": lsp.SymbolKind.Event,
}


@dataclass
class _Open:
    """A text that is open in the editor.

    It is kept here, not taken from pygls, for which other characters end a line than for editors.
    """

    text: str
    version: int | None = None
    memory: Memory = field(default_factory=dict)
    analysis: Analysis | None = None
    pending: asyncio.Task[None] | None = None
    verdicts: dict[str, str] = field(default_factory=dict)  # of expectations, by their text


class _Protocol(LanguageServerProtocol):
    """Leaves the changes of a text to us alone: pygls would also move their places on the way."""

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Iterator[Any]:
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None


class GameServer(LanguageServer):
    """A language server for game files."""

    def __init__(self) -> None:
        from importlib.metadata import version

        super().__init__("gdl", version("gdl-games"), protocol_cls=_Protocol)
        self.texts: dict[str, _Open] = {}

    def analysis(self, uri: str) -> Analysis:
        """Of the text as it is now."""
        if uri not in self.texts:  # a file that the editor asks about without having opened it
            self.opened(uri, self.workspace.get_text_document(uri).source, None)
        text = self.texts[uri]
        if text.analysis is None:
            text.analysis = analyse(text.text, to_fs_path(uri) or uri, text.memory, self.encoding)
            text.verdicts.clear()  # they were about other rules
        return text.analysis

    @property
    def encoding(self) -> str:
        """In which the editor counts."""
        return lsp.PositionEncodingKind(self.workspace.position_encoding or "utf-16").value

    def opened(self, uri: str, text: str, version: int | None) -> None:
        self.texts[uri] = _Open(text, version)

    def changed(
        self, uri: str, changes: Sequence[lsp.TextDocumentContentChangeEvent], version: int | None
    ) -> None:
        """Makes the changes, and checks the text after a moment, unless it changes again."""
        text = self.texts[uri]
        for change in changes:
            text.text = _changed(text.text, change, self.encoding)
        text.version, text.analysis = version, None
        if text.pending is not None:
            text.pending.cancel()
        text.pending = asyncio.get_running_loop().create_task(self._check_soon(uri))

    async def _check_soon(self, uri: str) -> None:
        await asyncio.sleep(MOMENT)
        self.publish(uri)
        gc.collect()

    def publish(self, uri: str) -> None:
        found = self.analysis(uri)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(
                uri, [_diagnostic(found, uri, d) for d in found.diagnostics], self.texts[uri].version
            )
        )

    def forget(self, uri: str) -> None:
        text = self.texts.pop(uri, None)
        if text is not None and text.pending is not None:
            text.pending.cancel()
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def serve() -> None:
    """Speaks with an editor over standard input and output until it says that it leaves."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        sys.stdout = sys.stderr  # nothing else may come between the messages
        logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_ours)
        _collect_between_answers()
        make_server().start_io(sys.stdin.buffer, out)


def _collect_between_answers() -> None:
    """Leaves looking for garbage to the moments behind an answer.

    An analysis that is no more is full of cycles. Behind each answer they go within some milliseconds; where
    that waits until many have gathered, the one who typed last waits longer for it than for being checked.
    """
    gc.collect()
    gc.freeze()  # what is imported stays
    gc.set_threshold(MOST_UNCOLLECTED, 100, 100)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether an entry of the log is about a bug: that a name cannot be changed is no more than an answer."""
    return not (record.exc_info and isinstance(record.exc_info[1], JsonRpcInvalidParams))


def make_server() -> GameServer:
    server = GameServer()
    for register in (_texts, _reading, _writing, _expectations):
        register(server)
    return server


# ------------------------------------------------------------------------- texts


def _texts(server: GameServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.opened(document.uri, document.text, document.version)
        server.publish(document.uri)
        gc.collect()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        server.changed(document.uri, params.content_changes, document.version)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)


# ----------------------------------------------------------------------- reading


def _reading(server: GameServer) -> None:
    """Requests that change nothing."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        found, offset = _place(server, params)
        about = hover(found, offset)
        if about is None:
            return None
        text, span = about
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), _range(found, span))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        found, offset = _place(server, params)
        name = found.at(offset)
        span = found.declaration(name.symbol) if name is not None else None
        if span is None:
            return None
        if span.source is found.source:
            return lsp.Location(params.text_document.uri, _range(found, span))
        if span.source.path is None:
            return None
        places = Positions(span.source.text, found.encoding)
        ends = [lsp.Position(*places.position(offset)) for offset in (span.start, span.end)]
        return lsp.Location(span.source.path.as_uri(), lsp.Range(*ends))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        found, offset = _place(server, params)
        name = found.at(offset)
        if name is None:
            return []
        wanted = found.names.of(name.symbol)
        if not params.context.include_declaration:
            wanted = [o for o in wanted if not o.declares]
        return [lsp.Location(params.text_document.uri, _range(found, o.span)) for o in wanted]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        found, offset = _place(server, params)
        name = found.at(offset)
        wanted = [] if name is None else found.names.of(name.symbol)
        return [lsp.DocumentHighlight(_range(found, o.span)) for o in wanted]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        found = server.analysis(params.text_document.uri)
        return [_symbol(found, entry) for entry in outline(found)]

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        found = server.analysis(params.text_document.uri)
        start, end = _offset(found, params.range.start), _offset(found, params.range.end)
        return [
            lsp.InlayHint(_position(found, at), text, lsp.InlayHintKind.Type)
            for at, text in inlay_hints(found, start, end)
        ]

    legend = lsp.SemanticTokensLegend(list(KINDS), list(MODIFIERS))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return lsp.SemanticTokens(_encoded(server.analysis(params.text_document.uri)))

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", ","]))
    def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        found = signature_help(*_place(server, params))
        if found is None:
            return None
        parameters = [lsp.ParameterInformation(parameter) for parameter in found.parameters]
        shown = lsp.SignatureInformation(found.label, found.about, parameters, found.active)
        return lsp.SignatureHelp([shown], 0, found.active)


# ----------------------------------------------------------------------- writing


def _writing(server: GameServer) -> None:
    """Requests that propose or make changes."""

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
    def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        found, offset = _place(server, params)
        memory = server.texts[params.text_document.uri].memory
        items = [_completion(p) for p in complete(found, offset, memory)]
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder:
        found, offset = _place(server, params)
        name = _or_refused(lambda: renamable(found, offset))
        return lsp.PrepareRenamePlaceholder(_range(found, name.span), name.symbol.name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        found, offset = _place(server, params)
        edits = _or_refused(lambda: rename(found, offset, params.new_name))
        return _workspace_edit(found, params.text_document.uri, edits)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        found = server.analysis(params.text_document.uri)
        text = found.source.text
        newline = "\r\n" if "\r\n" in text else "\n"
        try:
            after = format_text(Source(found.source.name, text.replace("\r\n", "\n")))
        except GameError:
            return None  # what is wrong is shown as diagnostics
        after = after.replace("\n", newline)
        whole = found.span(0, len(text))
        return [] if after == text else [lsp.TextEdit(_range(found, whole), after)]

    kinds = [lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(kinds))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        found = server.analysis(uri)
        start, end = _offset(found, params.range.start), _offset(found, params.range.end)
        made = [
            _action(found, uri, fix, d, preferred=number == 0)
            for d in found.diagnostics
            if d.span is not None and d.span.start <= end and start <= d.span.end
            for number, fix in enumerate(d.fixes)
        ]
        safe = [fix for d in found.diagnostics for fix in d.fixes[:1] if fix.safe]
        if safe:
            edits = _workspace_edit(found, uri, [edit for fix in safe for edit in fix.edits])
            title, kind = "mend all that is safe to mend", lsp.CodeActionKind.SourceFixAll
            made.append(lsp.CodeAction(title, kind, edit=edits))
        only = params.context.only
        return made if not only else [a for a in made if any(_is_kind(a.kind, wanted) for wanted in only)]


# ------------------------------------------------------------------ expectations


def _expectations(server: GameServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        found = server.analysis(uri)
        verdicts = server.texts[uri].verdicts
        lines = [item for item in found.file.items if isinstance(item, tree.Expect)]
        return [
            lsp.CodeLens(
                _range(found, item.span),
                lsp.Command(
                    title=verdicts.get(item.span.text, "▶ test"),
                    command=TEST,
                    arguments=[uri, item.span.line],
                ),
            )
            for item in lines
        ]

    @server.command(TEST)
    async def test(uri: str, line: int) -> Any:
        found = server.analysis(uri)
        text = found.source.text
        verdict = await expecting.examine_line(text, line)
        shown = expecting.verdict_shown(verdict)
        item = next((i for i in found.file.items if isinstance(i, tree.Expect) and i.span.line == line), None)
        if item is not None and uri in server.texts and server.analysis(uri).source.text == text:
            server.texts[uri].verdicts[item.span.text] = shown
        capabilities = server.client_capabilities.workspace
        if capabilities is not None and capabilities.code_lens is not None:
            server.workspace_code_lens_refresh(None)
        failed = isinstance(verdict, str) or verdict["status"] == "failed"
        kind = lsp.MessageType.Error if failed else lsp.MessageType.Info
        server.window_show_message(lsp.ShowMessageParams(kind, f"line {line}: {shown}"))
        return {"line": line, "shown": shown, "verdict": verdict}


# ------------------------------------------------------------- to and from the protocol


def _changed(text: str, change: lsp.TextDocumentContentChangeEvent, encoding: str) -> str:
    if isinstance(change, lsp.TextDocumentContentChangeWholeDocument):
        return change.text
    positions = Positions(text, encoding)
    start, end = (positions.offset(at.line, at.character) for at in (change.range.start, change.range.end))
    return text[:start] + change.text + text[end:]


def _place(server: GameServer, params: Any) -> tuple[Analysis, int]:
    found = server.analysis(params.text_document.uri)
    return found, _offset(found, params.position)


def _offset(found: Analysis, position: lsp.Position) -> int:
    return found.positions.offset(position.line, position.character)


def _position(found: Analysis, offset: int) -> lsp.Position:
    return lsp.Position(*found.positions.position(offset))


def _range(found: Analysis, span: Span) -> lsp.Range:
    return lsp.Range(_position(found, span.start), _position(found, span.end))


def _diagnostic(found: Analysis, uri: str, d: Diagnostic) -> lsp.Diagnostic:
    span = d.span or found.span(0, 0)
    return lsp.Diagnostic(
        range=_range(found, span),
        message=f"{d.message}\nhelp: {d.hint}" if d.hint else d.message,
        severity=_SEVERITIES[d.severity],
        code=d.code,
        source="gdl",
        tags=[lsp.DiagnosticTag.Unnecessary] if d.code in ("W101", "W102", "W106") else None,
        related_information=[
            lsp.DiagnosticRelatedInformation(lsp.Location(uri, _range(found, label.span)), label.message)
            for label in d.labels
        ],
    )


def _symbol(found: Analysis, entry: Entry) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        entry.name,
        _SYMBOLS.get(entry.kind, lsp.SymbolKind.Function),
        _range(found, entry.span),
        _range(found, entry.named_at),
        children=[_symbol(found, below) for below in entry.below],
    )


def _completion(proposal: Proposal) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        proposal.name,
        kind=_COMPLETIONS.get(proposal.kind, lsp.CompletionItemKind.Function),
        detail=proposal.detail or None,
        sort_text=f"{'0' if proposal.first else '1'}{proposal.name}",
    )


def _workspace_edit(found: Analysis, uri: str, edits: list[Edit]) -> lsp.WorkspaceEdit:
    changes = [lsp.TextEdit(_range(found, edit.span), edit.text) for edit in edits]
    return lsp.WorkspaceEdit(changes={uri: changes})


def _action(found: Analysis, uri: str, fix: Fix, d: Diagnostic, preferred: bool) -> lsp.CodeAction:
    return lsp.CodeAction(
        fix.title,
        lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(found, uri, d)],
        is_preferred=preferred and fix.safe,
        edit=_workspace_edit(found, uri, list(fix.edits)),
    )


def _is_kind(kind: Any, wanted: Any) -> bool:
    """Kinds are ordered by dots: `source.fixAll` is a `source`."""
    name, asked = str(getattr(kind, "value", kind)), str(getattr(wanted, "value", wanted))
    return name == asked or name.startswith(asked + ".")


def _encoded(found: Analysis) -> list[int]:
    """Semantic tokens as the protocol has them: each by its distance from the one before."""
    data: list[int] = []
    line, unit = 0, 0
    for start, end, kind, modifiers in highlighted(found):
        at_line, at_unit = found.positions.position(start)
        length = found.positions.position(end)[1] - at_unit
        bits = sum(1 << MODIFIERS.index(modifier) for modifier in modifiers)
        data += [
            at_line - line,
            at_unit - unit if at_line == line else at_unit,
            length,
            KINDS.index(kind),
            bits,
        ]
        line, unit = at_line, at_unit
    return data


def _or_refused(answer: Callable[[], Any]) -> Any:
    """The answer, or the words of a refusal as the error that editors show."""
    try:
        return answer()
    except CannotRename as refused:
        raise JsonRpcInvalidParams(str(refused)) from None
