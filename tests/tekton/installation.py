"""Everything but Deployments and StatefulSets: created, and merged into where a hash says that the manifest changed.

operator: install.go:ensureResources
"""

from __future__ import annotations

import copy
import hashlib
import json
import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from tests.tekton.definitions import SET
from tests.tekton.live import ApiError, Live
from tests.tekton.merging import laid_over, merged

Object = dict[str, Any]
HASH = "operator.tekton.dev/last-applied-hash"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_STUCK_SECONDS = 30.0
_logger = logging.getLogger(__name__)


class ReconcileAgain(Exception):
    """Nothing failed, but the set has to be looked at again in ten seconds."""


def digest(value: Any) -> str:
    """sha256 of a value as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def ensure_resources(live: Live, manifests: Iterable[Object], set_name: str) -> None:
    """One after the other; the first that fails ends the class. Raises ReconcileAgain and ApiError."""
    again = False
    for manifest in manifests:
        again |= _ensure(live, manifest, set_name)
    if again:
        raise ReconcileAgain("waiting for definitions to go")


def _ensure(live: Live, manifest: Object, set_name: str) -> bool:
    """Whether the set has to be looked at again."""
    # The hash is of the whole manifest, owners included: another set's equal manifest has another.
    wanted = digest(manifest)
    marked = copy.deepcopy(manifest)
    marked["metadata"].setdefault("annotations", {})[HASH] = wanted
    found = live.get(manifest)
    if found is None:
        # Without a note of what was applied: the first merge later on cannot take anything away.
        live.create(marked)
        return False
    metadata = found["metadata"]
    if "deletionTimestamp" in metadata:
        return _terminating(live, found, set_name)
    if (metadata.get("annotations") or {}).get(HASH) != wanted:
        _apply(live, marked, found)
    # Equal hashes: nothing is done, whatever the live object has come to say meanwhile.
    return False


def _terminating(live: Live, found: Object, set_name: str) -> bool:
    """By kind and name only is the owner asked for, not by uid."""
    for reference in found["metadata"].get("ownerReferences") or []:
        if reference["kind"] == SET and reference["name"] == set_name:
            raise ReconcileAgain(f"{found['kind']} {found['metadata']['name']} is being deleted")
    if found["kind"] != "CustomResourceDefinition":
        # Somebody else's: skipped, and the class counts as installed although the object is about to vanish.
        _logger.info("skipped %s %s: another owner's, being deleted", found["kind"], found["metadata"]["name"])
        return False
    since = datetime.fromisoformat(found["metadata"]["deletionTimestamp"])
    if (datetime.now(UTC) - since).total_seconds() < _STUCK_SECONDS:
        return False
    # Freed by force, with all custom resources.
    found["metadata"]["finalizers"] = []
    live.update(found)
    return True


def _apply(live: Live, manifest: Object, found: Object) -> None:
    """operator: manifestival's Apply. What is applied from now on is noted, and can be taken away by the next."""
    noted = (found["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    result = merged(json.loads(noted) if noted else {}, manifest, found)
    note = {LAST_APPLIED: json.dumps(manifest, separators=(",", ":")) + "\n"}
    result["metadata"]["annotations"] = {**(result["metadata"].get("annotations") or {}), **note}
    try:
        live.update(result)
    except ApiError as error:
        if error.status != 422:
            raise
        # Two sets' references after the first merge, for instance: laid over, the manifest's alone remains.
        live.update(laid_over(manifest, result))
