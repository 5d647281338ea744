"""The commands, thin: each reads its input, calls what does the work, and gives text and an exit code."""
