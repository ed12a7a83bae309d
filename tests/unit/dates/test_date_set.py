"""The resolver on the public date set, which lies beside the project and not in it."""

import pytest

from tests.eval.common import DATA
from tests.eval.dates import NAME, score


@pytest.mark.skipif(not (DATA / NAME).is_file(), reason=f"../shared/data/{NAME} is not there")
def test_nine_of_ten_expressions_of_the_date_set_are_resolved() -> None:
    rows = {row[0]: row for row in score()}
    assert int(rows["all"][2]) / int(rows["all"][1]) >= 0.9
    assert float(rows["found that is marked"][3].split()[0]) >= 95
