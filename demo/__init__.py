"""A handoff to look at: `make demo`."""
