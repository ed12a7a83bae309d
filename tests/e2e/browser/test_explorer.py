"""The explorer in a real browser: every page, narrow and wide, dark and light, and what one does.

Driven against a server that has read Emily's and Jane's stories. Pictures of each page are left in
`.cache/explorer`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.browser import axe, filled
from tests.e2e.browser.filled import EMILY_ID, JANE, MALLORY, NASTY_THREAD, SALES, THREAD
from tests.support.server import EXTRACTION_ON, Server

Watch = Callable[..., Any]
CHECK = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
LOUD = ("serious", "critical")


@dataclass
class World:
    """A server that knows something, its keys, and what the pages are about."""

    server: Server
    admin: str
    facts: list[dict[str, Any]]

    def fact(self, words: str) -> str:
        """The uuid of Jane's fact with these words."""
        return next(one["uuid"] for one in self.facts if words in one["fact"])

    @property
    def jane(self) -> str:
        """The uuid of Jane's own node."""
        with self.server.http() as http:
            return str(http.get(f"/users/{JANE}/node").json()["node"]["uuid"])


@pytest.fixture(scope="module")
def world(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Everything was read; the browser is there, or all of this is skipped."""
    data = tmp_path_factory.mktemp("explorer") / "data"
    with Server(data, environment=EXTRACTION_ON) as server:
        admin = filled.talk(server)
        yield World(server, admin, list(filled.facts(server, JANE)))


def pages(world: World) -> dict[str, str]:
    """The address of every kind of page."""
    return {
        "users": "#/users",
        "graphs": "#/graphs",
        "threads": "#/threads",
        "activity": "#/activity",
        "ingestion": "#/ingestion",
        "facts": f"#/u/{JANE}",
        "facts-then": f"#/u/{JANE}?at=2024-05-01",
        "entities": f"#/u/{JANE}/entities",
        "conversations": f"#/u/{JANE}/conversations",
        "episodes": f"#/u/{JANE}/episodes",
        "entity": f"#/u/{JANE}/entity/{world.jane}",
        "entity-then": f"#/u/{JANE}/entity/{world.jane}?at=2024-05-01",
        "fact": f"#/u/{JANE}/fact/{world.fact('likes chess')}",
        "thread": f"#/u/{JANE}/thread/{THREAD}",
        "search": f"#/u/{JANE}/search?q=Where%20does%20Carla%20live%3F"
        f"&missed={world.fact('likes chess')}",
        "context": f"#/u/{JANE}/context?thread={THREAD}",
        "conflicts": f"#/u/{JANE}/conflicts",
        "map": f"#/u/{EMILY_ID}/map",
    }


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_is_sound(world: World, watch: Watch, width: int, theme: str) -> None:
    """No complaint, no foreign request, no sideways scrolling, nothing that axe calls serious."""
    checker = axe.script()
    with watch(world.server.url, width, theme) as watched:
        if checker:
            watched.page.add_init_script(checker)
        watched.page.goto(f"{world.server.url}/")
        watched.page.wait_for_selector("#key")
        watched.shoot("sign-in")
        watched.sign_in(world.admin)
        for name, address in pages(world).items():
            watched.go(address)
            assert watched.page.locator(".failure").count() == 0, name
            assert watched.title(), name
            wide = watched.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name} is {wide} pixels wide"
            watched.shoot(name)
            if checker:
                found = watched.page.evaluate(CHECK)
                loud = [
                    (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in LOUD
                ]
                assert loud == [], name
    if not checker:
        print("axe-core could not be had: accessibility was not checked")


def test_what_hostile_people_write_is_shown_as_text(world: World, watch: Watch) -> None:
    """Names, messages, facts, ids and metadata: nothing of it becomes an element or runs."""
    with watch(world.server.url) as watched:
        watched.sign_in(world.admin)
        thread = NASTY_THREAD.replace('"', "%22").replace("<", "%3C").replace(">", "%3E")
        for address in (
            "#/users",
            "#/threads",
            f"#/u/{MALLORY}",
            f"#/u/{MALLORY}/entities",
            f"#/u/{MALLORY}/episodes",
            f"#/u/{MALLORY}/thread/{thread}",
            f"#/u/{MALLORY}/context?thread={thread}",
            f"#/u/{MALLORY}/search?q=adores",
            f"#/u/{MALLORY}/map",
        ):
            watched.go(address)
            made = watched.page.locator(
                "main b:not(.scores b), main u, main i, main script, main img[onerror]"
            )
            assert made.count() == 0, address
            assert "owned" not in watched.page.title() or "<" in watched.page.title(), address
        watched.go("#/users")
        assert "<script>" in watched.page.inner_text("main")


def test_a_key_is_asked_for_and_forgotten(world: World, watch: Watch) -> None:
    """A wrong key is refused in words; the right one stays in the tab and nowhere else."""
    with watch(world.server.url) as watched:
        watched.allowed = ("401",)
        page = watched.page
        page.goto(f"{world.server.url}/")
        page.fill("#key", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=does not know this key")
        watched.sign_in(world.server.api_key)
        assert page.evaluate("JSON.stringify(localStorage)") == "{}"
        assert page.locator("select[aria-label='See as this key']").count() == 0
        page.click("text=Sign out")
        page.wait_for_selector("#key")
        assert page.evaluate("JSON.stringify(sessionStorage)") == "{}"


def test_why_she_is_thought_to_have_played_chess(world: World, watch: Watch) -> None:
    """From the list to the fact: the words that say it, what closed it, on whose word, how sure."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        page.click("text=Jane Smith")
        watched.settle()
        page.click("a:has-text('Jane Smith likes chess')")
        watched.settle()
        assert watched.title() == "Jane Smith likes chess"
        marked = page.locator("mark").all_inner_texts()
        assert any("hiking, pottery and chess." in words for words in marked)
        closed = page.locator("section:has(h2:text-is('What closed it'))").inner_text()
        assert "no longer play chess" in closed
        assert "certainty" in closed
        page.click(f"footer a:has-text('{THREAD}') >> nth=0")
        watched.settle()
        assert page.locator(".message.wanted").count() == 1
        assert "taught" in page.inner_text("main")


def test_the_two_clocks_move_every_page(world: World, watch: Watch) -> None:
    """What held in May: the sliders change lists, bars and neighbours, and stay while one walks."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}")
        assert "Jane Smith works at Globex now" in page.inner_text("main")
        oldest = "new Date(document.querySelector('#clock-at').min * 864e5).toISOString()"
        assert page.evaluate(oldest).startswith("2022-01-01")
        page.fill("input[aria-label='True at, as a date']", "2024-04-01")
        page.wait_for_selector("h2:has-text('Facts that stood then')")
        watched.settle()
        then = page.inner_text("main")
        assert "Jane Smith works at Northwind" in then
        assert "Globex" not in then
        page.click("nav >> text=Entities")
        watched.settle()
        assert "at=2024-04-01" in page.url
        watched.go(f"#/u/{JANE}/entity/{world.jane}?at=2024-04-02")
        assert page.input_value("input[aria-label='True at, as a date']") == "2024-04-02"
        assert page.locator(".timeline .cursor").count() > 0
        assert page.locator("svg.picture a[aria-label='Northwind']").count() == 1
        assert page.locator("svg.picture a[aria-label='Globex']").count() == 0
        page.focus("#clock-known")
        page.keyboard.press("Home")
        page.wait_for_selector("text=Nothing was known of it then.")
        page.click("button:text-is('Now')")
        page.wait_for_selector("svg.picture a[aria-label='Globex']")
        assert "at=" not in page.url


def test_two_settings_are_held_against_each_other(world: World, watch: Watch) -> None:
    """Scores by part on both sides, and where a fact fell out that a filter keeps out."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}")
        page.keyboard.press("/")
        page.keyboard.type("Where does Carla live?")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:has-text('Search workbench')")
        watched.settle()
        first = "section[aria-label='Results {}'] .hit >> nth=0"
        assert "Porto" in page.inner_text(first.format("A"))
        assert "cross-encoder" in page.inner_text(first.format("B"))
        assert "meaning" in page.inner_text(first.format("A"))
        page.fill("#A-relations", "LIKES")
        page.fill("#missed", world.fact("Carla lives in Porto"))
        page.click("text=Run both")
        page.wait_for_selector("text=kept out by edge_types")
        page.wait_for_selector("text=It is among the results")
        page.fill("#missed", "no id")
        page.click("text=Run both")
        page.wait_for_selector("text=That is no id of a fact.")


def test_the_context_is_copied_in_one_click(world: World, watch: Watch) -> None:
    """The very text that the API gives; with less room, what was left out and why."""
    with world.server.http() as http:
        told = http.get(f"/threads/{THREAD}/context").json()["context"]
    with watch(world.server.url, permissions=["clipboard-read", "clipboard-write"]) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}/context?thread={THREAD}")
        assert page.inner_text("pre.prompt") == told
        page.click("button:text-is('Copy')")
        page.wait_for_selector("button:text-is('Copied')")
        assert page.evaluate("navigator.clipboard.readText()") == told
        page.fill("#room", "500")
        page.click("button:text-is('Show')")
        page.wait_for_selector("text=no room left")


def test_the_page_is_seen_as_a_narrowed_key(world: World, watch: Watch) -> None:
    """What sales may not see is not there; leaving brings it back."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.admin)
        watched.go(f"#/u/{JANE}")
        assert "Globex" in page.inner_text("main")
        page.select_option("select[aria-label='See as this key']", label=f"{SALES} (sales)")
        page.wait_for_selector("text=Seen as sales only")
        watched.settle()
        seen = page.inner_text("main")
        assert "Globex" not in seen
        assert "Emma" in seen
        page.click("button:text-is('Stop')")
        page.wait_for_selector("main a:has-text('Globex')")


def test_a_parked_job_is_tried_again(world: World, watch: Watch) -> None:
    """It is shown with its error, and gone after a click."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        page.keyboard.press("g")
        page.keyboard.press("i")
        page.wait_for_selector("text=the model gave no answer")
        page.click("button:text-is('Retry')")
        page.wait_for_selector("text=Nothing is parked.")
        filled.wait(world.server)


def test_errors_and_empty_lists_are_told_in_words(world: World, watch: Watch) -> None:
    """A user who is not there, a page that is not there, a search that finds nobody."""
    with watch(world.server.url) as watched:
        watched.allowed = ("404",)
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go("#/u/nobody")
        assert "user not found" in page.inner_text("[role=alert]")
        watched.go("#/nowhere")
        assert "no such page" in page.inner_text("[role=alert]")
        watched.go("#/users?q=zzz")
        assert "Nothing matches" in page.inner_text("main")
        watched.go("#/graphs")
        assert "No standalone graphs yet." in page.inner_text("main")


def test_the_keyboard_and_the_theme(world: World, watch: Watch) -> None:
    """A new page is where one goes on reading; the list of keys opens and closes; dark stays dark."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        page.click("nav >> text=Threads")
        watched.settle()
        assert page.evaluate("document.activeElement.textContent") == "Threads"
        page.keyboard.press("g")
        page.keyboard.press("u")
        page.wait_for_selector("h1:has-text('Users')")
        page.keyboard.press("?")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        page.click("button[aria-label='Dark or light']")
        paper = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(paper) == "rgb(18, 21, 27)"
        page.reload()
        watched.settle()
        assert page.evaluate(paper) == "rgb(18, 21, 27)"


def test_a_conflict_is_decided_and_taken_back(world: World, watch: Watch) -> None:
    """The older fact is closed, or both are kept; after each undo the conflict is there again."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}/conflicts")
        waiting = page.locator("button:text-is('Keep both')")
        before = waiting.count()
        assert before > 0
        older = page.locator(".conflict .sentence a").first
        uuid = str(older.get_attribute("href")).split("/")[-1]
        page.click("button:text-is('Close the older one') >> nth=0")
        page.wait_for_selector("text=The older fact is closed.")
        with world.server.http() as http:
            assert http.get(f"/graph/edge/{uuid}").json()["invalid_at"]
            page.click(".toast button:text-is('Undo')")
            page.wait_for_selector(".toast:has-text('Taken back.')")
            assert http.get(f"/graph/edge/{uuid}").json().get("invalid_at") is None
        watched.settle()
        assert waiting.count() == before
        page.wait_for_selector(".toast:has-text('Taken back.')", state="detached")
        page.click("button:text-is('Keep both') >> nth=0")
        page.wait_for_selector("text=Both hold")
        watched.settle()
        assert waiting.count() == before - 1
        page.click(".toast:has-text('Both hold') button:text-is('Undo')")
        page.wait_for_selector(".toast:has-text('Taken back.')")
        watched.settle()
        assert waiting.count() == before


def test_two_entities_are_merged_and_parted(world: World, watch: Watch) -> None:
    """From the page of one of them; facts go over, the merge is listed, and undo brings back both."""
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}/entities")
        page.click("main .sentence a:text-is('Carla Mendes')")
        watched.settle()
        facts = page.locator(".timeline .sentence, .timeline a").count()
        page.click("text=Same as another…")
        watched.settle()
        assert page.input_value("#merge-kept") in page.url
        porto = page.locator("#merge-other option:has-text('Porto')").get_attribute("value")
        page.select_option("#merge-other", porto)
        page.click("button:text-is('Merge these two')")
        page.wait_for_selector("text=Porto is Carla Mendes now.")
        watched.settle()
        listed = page.locator("section:has(h2:text-is('Merged by hand'))")
        assert "Porto is Carla Mendes" in listed.inner_text()
        watched.shoot("merged")
        listed.locator("a:text-is('Carla Mendes')").click()
        watched.settle()
        assert page.locator(".timeline .sentence, .timeline a").count() >= facts
        watched.go(f"#/u/{JANE}/conflicts")
        listed.locator("button:text-is('Undo')").click()
        page.wait_for_selector("text=They are two again.")
        watched.settle()
        assert listed.count() == 0
        watched.go(f"#/u/{JANE}/entities")
        assert page.locator("main .sentence a:text-is('Porto')").count() == 1


def test_a_fact_is_corrected_reopened_and_forgotten(world: World, watch: Watch) -> None:
    """Each from the fact's own page; what was forgotten leaves a receipt."""
    uuid = world.fact("likes pottery")
    with watch(world.server.url) as watched:
        page = watched.page
        watched.sign_in(world.server.api_key)
        watched.go(f"#/u/{JANE}/fact/{uuid}")
        page.click("button:text-is('Correct')")
        page.fill("#c-fact", "Jane Smith likes ceramics")
        page.fill("#c-until", "2025-01-01")
        page.click("dialog button:text-is('Save')")
        page.wait_for_selector("h1:has-text('ceramics')")
        page.wait_for_selector(".tag:text-is('ended')")
        page.click("button:text-is('Reopen')")
        page.wait_for_selector(".tag:text-is('holds')")
        page.click("button:text-is('Forget')")
        page.click("dialog button:text-is('This fact alone')")
        page.wait_for_selector("dialog:has-text('Receipt') >> text=1 facts")
        page.click("dialog button:text-is('Close')")
        watched.settle()
        assert "ceramics" not in page.inner_text("main")
    with world.server.http() as http:
        assert http.get(f"/graph/edge/{uuid}").status_code == 404
