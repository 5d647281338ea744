"""Fixtures of the readiness tests."""

from tests.integration.scenarios.conftest import group, in_cluster, make_component, shop

__all__ = ["group", "in_cluster", "make_component", "shop"]
