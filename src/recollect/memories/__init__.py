"""The short-term and the long-term memory of a graph, as memory clients use them.

Episodes are in the log, and everything here is derived from it: the window over the newest ones,
the summary of what left the window, what is recalled of the rest, and the instances that keep
some of it at hand for a while.
"""
