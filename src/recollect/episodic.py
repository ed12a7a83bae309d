"""The name under which `recollect.session_log` was first published; programs may still import it."""

from recollect.session_log import *  # noqa: F403
from recollect.session_log import __all__ as __all__
