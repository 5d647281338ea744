"""One run: `sequence` reads top to bottom, each step has a module of its own."""
