"""The page in a real browser: what somebody does there in their first ten minutes.

Needs playwright and a chromium of the system; skipped, with the reason, where there is none.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on this system to look at the page with"
)

WAIT = 60_000  # milliseconds


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1400, "height": 850})
    page = context.new_page()
    page.set_default_timeout(WAIT)
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not troubles


def cells(page: Any, marked: str) -> Any:
    return page.locator(f".boardplace .cell.{marked}")


def select(area: Any, text: str, start: int, end: int) -> None:
    """Selects a part of the first place where a text stands."""
    area.evaluate(
        """(area, [text, start, end]) => { const at = area.value.indexOf(text); area.focus();
        area.setSelectionRange(at + start, at + end); }""",
        [text, start, end],
    )


def test_start_page_and_a_whole_game_against_mcts(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector(".card .board")
    page.fill(".find", "four")
    assert page.locator(".card:visible h2").all_text_contents() == ["Connect four"]
    page.click(".card:visible a")
    page.wait_for_selector(".boardplace .board")
    page.locator(".seat select").nth(1).evaluate(
        """select => { const agent = 'mcts(simulations=30)'; select.add(new Option(agent, agent));
        select.value = agent; select.dispatchEvent(new Event('change')); }"""
    )
    moves = 0
    while True:
        page.wait_for_selector(".status.mine, .status[data-over=yes]")
        if page.locator(".status[data-over=yes]").count():
            break
        drawn = page.get_attribute(".boardplace", "data-drawn")
        cells(page, "target").nth(moves % cells(page, "target").count()).click()
        page.wait_for_function(
            "drawn => document.querySelector('.boardplace').dataset.drawn !== drawn", arg=drawn
        )
        moves += 1
    assert moves >= 4  # nobody has four in a row before
    listed = page.locator(".moves li").count() - 1
    assert listed == page.locator(".boardplace .disc").count()
    assert "wins" in page.inner_text(".status") or "drawn" in page.inner_text(".status")
    # Step back through the play, and forward to the present.
    page.click(".moves li:nth-child(2) button")
    page.wait_for_function("() => document.querySelector('.status').textContent.startsWith('After 1 of')")
    assert page.locator(".boardplace .disc").count() == 1
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelectorAll('.boardplace .disc').length === 2")


def test_a_mistake_its_fix_and_the_new_game(page: Any, address: str) -> None:
    page.goto(f"{address}game/tictactoe")
    page.wait_for_selector(".editor[data-checked]")
    page.wait_for_selector(".paint .t-keyword")
    area = page.locator("textarea.code")
    select(area, "next(turn)", 1, 2)
    page.keyboard.press("Delete")
    page.wait_for_selector(".problem.error .fix")
    assert page.locator(".squiggle.error").inner_text() == "nxt"
    assert page.get_attribute(".problem.error", "data-code").startswith("E")
    page.click(".problem.error .fix")
    page.wait_for_selector(".problem.error", state="detached")
    assert "grid(3, 3)" in area.input_value()
    select(area, "grid(3, 3)", 0, 10)
    page.keyboard.insert_text("grid(3, 4)")
    page.wait_for_function("() => document.querySelectorAll('.boardplace .cell').length === 12")
    page.locator(".boardplace .cell").nth(3).click()
    page.wait_for_selector(".boardplace .disc")


def test_what_is_written_at_the_end_stays_in_sight(page: Any, address: str) -> None:
    page.goto(f"{address}game/tictactoe")
    page.wait_for_selector(".editor[data-checked]")
    page.locator("textarea.code").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nterminal: boa")
    page.wait_for_selector(".problem.error")  # the section is given twice; said below, where the text stood
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".complete:visible")
    bottom = page.locator(".scroller").bounding_box()
    for what in (".complete", ".paint .squiggle.error >> nth=-1"):
        box = page.locator(what).bounding_box()
        assert box["y"] >= bottom["y"] and box["y"] + box["height"] <= bottom["y"] + bottom["height"] + 1


def test_analysis_and_a_shared_link(page: Any, address: str, browser: Any) -> None:
    page.goto(f"{address}game/tictactoe")
    page.wait_for_selector(".boardplace .board")
    page.locator(".seat select").nth(1).select_option("me")
    page.wait_for_function("() => document.querySelectorAll('.seat select')[1]?.value === 'me'")
    page.locator(".boardplace .cell").nth(0).click()
    page.wait_for_selector(".boardplace .disc")
    page.click("#tab-analysis")
    page.click(".analysis .switch")
    page.wait_for_selector(".worth.best .knows.exact")
    # The corner is held by the middle alone (known since there are tables of the game).
    assert page.locator(".worth.best .text").all_text_contents() == ["place(b2)"]
    page.wait_for_selector(".evalbar:visible")
    page.click("header >> text=Share")
    page.wait_for_selector(".dialog")
    link = page.locator("input[aria-label='The play so far']").input_value()
    assert "/shared#" in link
    other = browser.new_context().new_page()
    other.goto(link)
    other.wait_for_selector(".boardplace .disc", timeout=WAIT)
    assert other.locator(".boardplace .disc").count() == 1
    assert other.locator(".moves li").count() == 2
    other.context.close()


def test_keys_alone_and_names_for_those_who_do_not_see(page: Any, address: str) -> None:
    page.goto(f"{address}game/tictactoe")
    page.wait_for_selector(".boardplace .board")
    page.locator(".boardplace .cell").nth(0).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert (
        page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "b2, empty, may be chosen"
    )
    page.keyboard.press("Enter")
    page.wait_for_selector(".boardplace .disc")
    assert page.locator(".boardplace .cell").nth(4).get_attribute("aria-label") == "b2, x"
    # Every control has a name.
    assert (
        page.evaluate(
            """() => [...document.querySelectorAll('button, select, input, textarea')].filter(each =>
        !each.textContent.trim() && !each.getAttribute('aria-label') && !each.labels?.length).length"""
        )
        == 0
    )


def test_a_phone(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto(f"{address}game/connect_four")
    page.wait_for_selector(".boardplace .board")
    wide = "() => document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(wide)
    page.locator(".boardplace .cell.target").first.click()
    page.wait_for_selector(".boardplace .disc")
    page.click(".bottom >> text=Rules")
    assert page.locator(".rules").is_visible() and not page.locator(".table").is_visible()
    page.click(".bottom >> text=Moves")
    assert page.locator(".side").is_visible() and page.evaluate(wide)
    page.goto(address)
    page.wait_for_selector(".card .board")
    assert page.evaluate(wide)


def test_parts_of_a_wide_board_stand_below_each_other_on_a_phone(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 375, "height": 700})
    page.goto(f"{address}game/tictactoe_3d")
    page.wait_for_selector(".boardplace .board")
    first, last = middle(page, 0), middle(page, 63)
    ground = page.locator(".boardplace .ground").first.bounding_box()
    assert ground["width"] >= 24  # the least that WCAG 2.2 asks of what is touched (2.5.8)
    page.set_viewport_size({"width": 1400, "height": 850})
    page.wait_for_function(
        """() => { const box = document.querySelector('.boardplace .board').getBoundingClientRect();
        return box.width > 3 * box.height; }"""
    )
    beside, end = middle(page, 0), middle(page, 63)
    assert last[1] - first[1] > 0.9 * (last[0] - first[0])  # two of the four layers below the others
    assert end[0] - beside[0] > 5 * (end[1] - beside[1])  # all beside each other: 19 columns, 4 rows


def middle(page: Any, cell: int) -> tuple[float, float]:
    box = page.locator(".boardplace .cell").nth(cell).locator(".ground").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_man_is_dragged(page: Any, address: str) -> None:
    page.goto(f"{address}game/breakthrough")
    page.wait_for_selector(".boardplace .board")
    names = page.locator(".boardplace .cell").evaluate_all(
        "all => all.map((cell) => cell.getAttribute('aria-label').split(',')[0])"
    )
    from_, to, wrong = (names.index(name) for name in ("c2", "d3", "h8"))

    def drag(start: int, end: int) -> None:
        page.mouse.move(*middle(page, start))
        page.mouse.down()
        page.mouse.move(*middle(page, end), steps=6)
        page.mouse.up()

    drag(from_, wrong)  # dropped where it may not go, it goes back
    assert page.locator(".moves li").count() == 1
    drag(from_, to)
    page.wait_for_function("() => document.querySelectorAll('.moves li').length > 1")
    assert page.locator(".moves li").nth(1).inner_text().split("\n")[-1].startswith("step(c2")
    assert page.locator(".boardplace .cell").nth(to).get_attribute("aria-label").startswith("d3, white")


def test_the_tree_unfolds_and_the_curve_shows_the_mistake(page: Any, address: str) -> None:
    page.goto(f"{address}game/tictactoe")
    page.wait_for_selector(".boardplace .board")
    page.locator(".seat select").nth(1).select_option("me")
    page.wait_for_function("() => document.querySelectorAll('.seat select')[1]?.value === 'me'")
    for number, cell in enumerate((0, 1), 1):  # the edge beside the corner loses: only the middle holds
        page.locator(".boardplace .cell").nth(cell).click()
        page.wait_for_function(
            "count => document.querySelectorAll('.boardplace .disc').length === count", arg=number
        )
    page.click("#tab-analysis")
    page.click("text=Look through the whole play")
    page.wait_for_selector(".curve .point.mistake")
    assert page.locator(".curve .point").count() == 3
    assert page.locator(".curve .point.mistake").count() == 1
    page.click("#tab-moves")
    assert page.locator(".moves .mistake").all_inner_texts() == ["??"]
    page.click("#tab-tree")
    page.click("text=Grow the tree from here")
    branches = page.locator(".tree > details > .inside > details")
    branches.nth(2).wait_for()
    for number in range(3):  # all at once, and while the tree grows
        branches.nth(number).locator("summary").first.click()
    page.evaluate("() => gdlPage.live.socket.close()")  # what was asked for is asked for again
    for number in range(3):
        visits = branches.nth(number).locator("summary .visits").first.inner_text()
        assert int(visits.split()[0].replace(",", "")) > 0
        inside = branches.nth(number).locator(":scope > .inside")
        inside.locator(":scope > [role=treeitem]").first.wait_for()
        assert inside.locator(":scope > [role=treeitem]").count() <= 6  # of seven cells one is taken
    page.wait_for_function("() => !gdlPage.tree.growing")
    assert page.locator(".tree > details > .inside > details[open]").count() == 3
    page.locator(".looking select").select_option("alphabeta")
    page.wait_for_function("() => document.querySelector('.looking .how').textContent.includes('alpha-beta')")
    page.click("text=Solve and draw")
    page.wait_for_selector(".policy img, .policy pre")


def test_dice_are_entered_by_hand(page: Any, address: str) -> None:
    page.goto(f"{address}game/pig")
    page.wait_for_selector(".choice >> text=roll")
    page.locator("select[aria-label='what chance does']").select_option("hand")
    page.wait_for_function("() => gdlPage.play.hand")
    page.click(".choice >> text=roll")
    page.wait_for_selector(".choice.way")
    assert page.locator(".choice.way").count() == 6
    page.click(".choice.way >> text=face = 5")
    page.wait_for_function("() => gdlPage.play.view.position.includes('pot=5')")
    assert "face = 5" in page.locator(".moves li").nth(1).inner_text()


def test_two_browsers_at_one_table(page: Any, address: str, browser: Any) -> None:
    page.goto(f"{address}game/kuhn_poker")
    page.wait_for_selector(".boardplace .tile")
    page.locator(".seat select").nth(1).select_option("open")
    page.wait_for_selector(".dialog")
    link = page.locator("input[aria-label='Join this play']").input_value()
    page.click(".dialog >> text=Close")
    other = browser.new_context().new_page()
    other.goto(link)
    other.wait_for_selector(".boardplace .tile.unknown", timeout=WAIT)
    assert other.locator(".choice").count() == 0  # it is not their turn
    page.wait_for_selector(".people")
    page.click(".choice >> text=bet")
    other.wait_for_selector(".choice", timeout=WAIT)
    other.reload()  # the connection is lost and comes back to the same seat
    other.wait_for_selector(".choice", timeout=WAIT)
    assert other.locator(".boardplace .tile.unknown").count() == 1
    other.click(".choice >> text=call")
    page.wait_for_selector(".status[data-over=yes]")
    assert page.locator(".boardplace .tile.unknown").count() == 0
    other.context.close()
