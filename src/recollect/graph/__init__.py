"""The words of the product and its pure rules: no I/O, no clock, no randomness."""
