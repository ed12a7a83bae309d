"""The API of MemMachine's clients, over the same memory as everything else."""
