// Game files in Visual Studio Code: what `gdl lsp` knows, shown by the editor. Plain JavaScript, nothing to build.
"use strict";

const vscode = require("vscode");
const { Connection } = require("./connection");

const LANGUAGE = { language: "gdl" };
let connection, legend, diagnostics, lenses, hints;

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection("gdl");
  lenses = new vscode.EventEmitter();
  hints = new vscode.EventEmitter();
  context.subscriptions.push(
    diagnostics,
    vscode.workspace.onDidOpenTextDocument(opened),
    vscode.workspace.onDidChangeTextDocument(changed),
    vscode.workspace.onDidCloseTextDocument(closed),
    vscode.commands.registerCommand("gdl.restart", start),
    vscode.commands.registerCommand("gdl.test", test),
  );
  await start();
  context.subscriptions.push(...providers());
}

async function start() {
  if (connection) await connection.stop();
  const command = vscode.workspace.getConfiguration("gdl").get("command");
  const started = new Connection(command, {
    "textDocument/publishDiagnostics": published,
    "window/showMessage": ({ type, message }) =>
      type === 1 ? vscode.window.showErrorMessage(message) : vscode.window.showInformationMessage(message),
    "workspace/codeLens/refresh": () => lenses.fire(),
  }, (reason) => {
    if (reason && started === connection) vscode.window.showErrorMessage(`${command.join(" ")}: ${reason}`);
  });
  connection = started;
  const capabilities = {
    general: { positionEncodings: ["utf-16"] },
    workspace: { codeLens: { refreshSupport: true } },
  };
  try {
    const answer = await connection.request("initialize", { processId: process.pid, rootUri: null, capabilities });
    legend = answer.capabilities.semanticTokensProvider.legend;
    connection.notify("initialized", {});
    vscode.workspace.textDocuments.forEach(opened);
  } catch (error) {
    // What happened is shown when the connection ends.
  }
}

async function deactivate() {
  if (connection) await connection.stop();
}

// ------------------------------------------------------------------------- texts

const isGame = (document) => document.languageId === "gdl";

function opened(document) {
  if (!isGame(document)) return;
  const { version } = document;
  connection.notify("textDocument/didOpen", {
    textDocument: { uri: document.uri.toString(), languageId: "gdl", version, text: document.getText() },
  });
}

function changed({ document, contentChanges }) {
  if (!isGame(document) || !contentChanges.length) return;
  connection.notify("textDocument/didChange", {
    textDocument: { uri: document.uri.toString(), version: document.version },
    contentChanges: contentChanges.map(({ range, text }) => ({ range: plainRange(range), text })),
  });
  hints.fire();
}

function closed(document) {
  if (isGame(document)) connection.notify("textDocument/didClose", named(document));
}

function published({ uri, diagnostics: found }) {
  diagnostics.set(vscode.Uri.parse(uri), found.map(diagnosticOf));
}

// --------------------------------------------------------------------- providers

function providers() {
  const { languages } = vscode;
  const found = [
    languages.registerHoverProvider(LANGUAGE, { provideHover }),
    languages.registerDefinitionProvider(LANGUAGE, { provideDefinition }),
    languages.registerReferenceProvider(LANGUAGE, { provideReferences }),
    languages.registerDocumentHighlightProvider(LANGUAGE, { provideDocumentHighlights }),
    languages.registerRenameProvider(LANGUAGE, { prepareRename, provideRenameEdits }),
    languages.registerCompletionItemProvider(LANGUAGE, { provideCompletionItems }, "."),
    languages.registerSignatureHelpProvider(LANGUAGE, { provideSignatureHelp }, "(", ","),
    languages.registerDocumentSymbolProvider(LANGUAGE, { provideDocumentSymbols }),
    languages.registerDocumentFormattingEditProvider(LANGUAGE, { provideDocumentFormattingEdits }),
    languages.registerCodeActionsProvider(LANGUAGE, { provideCodeActions }),
    languages.registerCodeLensProvider(LANGUAGE, { provideCodeLenses, onDidChangeCodeLenses: lenses.event }),
    languages.registerInlayHintsProvider(LANGUAGE, { provideInlayHints, onDidChangeInlayHints: hints.event }),
  ];
  if (legend) {
    const words = new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers);
    found.push(languages.registerDocumentSemanticTokensProvider(LANGUAGE, { provideDocumentSemanticTokens }, words));
  }
  return found;
}

async function provideHover(document, position) {
  const found = await at("hover", document, position);
  return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), rangeOf(found.range));
}

async function provideDefinition(document, position) {
  const found = await at("definition", document, position);
  return found && locationOf(found);
}

async function provideReferences(document, position, { includeDeclaration }) {
  return (await at("references", document, position, { context: { includeDeclaration } })).map(locationOf);
}

async function provideDocumentHighlights(document, position) {
  const found = await at("documentHighlight", document, position);
  return found.map(({ range }) => new vscode.DocumentHighlight(rangeOf(range)));
}

async function prepareRename(document, position) {
  const { range, placeholder } = await at("prepareRename", document, position);
  return { range: rangeOf(range), placeholder };
}

async function provideRenameEdits(document, position, newName) {
  return editOf(await at("rename", document, position, { newName }));
}

async function provideCompletionItems(document, position) {
  const { items } = await at("completion", document, position);
  return items.map((item) => {
    // The kinds of the protocol begin with 1, those of the editor with 0.
    const made = new vscode.CompletionItem(item.label, item.kind - 1);
    made.detail = item.detail;
    made.sortText = item.sortText;
    return made;
  });
}

async function provideSignatureHelp(document, position) {
  const found = await at("signatureHelp", document, position);
  if (!found) return null;
  const help = new vscode.SignatureHelp();
  help.activeSignature = 0;
  help.activeParameter = found.activeParameter;
  help.signatures = found.signatures.map((signature) => {
    const made = new vscode.SignatureInformation(signature.label, signature.documentation || undefined);
    made.parameters = signature.parameters.map(({ label }) => new vscode.ParameterInformation(label));
    return made;
  });
  return help;
}

async function provideDocumentSymbols(document) {
  const symbolOf = (symbol) => {
    const made = new vscode.DocumentSymbol(
      symbol.name, "", symbol.kind - 1, rangeOf(symbol.range), rangeOf(symbol.selectionRange));
    made.children = (symbol.children || []).map(symbolOf);
    return made;
  };
  return (await about("documentSymbol", document)).map(symbolOf);
}

async function provideDocumentFormattingEdits(document, { tabSize, insertSpaces }) {
  const found = await about("formatting", document, { options: { tabSize, insertSpaces } });
  return (found || []).map(textEditOf);
}

async function provideCodeActions(document, range, { only }) {
  const context = { diagnostics: [], ...(only ? { only: [only.value] } : {}) };
  const found = await about("codeAction", document, { range: plainRange(range), context });
  return found.map((action) => {
    const kind = vscode.CodeActionKind.Empty.append(action.kind);
    const made = new vscode.CodeAction(action.title, kind);
    made.edit = editOf(action.edit);
    made.isPreferred = action.isPreferred;
    made.diagnostics = (action.diagnostics || []).map(diagnosticOf);
    return made;
  });
}

async function provideCodeLenses(document) {
  return (await about("codeLens", document)).map(({ range, command }) => new vscode.CodeLens(rangeOf(range), command));
}

async function provideInlayHints(document, range) {
  const found = await about("inlayHint", document, { range: plainRange(range) });
  return found.map(({ position, label, kind }) => new vscode.InlayHint(positionOf(position), label, kind));
}

async function provideDocumentSemanticTokens(document) {
  const { data } = await about("semanticTokens/full", document);
  return new vscode.SemanticTokens(new Uint32Array(data));
}

function test(...parameters) {
  return connection.request("workspace/executeCommand", { command: "gdl.test", arguments: parameters });
}

// ------------------------------------------------------- to and from the protocol

const named = (document) => ({ textDocument: { uri: document.uri.toString() } });

function about(method, document, more) {
  return connection.request(`textDocument/${method}`, { ...named(document), ...more });
}

function at(method, document, position, more) {
  return about(method, document, { position: { line: position.line, character: position.character }, ...more });
}

const plainRange = ({ start, end }) => ({
  start: { line: start.line, character: start.character },
  end: { line: end.line, character: end.character },
});
const positionOf = ({ line, character }) => new vscode.Position(line, character);
const rangeOf = ({ start, end }) => new vscode.Range(positionOf(start), positionOf(end));
const locationOf = ({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), rangeOf(range));
const textEditOf = ({ range, newText }) => new vscode.TextEdit(rangeOf(range), newText);

function editOf({ changes }) {
  const made = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(changes)) made.set(vscode.Uri.parse(uri), edits.map(textEditOf));
  return made;
}

function diagnosticOf({ range, message, severity, code, tags, relatedInformation }) {
  const made = new vscode.Diagnostic(rangeOf(range), message, severity - 1);
  made.code = code;
  made.source = "gdl";
  made.tags = tags || [];
  made.relatedInformation = (relatedInformation || []).map(
    ({ location, message: said }) => new vscode.DiagnosticRelatedInformation(locationOf(location), said));
  return made;
}

module.exports = { activate, deactivate };
