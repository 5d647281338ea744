"""What may be pruned, in which order, and why. Pure: every answer of the cluster comes in as a value."""
