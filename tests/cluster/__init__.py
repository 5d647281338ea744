"""A real Kubernetes on this machine, for tests: started in seconds, thrown away afterwards.

`python -m tests.cluster up` and `down` are what `make cluster-up` and `make cluster-down` run; the fixtures
are in `tests.cluster.fixtures`.
"""
