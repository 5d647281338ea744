"""What wakes a reconciler, and the two workers that it has.

operator: controller.go:NewController. Any event of a set, and events of what it controls, for five kinds only: nobody
hears of ConfigMaps, Services, Roles, bindings in a namespace, webhook configurations and Jobs. Nothing is periodic.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.cluster.api import Api
from tests.tekton.definitions import SET, SETS_PATH
from tests.tekton.informers import Informer
from tests.tekton.installation import ReconcileAgain
from tests.tekton.live import Live
from tests.tekton.ownership import controller_of
from tests.tekton.reconciler import Reconciler
from tests.tekton.work_queue import WorkQueue

_WORKERS = 2
_AGAIN_SECONDS = 10.0
_DEPENDENTS = (
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/statefulsets",
    "/api/v1/serviceaccounts",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
)
_logger = logging.getLogger(__name__)


def run_set_controller(api: Api, *, delay: float, pace: float) -> None:
    """Starts it in threads and returns when it knows the cluster; all sets are looked at once then."""
    queue = WorkQueue()

    def changed(obj: Mapping[str, Any]) -> None:
        queue.add(obj["metadata"]["name"])

    def dependent_changed(obj: Mapping[str, Any]) -> None:
        owner = controller_of(obj, SET)
        if owner is not None:
            # knative.dev/pkg/controller: this key carries the dependent's namespace and so is another one than the
            # set's own, and both workers may be at one set at once, even one installing while the other finalizes.
            namespace = obj["metadata"].get("namespace")
            queue.add(f"{namespace}/{owner}" if namespace else owner)

    sets = Informer(api, SETS_PATH, changed)
    informers = [sets, *(Informer(api, path, dependent_changed) for path in _DEPENDENTS)]
    for informer in informers:
        informer.start()
    for informer in informers:
        informer.synced.wait()
    work(queue, Reconciler(Live(api, pace=pace), sets).reconcile, delay=delay)


def work(queue: WorkQueue, reconcile: Callable[[str], None], *, delay: float) -> None:
    """Starts the workers, each of which waits for `delay` seconds before a pass."""

    def run() -> None:
        while True:
            key = queue.take()
            time.sleep(delay)
            _logger.info("pass over %s", key)
            try:
                reconcile(key)
            except ReconcileAgain as reason:
                _logger.info("again in %g s: %s: %s", _AGAIN_SECONDS, key, reason)
                queue.forget(key)
                queue.add_after(key, _AGAIN_SECONDS)
            except Exception as error:
                _logger.info("failed: %s: %s: %s", key, type(error).__name__, error)
                queue.retry(key)
            else:
                queue.forget(key)
            _logger.info("finished %s", key)
            queue.done(key)

    for number in range(_WORKERS):
        threading.Thread(target=run, name=f"worker {number}", daemon=True).start()
