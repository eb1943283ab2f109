"""Solved games as files: the values in them, and the page in a browser without any server of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gdl.loading import games
from gdl.serve.exporting import export_pages
from gdl.serve.offered import Offer
from tests.serve.test_browser import CHROMIUM, WAIT


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("pages")
    offer = Offer.of([games()[name] for name in ("halving", "textbook_tree", "kuhn_poker", "chess")])
    written = export_pages(offer, folder)
    assert [game["name"] for game in written["games"]] == ["halving", "textbook_tree"]
    why = {game["name"]: game["why"] for game in written["left_out"]}
    assert "what players see" in why["kuhn_poker"] and "positions" in why["chess"]
    return folder


def test_values_are_those_of_the_book(pages: Path) -> None:
    data = json.loads((pages / "textbook_tree.json").read_text(encoding="utf-8"))
    ((start, probability),) = data["start"]
    root = data["positions"][start]
    # Russell and Norvig, figure 5.2: the minimax decision is a1, with the value 3; the others are worth 2.
    assert probability == 1 and root["v"][0] == 3
    assert {move["t"]: move["w"] for move in root["o"]} == {"choose(a1)": 3, "choose(a2)": 2, "choose(a3)": 2}


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this system to look at the page with")
def test_the_page_works_from_a_plain_file_server(pages: Path) -> None:
    sync_api: Any = pytest.importorskip("playwright.sync_api")
    command = [sys.executable, "-u", "-m", "http.server", "-b", "127.0.0.1", "-d", str(pages), "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL) as server:
        try:
            assert server.stdout is not None
            port = server.stdout.readline().split("port ")[1].split()[0]
            with sync_api.sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
                page = browser.new_page()
                page.set_default_timeout(WAIT)
                page.goto(f"http://127.0.0.1:{port}/")
                page.click(".card >> text=Textbook tree")
                page.wait_for_selector(".choice")
                assert page.locator(".worth.best .text").all_text_contents() == ["choose(a1)"]
                page.click(".choice >> text=choose(a1)")
                page.wait_for_selector("text=The play is over (max 3, min -3)")
                browser.close()
        finally:
            server.terminate()
