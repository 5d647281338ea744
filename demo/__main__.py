"""`make demo`: one handoff on a cluster of its own, and a probe that watches what must never be missing.

Exit code 1 when the handoff fails, or when the probe saw anything shared absent, deleted or replaced.
"""

from __future__ import annotations

import signal
import sys
import time

from demo.hook import Handoff
from demo.page import Page
from demo.shop import NAME, V1, V2
from tests.cluster.cluster import Cluster, ClusterError, start_cluster
from tests.cluster.probe.process import Probe, ProbeError
from tests.cluster.probe.report import ProbeReport
from tests.cluster.probe.targets import Target, targets_of
from tests.cluster.toolchain import BuildError

_HOLD = 3.0  # seconds for which the new pods are held back, so that there is a wait to look at


def main() -> int:
    """Runs the demonstration; the cluster goes with it, however it ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    page = Page()
    try:
        page.heading("A cluster: a real control plane with simulated pods")
        with start_cluster() as cluster:
            page.say(f"Ready after {page.seconds:.0f} s at {cluster.server}; it is removed at the end.")
            return _demonstrate(page, cluster)
    except (ClusterError, BuildError, ProbeError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


def _demonstrate(page: Page, cluster: Cluster) -> int:
    handoff = Handoff(page, cluster.kubeconfig)

    page.heading("The shop is installed: v1")
    code = handoff.run(V1, tell=False)
    if code:
        return code

    shared, old_only = V1.shared_with(V2), targets_of(cluster.api, V1.without(V2))
    page.heading("A probe starts")
    page.say(
        f"A process of its own reads the {len(shared)} objects that both versions have, one after the other without "
        "pause, and watches their kinds: it counts whatever is absent, on its way out, or replaced."
    )
    with Probe(cluster.kubeconfig, targets_of(cluster.api, shared)) as probe:
        page.heading("Git says: run v2")
        page.say("The node takes no new pods for a moment, so that v2 cannot become ready and has to be waited for.")
        cluster.cordon()

        def look() -> None:
            page.say("")
            page.say("While it waits, both generations stand side by side:")
            handoff.status()
            _show_old(page, cluster, old_only)
            time.sleep(_HOLD)
            page.say("Now the node takes pods again.")
            page.say("")
            cluster.uncordon()

        code = handoff.run(V2, tell=True, on_wait=look)

    page.heading("Afterwards")
    handoff.status()
    _show_theme(page, cluster)

    page.heading("What the probe saw")
    _show_report(page, probe.report)
    lost = bool(probe.report.gone())
    page.say(
        f"Something shared was missing (above), after {page.seconds:.0f} s."
        if lost
        else f"Nothing shared was ever missing. All in all {page.seconds:.0f} s."
    )
    return code or int(lost)


def _show_old(page: Page, cluster: Cluster, targets: list[Target]) -> None:
    there = [target for target in targets if cluster.api.request("GET", target.path).status == 200]
    page.say(f"Of the {len(targets)} objects that only v1 has, {len(there)} are there. Inside what both share:")
    _show_theme(page, cluster)


def _show_theme(page: Page, cluster: Cluster) -> None:
    page.command(f"kubectl --namespace {NAME} get configmap front --output jsonpath='{{.data}}'")
    page.quote(cluster.kubectl("--namespace", NAME, "get", "configmap", "front", "--output", "jsonpath={.data}").stdout)


def _show_report(page: Page, report: ProbeReport) -> None:
    width = max(len(str(resource.target)) for resource in report.resources)
    page.quote(f"{'':{width}}   reads  misses  deletions  new uids  longest interval")
    for one in report.resources:
        misses, deletions = one.misses + one.unserved, one.deleted + one.terminating
        page.quote(
            f"{one.target!s:{width}}  {one.reads:6}  {misses:6}  {deletions:9}  {one.uid_changes:8}  "
            f"{one.longest_interval_ms:13.0f} ms"
        )
    page.say(
        f"{report.reads} reads in {report.seconds:.0f} s, {report.misses} misses; "
        f"no object went unread for longer than {report.longest_interval_ms:.0f} ms."
    )


if __name__ == "__main__":
    sys.exit(main())
