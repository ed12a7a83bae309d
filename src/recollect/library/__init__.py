"""The memory embedded in a program: no server, the same store and the same answers.

`memory` is the asynchronous API, `sync_memory` the synchronous one, generated from it; `results` has
the types they return.
"""
