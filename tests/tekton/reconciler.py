"""One pass over one set: install and report, or finalize.

operator: tektoninstallerset.go:ReconcileKind, and around it the reconciler that Knative generates
(pkg/client/injection/reconciler/operator/v1alpha1/tektoninstallerset/reconciler.go)
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

from tests.cluster.api import Answer
from tests.tekton.classes import classes_of
from tests.tekton.conditions import Conditions
from tests.tekton.definitions import SETS_PATH
from tests.tekton.finalization import delete_resources
from tests.tekton.informers import Informer
from tests.tekton.installation import ReconcileAgain, ensure_resources
from tests.tekton.live import ApiError, Live
from tests.tekton.ownership import owned
from tests.tekton.readiness import (
    NotReady,
    all_others,
    controllers,
    require_deployments,
    require_jobs,
    require_stateful_set,
    webhooks,
)
from tests.tekton.workloads import ensure_workload

Object = dict[str, Any]
FINALIZER = "tektoninstallersets.operator.tekton.dev"


class Reconciler:
    """Works on the set as the watch last told of it, not as it stands."""

    def __init__(self, live: Live, sets: Informer) -> None:
        self._live, self._sets = live, sets

    def reconcile(self, key: str) -> None:
        """One pass. Raises ReconcileAgain for another in ten seconds, any other error for another after a backoff."""
        cached = self._sets.get(key.rpartition("/")[2])
        if cached is None:
            return
        if "deletionTimestamp" in cached["metadata"]:
            delete_resources(self._live, cached)
            self._set_finalizer(cached, wanted=False)
            return
        current = self._set_finalizer(cached, wanted=True)
        conditions = Conditions((current.get("status") or {}).get("conditions"))
        conditions.initialize()
        try:
            self._install(current, conditions)
        finally:
            self._write_status(cached, conditions)

    def _install(self, owner: Object, conditions: Conditions) -> None:
        """Each class in turn; what fails is noted, and what comes after it keeps the condition that it had."""
        name, live, classes = owner["metadata"]["name"], self._live, classes_of(owned(owner))
        for condition, manifests in (
            ("CrdsInstalled", classes.definitions),
            ("ClusterScopedResourcesInstalled", classes.cluster_scoped),
            ("NamespaceScopedResourcesInstalled", classes.namespace_scoped),
            ("JobsInstalled", classes.jobs),
        ):
            with _noted(conditions, condition):
                ensure_resources(live, manifests, name)
        # Applied, despite the condition's name.
        with _noted(conditions, "DeploymentsAvailable"):
            for manifest in classes.deployments:
                ensure_workload(live, manifest)
        try:
            with _noted(conditions, "StatefulSetReady"):
                for manifest in classes.stateful_sets:
                    ensure_workload(live, manifest)
                    require_stateful_set(live, manifest)
        except (ApiError, NotReady) as error:
            raise ReconcileAgain(str(error)) from error

        def ready(condition: str, what: str, chosen: Callable[[str], bool]) -> bool:
            try:
                require_deployments(live, classes.deployments, chosen)
            except (ApiError, NotReady) as error:
                conditions.mark_failed(condition, f"{what}: {error}")
                return False
            conditions.mark_true(condition)
            return True

        # A Deployment that is not ready ends the pass without an error: nobody looks again until an event says so, and
        # the Deployment's own events come here only if this set is its controller.
        if not ready("WebhooksReady", "Webhook", webhooks) or not ready("ControllersReady", "Controller", controllers):
            return
        require_jobs(live, classes.jobs)
        ready("AllDeploymentsReady", "Deployment", all_others)

    def _set_finalizer(self, cached: Object, *, wanted: bool) -> Object:
        """The set as it is then: the server's answer where something was written, else the copy in hand."""
        there = cached["metadata"].get("finalizers") or []
        if (FINALIZER in there) == wanted:
            return cached
        finalizers = sorted({*there, FINALIZER} if wanted else set(there) - {FINALIZER})
        body = {"metadata": {"finalizers": finalizers, "resourceVersion": cached["metadata"]["resourceVersion"]}}
        return _accepted(
            self._live.api.request("PATCH", _path(cached), body, content_type="application/merge-patch+json")
        )

    def _write_status(self, cached: Object, conditions: Conditions) -> None:
        """Only where it differs from the copy that the pass began with. First on that copy, and when that is too old
        over whatever stands there now."""
        current = copy.deepcopy(cached)
        while True:
            status = {**(current.get("status") or {}), "conditions": conditions.as_list()}
            if current.get("status") == status:
                return
            current["status"] = status
            answer = self._live.api.request("PUT", f"{_path(cached)}/status", current)
            if answer.status != 409:
                _accepted(answer)
                return
            current = _accepted(self._live.api.request("GET", _path(cached)))


@contextlib.contextmanager
def _noted(conditions: Conditions, condition: str) -> Iterator[None]:
    """Puts what came of the block into a condition."""
    try:
        yield
    except Exception as error:
        conditions.mark_failed(condition, f"Install failed with message: {error}")
        raise
    conditions.mark_true(condition)


def _path(owner: Object) -> str:
    return f"{SETS_PATH}/{owner['metadata']['name']}"


def _accepted(answer: Answer) -> Object:
    if answer.status >= 300:
        raise ApiError(answer.status, str(answer.body.get("message") or f"status {answer.status}"))
    return answer.body
