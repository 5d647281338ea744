"""What goes with a set, before its finalizer does.

operator: tektoninstallerset.go:FinalizeKind, install.go:DeleteResources
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from tests.tekton.classes import classes_of
from tests.tekton.live import ApiError, Live

Object = dict[str, Any]
_SKIPPED = ("Namespace", "PersistentVolumeClaim", "CustomResourceDefinition")
_logger = logging.getLogger(__name__)


def delete_resources(live: Live, owner: Mapping[str, Any]) -> None:
    """Deletes what the set lists, by name: nobody asks who owns it by now, nor whether it is still the same object.

    StatefulSets are not among it; they are left to garbage collection, as are the kinds skipped here where they have an
    owner. Nothing is waited for. Raises ApiError where a deletion is refused; the rest then waits for the next try.
    """
    classes = classes_of((owner.get("spec") or {}).get("manifests") or [])
    _delete(live, classes.cluster_scoped)
    _delete(live, classes.namespace_scoped)
    _delete(live, classes.jobs, "Foreground")
    _delete(live, classes.deployments)


def _delete(live: Live, manifests: Iterable[Object], policy: str | None = None) -> None:
    for manifest in manifests:
        if manifest["kind"] in _SKIPPED:
            continue
        try:
            found = live.get(manifest)
        except ApiError as error:
            # Whatever the reason: it counts as done.
            _logger.info("skipped %s %s: %s", manifest["kind"], manifest["metadata"]["name"], error)
            continue
        if found is not None:
            live.delete(found, policy)
