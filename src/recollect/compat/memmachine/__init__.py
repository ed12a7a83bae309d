"""The wire of memmachine clients, spoken over the same memory as everything else."""
