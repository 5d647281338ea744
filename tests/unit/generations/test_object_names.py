from __future__ import annotations

import pytest

from hook.generations.object_names import names
from hook.manifests.identity import Identity

WEB = Identity("apps", "Deployment", "shop", "web")


@pytest.mark.parametrize("entry", ["Deployment/web", "deployment/web", "Deployment.apps/web"])
def test_an_object_is_named_by_kind_and_name(entry: str) -> None:
    assert names([entry], WEB)


@pytest.mark.parametrize(
    "entry", ["Deployment/other", "StatefulSet/web", "Deployment.example.org/web", "web", "/web", ""]
)
def test_anything_else_does_not_name_it(entry: str) -> None:
    assert not names([entry], WEB)
