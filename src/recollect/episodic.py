"""The former name of `recollect.session_log`; programs may still import it."""

from recollect.session_log import *  # noqa: F403
from recollect.session_log import __all__ as __all__
