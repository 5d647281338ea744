"""Runs that are stopped, killed, doubled, late, or starved: whatever happens to them, the next one converges."""
