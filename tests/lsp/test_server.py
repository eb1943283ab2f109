"""`gdl lsp` as an editor meets it: JSON-RPC over its standard streams, texts that break and are mended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import games
from tests.lsp.client import URI, Client, Refused
from tests.lsp.random_edits import edit_at_random

STONES = '''\
"""Take one or two stones; who takes the last one wins. 🎲"""
game stones

param start: 1..20 = 4

players: left, right

type Mood = {calm, wild "🎲"}

const bonus = 3

position:
    stones: 0..20 = start  # what is left
    spare: 0..3?
    mood: Mood = calm
    turn: player = left

player: turn

# Whether so many can be taken.
def enough(k: 1..2): stones >= k

effect pass_on(to: player):
    turn = to

move take(k: 1..2) when enough(k):
    let rest = stones - k
    stones = rest
    if spare is not none:
        stones += 0 * spare
    spare = none if k == 1 else bonus
    mood = wild
    pass_on(next(turn))

terminal: stones == 0 or mood == calm and stones == 20

utility: 1 if turn == right else -1

show:
    "{stones} left"

expect value == 1
expect value(start=3) == -1
'''


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    with Client() as client:
        client.open(STONES)
        yield client


@pytest.fixture
def stones(server: Client) -> Client:
    assert server.write(STONES) == []
    return server


def place(what: str, inside: str = "", text: str = STONES) -> tuple[int, int]:
    """Where a piece of text starts (and in it another one), as an editor counts: in UTF-16."""
    start = text.index(what) + (what.index(inside) if inside else 0)
    before = text[:start]
    line_start = before.rfind("\n") + 1
    return before.count("\n"), len(before[line_start:].encode("utf-16-le")) // 2


def said(hover: Any) -> str:
    text: str = hover["contents"]["value"]
    return text


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """What an editor makes of edits."""
    lines = text.split("\n")

    def offset(at: dict[str, int]) -> int:
        line = lines[at["line"]].encode("utf-16-le")[: 2 * at["character"]].decode("utf-16-le")
        return sum(len(each) + 1 for each in lines[: at["line"]]) + len(line)

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


# --------------------------------------------------------------------- diagnostics


def test_a_text_that_breaks_and_is_mended(stones: Client) -> None:
    (found,) = stones.write(STONES.replace("stones >= k", "stnes >= k"))
    assert (found["code"], found["severity"], found["source"]) == ("E101", 1, "gdl")
    line, unit = place("stones >= k")
    assert found["range"]["start"] == {"line": line, "character": unit}
    assert "did you mean `stones`?" in found["message"]
    (found,) = stones.write(STONES.replace("terminal: stones", "terminal stones"))
    assert found["code"].startswith("S")
    assert stones.write("")[0]["code"] == "S003"
    assert stones.write(STONES) == []


def test_edits_one_after_the_other_are_checked_once(stones: Client) -> None:
    line, unit = place("calm and")
    for letter in "abcde":
        at = {"line": line, "character": unit}
        stones.change({"range": {"start": at, "end": at}, "text": letter})
    (found,) = stones.diagnostics()
    assert "`edcbacalm`" in found["message"]
    assert not [m for m in stones.notified if m["method"] == "textDocument/publishDiagnostics"]


def test_places_are_counted_in_utf_16(stones: Client) -> None:
    broken = STONES.replace('wild "🎲"}', 'wild "🎲", calm}')
    (found,) = [d for d in stones.write(broken) if d["code"] == "E226"]
    line, unit = place("calm}", text=broken)
    assert found["range"]["start"] == {"line": line, "character": unit}


def test_places_are_counted_as_the_editor_asks() -> None:
    with Client(encodings=["utf-8"]) as client:
        assert client.capabilities["positionEncoding"] == "utf-8"
        broken = STONES.replace('wild "🎲"}', 'wild "🎲", calm}')
        (found,) = [d for d in client.open(broken) if d["code"] == "E226"]
        line = broken.split("\n")[found["range"]["start"]["line"]]
        assert found["range"]["start"]["character"] == len(line[: line.rindex("calm")].encode())


def test_windows_line_ends(stones: Client) -> None:
    assert stones.write(STONES.replace("\n", "\r\n")) == []
    assert stones.about("formatting", options={"tabSize": 4, "insertSpaces": True}) == []
    (edit,) = _formatting(stones, STONES.replace("\n", "\r\n").replace("= start", "=start"))
    assert edit["newText"] == STONES.replace("\n", "\r\n")


# -------------------------------------------------------------------------- reading


def test_hover_tells_type_size_and_comment(stones: Client) -> None:
    text = said(stones.at("hover", *place("stones = rest")))
    assert "stones: 0..20" in text
    assert "5 bits of the position" in text  # 21 values
    assert "what is left" in text
    text = said(stones.at("hover", *place("enough(k):")))
    assert "def enough(k: 1..2): bool" in text
    assert "Whether so many can be taken." in text
    assert "2 values, 1 bit" in said(stones.at("hover", *place("Mood = calm")))
    assert "after the last the first" in said(stones.at("hover", *place("next(turn)")))


def test_hover_tells_where_narrowing_comes_from(stones: Client) -> None:
    text = said(stones.at("hover", *place("0 * spare", "spare")))
    line = place("if spare is not none")[0] + 1
    assert "`spare` is `0..3`" in text
    assert f"line {line}: `if spare is not none:`" in text


def test_definition_and_references(stones: Client) -> None:
    found = stones.at("definition", *place("pass_on(next"))
    line, unit = place("effect pass_on", "pass_on")
    assert found["range"]["start"] == {"line": line, "character": unit}
    found = stones.at("definition", *place("calm and"))
    assert found["range"]["start"]["line"] == place("type Mood")[0]
    everywhere = stones.at("references", *place("stones: 0..20"), context={"includeDeclaration": True})
    code = STONES.partition("game stones")[2]
    assert len(everywhere) == code.count("stones")
    others = stones.at("references", *place("stones: 0..20"), context={"includeDeclaration": False})
    assert len(others) == len(everywhere) - 1


def test_definitions_lead_into_the_files_that_a_text_borrows_from(stones: Client, tmp_path: Path) -> None:
    base = STONES.replace("game stones", "game base")
    (tmp_path / "base.gdl").write_text(base, encoding="utf-8")
    variant = tmp_path / "variant.gdl"
    text = "game variant from base\n\nuse dice\n\nfeature half: stones div 2 + count(Die)\n"
    assert stones.open(text, variant.as_uri()) == []

    def leads_to(word: str) -> tuple[str, int]:
        line = next(number for number, here in enumerate(text.splitlines()) if word in here)
        at = {"line": line, "character": text.splitlines()[line].index(word)}
        found = stones.ask(
            "textDocument/definition", {"textDocument": {"uri": variant.as_uri()}, "position": at}
        )
        return found["uri"].rpartition("/")[2], found["range"]["start"]["line"]

    assert leads_to("stones") == ("base.gdl", place("stones: 0..20")[0])
    assert leads_to("base") == ("base.gdl", 0)
    assert leads_to("dice") == ("dice.gdl", 0)
    assert leads_to("Die")[0] == "dice.gdl"
    assert leads_to("half") == ("variant.gdl", 4)


def test_symbols(stones: Client) -> None:
    found = stones.about("documentSymbol")
    names = [symbol["name"] for symbol in found]
    assert names[:6] == ["stones", "start", "players", "Mood", "bonus", "position"]
    position = found[names.index("position")]
    assert [below["name"] for below in position["children"]] == ["stones", "spare", "mood", "turn"]


def test_inlay_hints_show_inferred_ranges(stones: Client) -> None:
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = {(h["position"]["line"], h["label"]) for h in stones.about("inlayHint", range=everything)}
    assert (place("let rest")[0], ": -1..19") in hints  # some are left before the end; k is 1 or 2
    assert (place("def enough")[0], " -> bool") in hints
    assert (place("const bonus")[0], ": 3..3") in hints


def test_semantic_tokens_tell_what_words_are(stones: Client) -> None:
    legend = stones.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = stones.about("semanticTokens/full")["data"]
    lines, kinds = STONES.split("\n"), {}
    line = unit = 0
    for down, right, length, kind, _ in zip(*(data[i::5] for i in range(5)), strict=True):
        line, unit = line + down, right if down else unit + right
        word = lines[line].encode("utf-16-le")[2 * unit : 2 * (unit + length)].decode("utf-16-le")
        kinds.setdefault(word, set()).add(legend[kind])
    assert kinds["calm"] == {"enumMember"}
    assert kinds["Mood"] == {"type"}
    assert kinds["enough"] == {"function"}
    assert kinds["stones"] >= {"property", "namespace"}
    assert kinds["terminal"] == {"keyword"}
    assert kinds["# what is left"] == {"comment"}


# -------------------------------------------------------------------------- writing


def test_rename_changes_every_place(stones: Client) -> None:
    found = stones.at("rename", *place("stones >= k"), newName="heap")
    text = applied(STONES, found["changes"][URI])
    head, code = STONES.split("game stones")
    assert text == head + "game stones" + code.replace("stones", "heap")
    assert stones.write(text) == []


def test_rename_of_a_local_keeps_to_its_scope(stones: Client) -> None:
    found = stones.at("rename", *place("let rest", "rest"), newName="left_over")
    assert applied(STONES, found["changes"][URI]) == STONES.replace("rest", "left_over")
    found = stones.at("rename", *place("(k: 1..2) when", "k"), newName="n")
    assert applied(STONES, found["changes"][URI]) == STONES.replace(
        "take(k: 1..2) when enough(k)", "take(n: 1..2) when enough(n)"
    ).replace("stones - k", "stones - n").replace("k == 1", "n == 1")


@pytest.mark.parametrize(
    ("at", "name", "reason"),
    [
        ("stones >= k", "2x", "cannot be a name"),
        ("stones >= k", "if", "cannot be a name"),
        ("stones >= k", "mood", "another `mood`"),
        ("stones >= k", "next", "already means something"),
        ("next(turn)", "following", "not declared in this file"),
        ("\nparam", "x", "there is no name here"),
    ],
)
def test_rename_is_refused_with_a_reason(stones: Client, at: str, name: str, reason: str) -> None:
    with pytest.raises(Refused, match=reason):
        stones.at("rename", *place(at), newName=name)


def test_rename_waits_for_mistakes_to_be_mended(stones: Client) -> None:
    stones.write(STONES.replace("stones - k", "stones - q"))
    with pytest.raises(Refused, match="mend the mistakes"):
        stones.at("rename", *place("stones >= k"), newName="heap")


def proposals(client: Client, text: str, behind: str) -> list[str]:
    """What is proposed behind a piece of text, the likeliest first."""
    client.write(text)
    line, unit = place(behind, text=text)
    *above, last = behind.split("\n")
    found = client.at("completion", line + len(above), len(last) + (0 if above else unit))["items"]
    return [item["label"] for item in sorted(found, key=lambda item: item["sortText"])]


@pytest.mark.parametrize(
    ("before", "after", "wanted", "unwanted"),
    [
        ("stones == 0 or mood == calm", "stones == 0 or mood == ", {"calm", "wild"}, {"pass_on", "take"}),
        (
            "wild\n    pass_on(next(turn))",
            "wild\n    pass_",
            {"pass_on", "stones", "let"},
            {"enough", "take", "calm"},
        ),
        ("mood: Mood = calm", "mood: ", {"Mood", "bool", "player"}, {"stones", "calm"}),
        ("let rest = stones - k", "let rest = ", {"k", "stones", "min", "enough"}, {"pass_on"}),
        ("expect value == 1\n", "expect ", {"value", "perft", "legal"}, {"stones"}),
        ("param start", "p", {"param", "position", "policy"}, {"stones"}),
        ("expect value == 1", "expect best == ", {"take"}, {"pass_on", "stones", "min"}),
        ("expect value == 1", "expect best == {take(1), ", {"take"}, {"pass_on", "stones", "min"}),
        ("expect value == 1", "expect legal after ", {"take"}, {"pass_on", "stones", "min"}),
        ("expect value == 1", "expect terminal after take(1), ", {"take"}, {"stones", "min"}),
        ("expect value == 1", "expect value(", {"left", "right", "start"}, {"take", "stones"}),
        ("expect value == 1", "expect perft(", {"start"}, {"left", "take", "stones"}),
        ("expect value == 1", "expect value(start=5, left=", {"random", "best"}, {"stones", "take"}),
        ("expect value == 1", "expect slow value ", {"after", "at", "within"}, {"stones", "take"}),
        ("if spare is not none", "if spa", {"spare", "stones"}, {"Mood = "}),
    ],
)
def test_completion_in_context(
    stones: Client, before: str, after: str, wanted: set[str], unwanted: set[str]
) -> None:
    found = proposals(stones, STONES.replace(before, after, 1), after)
    assert wanted <= set(found)
    assert not unwanted & set(found)


def test_values_of_the_expected_type_come_first(stones: Client) -> None:
    after = "stones == 0 or mood == "
    found = proposals(stones, STONES.replace("stones == 0 or mood == calm", after), after)
    assert set(found[:4]) & {"calm", "wild"}


def test_parts_of_records_and_cells_follow_a_dot(stones: Client) -> None:
    text = games()["chess"].read_text(encoding="utf-8")
    broken = text.replace("w in Wing:\n            if s.row ==", "w in Wing:\n            if s. ==")
    assert broken != text
    assert proposals(stones, broken, "w in Wing:\n            if s.") == ["col", "row"]


def test_signature_help(stones: Client) -> None:
    line, unit = place("enough(k):\n", "(")
    (shown,) = stones.at("signatureHelp", line, unit + 1)["signatures"]
    assert shown["label"] == "enough(k: 1..2)"
    text = STONES.replace("stones - k", "max(stones, k)")
    stones.write(text)
    line, unit = place("max(stones, k", text=text)
    assert stones.at("signatureHelp", line, unit + len("max(stones, "))["activeParameter"] == 1


@pytest.mark.parametrize(
    ("before", "after", "label", "active"),
    [
        ("stones - k", "max(", "max(a, b, …)", 0),
        ("stones - k", "max(stones, ", "max(a, b, …)", 1),
        ("pass_on(next(turn))", "pass_on(next(", "next(value)", 0),
        ("expect value == 1", "expect legal after take(", "take(k: 1..2)", 0),
    ],
)
def test_signature_help_while_the_bracket_is_open(
    stones: Client, before: str, after: str, label: str, active: int
) -> None:
    text = STONES.replace(before, after, 1)
    stones.write(text)
    line, unit = place(after, text=text)
    found = stones.at("signatureHelp", line, unit + len(after))
    assert (found["signatures"][0]["label"], found["activeParameter"]) == (label, active)


def _formatting(client: Client, text: str) -> list[dict[str, Any]]:
    client.write(text)
    edits: list[dict[str, Any]] = client.about("formatting", options={"tabSize": 4, "insertSpaces": True})
    return edits


def test_formatting(stones: Client) -> None:
    messy = STONES.replace("stones = rest", "stones=rest").replace("k: 1..2", "k:1..2")
    assert applied(messy, _formatting(stones, messy)) == STONES
    assert _formatting(stones, STONES + "move (") is None


def test_code_actions_mend(stones: Client) -> None:
    text = STONES.replace("stones == 0 or mood", "stnes == 0 || mood").replace(
        "spare is not none:", "spare is not none"
    )
    for _ in range(5):
        found = stones.write(text)
        if not found:
            break
        actions = stones.about("codeAction", range=found[0]["range"], context={"diagnostics": []})
        text = applied(text, actions[0]["edit"]["changes"][URI])
    assert text == STONES


def test_all_safe_fixes_at_once(stones: Client) -> None:
    text = STONES.replace(" or mood", " || mood").replace("spare is not none:", "spare is not none")
    stones.write(text)
    start = {"line": 0, "character": 0}
    context = {"diagnostics": [], "only": ["source.fixAll"]}
    (action,) = stones.about("codeAction", range={"start": start, "end": start}, context=context)
    assert applied(text, action["edit"]["changes"][URI]) == STONES


# --------------------------------------------------------------------- expectations


def test_a_lens_runs_its_expectation(stones: Client) -> None:
    wrong = STONES.replace("expect value(start=3) == -1", "expect value(start=3) == 1")
    stones.write(STONES)
    first, second = stones.about("codeLens")
    assert first["command"]["title"] == "▶ test"
    run = {"command": first["command"]["command"], "arguments": first["command"]["arguments"]}
    assert stones.ask("workspace/executeCommand", run)["verdict"]["status"] == "passed"
    assert stones.about("codeLens")[0]["command"]["title"].startswith("✓ passed")
    stones.write(wrong)
    first, second = stones.about("codeLens")
    assert first["command"]["title"] == "▶ test"  # the rules might be others now
    run = {"command": second["command"]["command"], "arguments": second["command"]["arguments"]}
    answer = stones.ask("workspace/executeCommand", run)
    assert answer["verdict"]["status"] == "failed"
    assert stones.about("codeLens")[1]["command"]["title"].startswith("✗ failed")


# ------------------------------------------------------------------------ endurance


@pytest.mark.parametrize(("game", "edits"), [("pig", 60), ("chess", 40)])
def test_random_edits_leave_it_alive_and_its_memory_flat(game: str, edits: int) -> None:
    """A few; `python -m tests.lsp` makes a thousand."""
    memory = edit_at_random(games()[game], edits, seed=7)
    assert max(memory) < 1.2 * memory[1] + 5_000
