"""The memory inside a program: no server, the same store and the same answers.

`memory` is the asynchronous face, `sync_memory` the one for code that does not await, generated
from it; `results` is what they answer.
"""
