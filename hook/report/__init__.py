"""What happened in a run, and who tells it: logs, progress, the result, plans and status."""
