"""The short-term and the long-term memory of a graph, as MemMachine's clients use them.

Everything here is derived from the log: the window of the newest episodes, the summary of what left
the window, what is recalled of the rest, and the instances that cache some of it for a while.
"""
