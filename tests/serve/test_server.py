"""Pages, plays and people: what the socket says, and to whom."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from gdl.draw.pictures import Board, Stone
from gdl.loading import games
from gdl.model.types import Cells
from gdl.serve.pictures import board_data
from tests.serve.conftest import GAMES, Person, Refused, websockets


def get(address: str, path: str, **headers: str) -> tuple[int, bytes, Any]:
    request = urllib.request.Request(
        address + path, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def test_pages_and_pictures(address: str) -> None:
    status, page, headers = get(address, "")
    assert status == 200 and b"main.js" in page
    assert "default-src 'none'" in headers["content-security-policy"]
    assert [game["name"] for game in json.loads(get(address, "api/games")[1])] == list(GAMES)
    picture = json.loads(get(address, "api/picture/tictactoe")[1])
    (board,) = picture["picture"][0]
    assert board["kind"] == "grid" and len(board["stones"]) == 9


def test_no_file_but_those_of_the_page_is_read(address: str) -> None:
    for path in ("static/../app.py", "static/%2e%2e%2fapp.py", "static/app.py", "api/picture/..%2f..%2fgo"):
        assert get(address, path)[0] == 404


def test_requests_from_elsewhere_are_refused(address: str) -> None:
    port = address.rstrip("/").rpartition(":")[2]
    assert get(address, "", Host=f"evil.example:{port}")[0] == 403
    assert get(address, "", Host=f"localhost:{int(port) + 1}")[0] == 403
    assert get(address, "api/games", Origin="http://evil.example")[0] == 403
    assert get(address, "static/main.js", Sec_Fetch_Site="cross-site")[0] == 403
    # A link that stands elsewhere may be followed.
    assert get(address, "shared", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200

    async def connect() -> None:
        async with websockets.connect(f"ws://localhost:{port}/live", origin="http://evil.example"):
            pass

    with pytest.raises(websockets.InvalidStatus):
        asyncio.run(connect())


def test_a_play_against_an_agent(address: str) -> None:
    async def play() -> None:
        async with Person(address, "anna") as anna:
            await anna.ask("open", name="tictactoe", seats=["me", "random"])
            state = await anna.until(lambda play: play["turn"])
            assert len(state["view"]["moves"]) == 9
            assert state["view"]["moves"][0]["spots"] == [[0, 0]]
            await anna.ask("move", text="place(b2)", at=0)
            state = await anna.until(lambda play: play["view"]["at"] == 2)
            assert [step["mover"] for step in state["view"]["history"]] == [0, 1]
            with pytest.raises(Refused, match="place"):
                await anna.ask("move", text="place(b2)", at=2)
            await anna.ask("undo")
            state = await anna.until(lambda play: play["view"]["at"] == 0 and play["redo"])
            await anna.ask("redo")
            assert (await anna.until(lambda play: play["view"]["at"] == 2))["turn"]
            assert (await anna.ask("look", at=1))["mover"] == 1
            recorded = await anna.ask("record")
            assert recorded["format"] == "gdl playthrough 1"
            moves = [{"move": step["move"]} for step in recorded["plays"][0]["moves"]]
            await anna.ask("open", name="tictactoe", moves=moves, seats=["me", "me"])
            assert anna.news["play"]["view"]["at"] == 2

    asyncio.run(play())


def test_chance_is_shown_with_its_probability_and_taking_back_draws_nothing_anew(address: str) -> None:
    async def play() -> None:
        async with Person(address, "anna") as anna:
            await anna.ask("open", name="pig", seats=["me", "me"])
            await anna.ask("move", text="roll", at=0)
            step = anna.news["play"]["view"]["history"][0]
            assert step["odds"] == "1/6" and step["chance"].startswith("face = ")
            await anna.ask("undo")
            await anna.ask("move", text="roll", at=0)
            assert anna.news["play"]["view"]["history"][0] == step

    asyncio.run(play())


def test_dice_by_hand(address: str) -> None:
    async def play() -> None:
        async with Person(address, "anna") as anna:
            with pytest.raises(Refused, match="nothing is thrown"):
                await anna.ask("open", name="tictactoe", seats=["me", "me"])
                await anna.ask("hand", hand=True)
            with pytest.raises(Refused, match="hidden"):
                await anna.ask("open", name="kuhn_poker", seats=["me", "random"])
                await anna.ask("hand", hand=True)
            await anna.ask("open", name="pig", seats=["me", "hold_at(4)"])
            await anna.ask("hand", hand=True)
            await anna.ask("move", text="roll", at=0)
            state = anna.news["play"]
            assert [odds for _, odds in state["ways"]] == ["1/6"] * 6 and not state["turn"]
            for refused in (
                anna.ask("happen", way=6),
                anna.ask("happen", way=-1),
                anna.ask("move", text="roll", at=0),
            ):
                with pytest.raises(Refused):
                    await refused
            await anna.ask("undo")  # the throw was not meant
            assert anna.news["play"]["ways"] is None and anna.news["play"]["turn"]
            await anna.ask("move", text="roll", at=0)
            six = [label for label, _ in anna.news["play"]["ways"]].index("face = 6")
            await anna.ask("happen", way=six)
            view = anna.news["play"]["view"]
            assert "pot=6" in view["position"] and view["history"][0]["chance"] == "face = 6"
            await anna.ask("move", text="hold", at=1)
            await anna.until(lambda play: play["ways"])  # the agent throws, and asks as well
            await anna.ask("undo")  # back to one's own choice, not to the agent's, which would be made again
            assert anna.news["play"]["turn"] and "pot=6" in anna.news["play"]["view"]["position"]
            await anna.ask("move", text="hold", at=1)
            state = await anna.until(lambda play: play["ways"])
            one = [label for label, _ in state["ways"]].index("face = 1")
            await anna.ask("happen", way=one)
            state = await anna.until(lambda play: play["turn"])
            assert "banked=[6 0]" in state["view"]["position"]
            await anna.ask("hand", hand=False)
            await anna.ask("move", text="roll", at=3)
            assert anna.news["play"]["ways"] is None

    asyncio.run(play())


def test_two_people_see_only_what_their_player_sees_and_come_back(address: str) -> None:
    async def play() -> None:
        async with Person(address, "anna") as anna, Person(address, "ben") as ben:
            room = (await anna.ask("open", name="kuhn_poker", seats=["me", "me"]))["room"]
            await anna.ask("seats", seats=["me", "random"])
            await anna.ask("seats", seats=["me", "open"])
            assert anna.news["play"]["seating"] and anna.news["play"]["alone"]
            await ben.ask("join", room=room)
            state = await anna.until(lambda play: play["people"] == 2)
            assert [seat["mine"] for seat in state["seats"]] == [True, False]
            assert [seat["mine"] for seat in ben.news["play"]["seats"]] == [False, True]
            for person, hidden in ((anna, "bob=?"), (ben, "alice=?")):
                words = str(person.news["play"]["view"]["picture"])
                assert hidden in words and words.count("?") == 1
                assert person.news["play"]["view"]["position"] == ""
            assert ben.news["play"]["view"]["moves"] == []  # the moves are Anna's
            for refused in (
                ben.ask("move", text="check", at=0), ben.ask("undo"), anna.ask("record"),
                anna.ask("seats", seats=["me", "me"]), anna.ask("analyse", at=0), anna.ask("tree", at=0),
                anna.ask("curve"), ben.ask("restart"),
            ):  # fmt: skip
                with pytest.raises(Refused):
                    await refused
            async with Person(address, "eve") as eve:
                await eve.ask("join", room=room)
                assert eve.news["play"]["view"]["picture"] == []
                with pytest.raises(Refused):
                    await eve.ask("move", text="check", at=0)
            await anna.ask("move", text="bet", at=0)
            await ben.until(lambda play: play["turn"])
            await ben.socket.close()
            assert (await anna.until(lambda play: play["people"] == 1))["seating"]  # nobody waits for ever
            async with Person(address, "ben") as back:
                await back.ask("join", room=room)
                assert back.news["play"]["turn"]
                assert "alice=?" in str(back.news["play"]["view"]["picture"])
                await back.ask("move", text="call", at=1)
                assert "?" not in str(back.news["play"]["view"]["picture"])  # it is over

    asyncio.run(play())


def test_one_screen_is_handed_over(address: str) -> None:
    async def play() -> None:
        async with Person(address, "anna") as anna:
            await anna.ask("open", name="kuhn_poker", seats=["me", "me"])
            assert anna.news["play"]["cover"] == "alice" and anna.news["play"]["view"]["picture"] == []
            await anna.ask("reveal")
            assert "bob=?" in str(anna.news["play"]["view"]["picture"])
            await anna.ask("move", text="check", at=0)
            state = anna.news["play"]
            assert state["cover"] == "bob" and "bob=?" in str(state["view"]["picture"])

    asyncio.run(play())


def test_rules_are_changed_and_the_play_is_kept_where_it_stands(address: str) -> None:
    text = games()["tictactoe"].read_text(encoding="utf-8")

    async def play() -> None:
        async with Person(address, "anna") as anna:
            await anna.ask("open", name="tictactoe", seats=["me", "me"])
            await anna.ask("move", text="place(b2)", at=0)
            other = text.replace("move place(", "move put(")
            assert other != text
            found = await anna.ask("check", name="tictactoe", text=other)
            if found["good"]:  # its `expect` lines may name the move
                assert (await anna.ask("change", name="tictactoe", text=other))["kept"] == "position"
                assert anna.news["play"]["view"]["moves"][0]["text"].startswith("put(")
            same = text + "\n# said at the end\n"
            await anna.ask("open", name="tictactoe", seats=["me", "me"])
            await anna.ask("move", text="place(b2)", at=0)
            assert (await anna.ask("change", name="tictactoe", text=same))["kept"] == "play"
            assert anna.news["play"]["view"]["at"] == 1
            with pytest.raises(Refused):
                await anna.ask("change", name="tictactoe", text="game broken")
            assert anna.news["play"]["view"]["at"] == 1

    asyncio.run(play())


def test_mistakes_have_codes_places_and_fixes(address: str) -> None:
    text = games()["tictactoe"].read_text(encoding="utf-8")
    broken = text.replace("turn = next(turn)", "turn = nxt(turn)")
    assert broken != text

    async def check() -> None:
        async with Person(address, "anna") as anna:
            found = await anna.ask("check", name="tictactoe", text=broken)
            assert not found["good"]
            (problem,) = [each for each in found["diagnostics"] if each["severity"] == "error"]
            start, end = problem["span"]
            assert broken[start:end] == "nxt" and problem["code"].startswith("E")
            (edit,) = problem["fixes"][0]["edits"]
            assert broken[: edit[0]] + edit[2] + broken[edit[1] :] == text
            kinds = {broken[a:b]: kind for a, b, kind in found["tokens"]}
            assert kinds["game"] == "keyword" and kinds["place"] == "method"
            at = broken.index("nxt(turn)") + 1
            names = [each["name"] for each in await anna.ask("complete", name="t", text=broken, at=at)]
            assert "next" in names

    asyncio.run(check())


def test_an_analysis_says_how_it_knows(address: str) -> None:
    async def analyse() -> None:
        async with Person(address, "anna") as anna:
            await anna.ask("open", name="tictactoe", seats=["me", "me"])
            await anna.ask("move", text="place(a1)", at=0)
            await anna.ask("analyse", at=1, solver="alphabeta")
            answer = (await anna.hear("analysis"))["answer"]
            while any(move["worth"] is None for move in answer["moves"]):
                answer = (await anna.hear("analysis"))["answer"]
            # Only the middle holds the corner (the game is drawn by best play).
            exact = {move["text"]: move["worth"]["number"] for move in answer["moves"]}
            assert {move["worth"]["kind"] for move in answer["moves"]} == {"exact"}
            assert [text for text, number in exact.items() if number == 0] == ["place(b2)"]
            assert answer["proven"] and answer["solver"] == "alphabeta"

    asyncio.run(analyse())


def test_an_analysis_mixes_where_something_is_hidden(address: str) -> None:
    async def analyse() -> None:
        async with Person(address, "anna") as anna:
            # Kuhn, 1950: with the queen Alice never bets first, in any equilibrium.
            await anna.ask("open", name="kuhn_poker", seats=["me", "random"])
            while "alice=queen" not in str(anna.news["play"]["view"]["picture"]):
                await anna.ask("restart")
            await anna.ask("analyse", at=0)
            answer = (await anna.hear("analysis"))["answer"]
            while answer["moves"][0]["odds"] is None:
                answer = (await anna.hear("analysis"))["answer"]
            odds = {move["text"]: move["odds"] for move in answer["moves"]}
            assert odds["check"] > 0.999 and odds["bet"] < 0.001
            assert [move["text"] for move in answer["moves"] if move["best"]] == ["check"]

    asyncio.run(analyse())


def test_texts_and_agents_name_no_files(address: str) -> None:
    async def ask() -> None:
        async with Person(address, "anna") as anna:
            for agent in ("policy:/etc/passwd", "mixture(1: policy:/etc/passwd)"):
                await anna.ask("open", name="tictactoe", seats=[agent, "me"])
                state = await anna.until(lambda play: play["trouble"])
                assert "names a file" in state["trouble"]["message"]
            borrowed = "game stolen from secret\n"
            found = await anna.ask("check", name="mine", text=borrowed)
            assert not found["good"]
            with pytest.raises(Refused, match="no game"):
                await anna.ask("open", name="../pyproject")

    asyncio.run(ask())


def test_nonsense_is_answered(address: str) -> None:
    async def ask() -> None:
        async with Person(address, "anna") as anna:
            for said in ("[]", "no", '{"do": 3}', '{"do": "fly", "n": 1}', "[" * 5000):
                await anna.socket.send(said)
                assert "failed" in json.loads(await anna.socket.recv())
            for what, details in (
                ("open", {}), ("open", {"name": "tictactoe", "text": 3}), ("move", {"text": "x", "at": 0}),
                ("open", {"name": "tictactoe", "text": "x" * 200_000}), ("join", {"room": "nowhere"}),
                ("open", {"name": "tictactoe", "moves": [{"move": "place(z9)"}]}),
                ("open", {"name": "tictactoe", "params": {"none": 3}}),
            ):  # fmt: skip
                with pytest.raises(Refused):
                    await anna.ask(what, **details)
            await anna.ask("open", name="tictactoe", seats=["me", "me"])
            for seats in ({"0": "me"}, [{"a": 1}], "me", 7):
                for what in ("restart", "seats", "open"):
                    with pytest.raises(Refused, match="list of words"):
                        await anna.ask(what, name="tictactoe", seats=seats)
            await anna.ask("undo")  # everybody sits where they sat
            assert [seat["mine"] for seat in anna.news["play"]["seats"]] == [True, True]
            for at in (-5, 10**30):
                assert await anna.ask("complete", name="t", text="gam", at=at) is not None
                await anna.ask("explain", name="t", text="", at=at)
            anna.token = "short"
            with pytest.raises(Refused, match="token"):
                await anna.ask("open", name="tictactoe")

    asyncio.run(ask())


def test_what_stands_below_comes_with_a_look() -> None:
    cells = Cells("Cell", "grid", ("a1", "b1"), 1, 2)
    stones = (Stone("3", below=Stone("K", 1, "black")), Stone("3"))
    data = board_data(Board(cells, stones))
    assert data["palette"] == [["3", None, "", False, ["K", 1, "black", False]], ["3", None, "", False]]
    assert data["stones"] == [0, 1]
