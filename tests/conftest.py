"""Fixtures for all tests."""

pytest_plugins = ["tests.cluster.fixtures"]
