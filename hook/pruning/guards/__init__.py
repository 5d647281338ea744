"""Guards: one rule each. A guard answers a decision where its rule fits, else None."""
