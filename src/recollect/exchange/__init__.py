"""Export and import of memory: files of our own, and exports of other products."""
