// A stand-in for Visual Studio Code: runs the extension against the real server and prints what it would show.
// node stand_in.js EXTENSION COMMAND(json) TEXT(json)
"use strict";

const Module = require("module");

const [, , extension, command, text] = process.argv;
const providers = {}, listeners = {}, commands = {}, shown = [];
let published = () => {};

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
const record = (name, ...fields) => class {
  constructor(...values) { fields.forEach((field, number) => { this[field] = values[number]; }); }
};
const uri = { toString: () => "file:///games/test.gdl" };
const document = { uri, languageId: "gdl", version: 1, getText: () => JSON.parse(text) };

const vscode = {
  Position, Range,
  Hover: record("Hover", "contents", "range"),
  MarkdownString: record("MarkdownString", "value"),
  Location: record("Location", "uri", "range"),
  TextEdit: record("TextEdit", "range", "newText"),
  Diagnostic: record("Diagnostic", "range", "message", "severity"),
  DiagnosticRelatedInformation: record("DiagnosticRelatedInformation", "location", "message"),
  DocumentHighlight: record("DocumentHighlight", "range"),
  DocumentSymbol: record("DocumentSymbol", "name", "detail", "kind", "range", "selectionRange"),
  CompletionItem: record("CompletionItem", "label", "kind"),
  SignatureHelp: record("SignatureHelp"),
  SignatureInformation: record("SignatureInformation", "label", "documentation"),
  ParameterInformation: record("ParameterInformation", "label"),
  CodeAction: record("CodeAction", "title", "kind"),
  CodeLens: record("CodeLens", "range", "command"),
  InlayHint: record("InlayHint", "position", "label", "kind"),
  SemanticTokens: record("SemanticTokens", "data"),
  SemanticTokensLegend: record("SemanticTokensLegend", "types", "modifiers"),
  WorkspaceEdit: class { constructor() { this.edits = []; } set(at, edits) { this.edits.push(...edits); } },
  CodeActionKind: { Empty: { append: (kind) => kind } },
  EventEmitter: class { constructor() { this.event = () => {}; } fire() {} },
  Uri: { parse: (name) => ({ toString: () => name }) },
  languages: new Proxy({}, {
    get: (_, name) => name === "createDiagnosticCollection"
      ? () => ({ set: (_uri, found) => published(found) })
      : (_language, provider) => { providers[name] = provider; return {}; },
  }),
  workspace: {
    textDocuments: [document],
    getConfiguration: () => ({ get: () => JSON.parse(command) }),
    onDidOpenTextDocument: (listener) => { listeners.opened = listener; },
    onDidChangeTextDocument: (listener) => { listeners.changed = listener; },
    onDidCloseTextDocument: (listener) => { listeners.closed = listener; },
  },
  commands: { registerCommand: (name, run) => { commands[name] = run; } },
  window: { showErrorMessage: (said) => shown.push(said), showInformationMessage: (said) => shown.push(said) },
};

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const { activate, deactivate } = require(extension);
  const next = () => new Promise((resolve) => { published = resolve; });
  let waiting = next();
  await activate({ subscriptions: [] });
  const answers = {};
  answers.first = await waiting;
  const whole = new Range(new Position(0, 0), new Position(999, 0));
  const place = (piece) => {
    const before = JSON.parse(text).slice(0, JSON.parse(text).indexOf(piece)).split("\n");
    return new Position(before.length - 1, before[before.length - 1].length);
  };
  const turn = place("turn = next");
  const ask = (name) => providers[`register${name}Provider`];
  answers.hover = await ask("Hover").provideHover(document, turn);
  answers.definition = await ask("Definition").provideDefinition(document, turn);
  answers.references = await ask("Reference").provideReferences(document, turn, { includeDeclaration: true });
  answers.highlights = await ask("DocumentHighlight").provideDocumentHighlights(document, turn);
  answers.prepared = await ask("Rename").prepareRename(document, turn);
  answers.renamed = await ask("Rename").provideRenameEdits(document, turn, "mover_now");
  answers.completion = await ask("CompletionItem").provideCompletionItems(document, turn);
  const inside = new Position(turn.line, turn.character + "turn = next(".length);
  answers.signature = await ask("SignatureHelp").provideSignatureHelp(document, inside);
  answers.symbols = await ask("DocumentSymbol").provideDocumentSymbols(document);
  answers.formatting = await ask("DocumentFormattingEdit").provideDocumentFormattingEdits(document, { tabSize: 4, insertSpaces: true });
  answers.hints = await ask("InlayHints").provideInlayHints(document, whole);
  answers.lenses = await ask("CodeLens").provideCodeLenses(document);
  answers.tokens = Array.from((await ask("DocumentSemanticTokens").provideDocumentSemanticTokens(document)).data);
  waiting = next();
  document.version = 2;
  listeners.changed({ document, contentChanges: [{ range: new Range(turn, turn), text: "x" }] });
  answers.broken = await waiting;
  answers.actions = await ask("CodeActions").provideCodeActions(document, new Range(turn, turn), {});
  waiting = next();
  const behind = new Position(turn.line, turn.character + 1);
  document.version = 3;
  listeners.changed({ document, contentChanges: [{ range: new Range(turn, behind), text: "" }] });
  answers.mended = await waiting;
  const { command: name, arguments: given } = answers.lenses[0].command;
  answers.tested = await commands[name](...given);
  answers.shown = shown;
  await deactivate();
  process.stdout.write(JSON.stringify(answers));
}

main().catch((error) => { process.stderr.write(`${error.stack}\n${shown}`); process.exit(1); });
