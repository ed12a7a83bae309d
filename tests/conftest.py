import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import postgres, store_coverage
from tests.support.row_types import check_rows

check_rows()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[Any]:
    """Modules and test items are for good: no look for garbage has to go through them, now or later."""
    gc.disable()
    outcome = yield
    gc.freeze()
    gc.enable()
    return outcome


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with small tests come last, so that no worker is left with a long one at the end."""
    items.sort(key=lambda item: "unit" in item.path.parts)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    postgres.take_back(getattr(item, "funcargs", {}).get("tmp_path"))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    store_coverage.take_over(node)


def pytest_sessionfinish(session: pytest.Session) -> None:
    store_coverage.hand_over(session.config)
    narrowed = session.config.option.keyword or session.config.option.collectonly
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or narrowed or session.testsfailed:
        return
    complaints = store_coverage.verdict()
    if complaints:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in store_coverage.report():
        terminalreporter.write_line(line)
