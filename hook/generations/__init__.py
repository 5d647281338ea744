"""Generations of a component, the sets that record them, and what one keeps for the other. Pure."""
