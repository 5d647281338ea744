"""An object's own time limit."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.annotations import TIMEOUT
from hook.readiness.timeouts import time_limit
from tests.unit.readiness.samples import live


@pytest.mark.parametrize(
    ("annotations", "seconds"),
    [({TIMEOUT: "5m"}, 300.0), ({TIMEOUT: "soon"}, None), ({TIMEOUT: 5}, None), ({}, None), (None, None), ([], None)],
)
def test_the_annotation_is_read_and_an_odd_one_is_none(annotations: Any, seconds: float | None) -> None:
    assert time_limit(live("v1", "Pod", metadata={"annotations": annotations})) == seconds
