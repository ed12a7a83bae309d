from tests.support.row_types import check_rows

check_rows()
