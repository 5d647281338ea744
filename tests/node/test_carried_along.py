"""Inside shared objects, with real pods: what an old pod still needs works until that pod is gone, then it goes.

The old generation reads a ConfigMap through a rule, takes a key of it as an environment variable, and is called at a
port; the new one has none of the three. Whatever ends a run on the way, a pod of the old generation that still
serves can do all of it, and one that has to start again can start.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import urllib3
import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.cluster.proxy import Proxy, Request
from tests.hook_process import HookResult, handoff, run_handoff
from tests.node.workload import Object, component, manifest

pytestmark = pytest.mark.node

_RBAC = "rbac.authorization.k8s.io"


def generation(namespace: str, version: str, image: str, *, broken: bool = False) -> list[Object]:
    """The web server, with a Role, a key and a port that only v1 has."""
    old = version == "v1"
    objects = [item for item in component(version, image, broken=broken) if item["kind"] != "Service"]
    for item in objects:
        if item["metadata"]["name"] == "web-settings":
            item["data"] = {"GREETING": "hello", **({"OLD": "needed to start"} if old else {})}
        if item["kind"] == "Deployment" and old:
            container = item["spec"]["template"]["spec"]["containers"][0]
            reference = {"configMapKeyRef": {"name": "web-settings", "key": "OLD"}}
            container["env"].append({"name": "OLD", "valueFrom": reference})
    ports = [{"name": "web", "port": 80, "targetPort": 8080}]
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    if old:
        ports.append({"name": "legacy", "port": 81, "targetPort": 8080})
        rules.append({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]})
    subject = {"kind": "ServiceAccount", "name": "web", "namespace": namespace}
    return [
        *objects,
        manifest("v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": ports}),
        manifest(f"{_RBAC}/v1", "Role", "web", rules=rules),
        manifest(
            f"{_RBAC}/v1",
            "RoleBinding",
            "web",
            roleRef={"apiGroup": _RBAC, "kind": "Role", "name": "web"},
            subjects=[subject],
        ),
    ]


@dataclass
class Site:
    """One component with real pods; `namespace` is where it lives."""

    cluster: Cluster
    namespace: str
    component: str
    directory: Path
    images: dict[str, str]
    misses: list[str] = field(default_factory=list)
    looks: int = 0

    @cached_property
    def server(self) -> str:
        """The API server as pods reach it."""
        asked = ("get", "service", "kubernetes", "--namespace=default", "-o=jsonpath={.spec.clusterIP}")
        return f"https://{self.cluster.kubectl(*asked).stdout}"

    def command(self, version: str, *, broken: bool = False, timeout: str = "90s") -> list[str]:
        source = self.directory / f"{version}{'-broken' if broken else ''}.yaml"
        source.write_text(yaml.safe_dump_all(generation(self.namespace, version, self.images[version], broken=broken)))
        named = (f"--component={self.component}", f"--namespace={self.namespace}", f"--version={version}")
        return ["run", "--source", str(source), *named, f"--timeout={timeout}"]

    def run(self, version: str, **options: Any) -> HookResult:
        return run_handoff(self.cluster, *self.command(version, **options))

    def killed(self, version: str, at: Callable[[Request], bool]) -> None:
        """Runs a version, and kills the run at the first write that matches."""
        with Proxy(self.cluster.kubeconfig) as proxy:
            hold = proxy.hold(at)
            with handoff(None, *self.command(version), kubeconfig=proxy.kubeconfig) as process:
                process.until(lambda: hold.reached, "the write at which it is killed", timeout=90)
                hold.wait()
        path = f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases/handoff-{self.component}"
        self.cluster.api.request(
            "PATCH", path, {"spec": {"holderIdentity": ""}}, content_type="application/merge-patch+json"
        )

    def get(self, kind: str, name: str) -> Object:
        told = self.cluster.kubectl("get", kind, name, "-n", self.namespace, "-o=json", "--ignore-not-found").stdout
        found: Object = json.loads(told or "{}")
        return found

    def old_pods(self) -> list[str]:
        """Pods of the old generation that serve: Ready, and not told to end."""
        items = self.cluster.api.request(
            "GET", f"/api/v1/namespaces/{self.namespace}/pods", query={"labelSelector": "app=web"}
        ).body["items"]
        return [
            item["metadata"]["name"]
            for item in items
            if item["spec"]["containers"][0]["image"] == self.images["v1"]
            and "deletionTimestamp" not in item["metadata"]
            and any(c["type"] == "Ready" and c["status"] == "True" for c in item["status"].get("conditions") or ())
        ]

    def look(self) -> None:
        """An old pod, if there is one, reads what it may only by the old rule, and answers at the old port."""
        pod = next(iter(self.old_pods()), "")
        if not pod:
            return
        url = f"{self.server}/api/v1/namespaces/{self.namespace}/configmaps/web-settings"
        done = self.cluster.kubectl("exec", "-n", self.namespace, pod, "--", "/server", "get", url, check=False)
        fault = "" if done.returncode == 0 and '"OLD"' in done.stdout else f"rule or key: {done.stderr or done.stdout}"
        if not fault:
            address = self.get("service", "web")["spec"]["clusterIP"]
            try:
                urllib3.PoolManager(retries=False).request("GET", f"http://{address}:81/", timeout=3.0)
            except urllib3.exceptions.HTTPError as error:
                fault = f"port: {error}"
        if fault and pod in self.old_pods():
            self.misses.append(fault)
        self.looks += not fault

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Looks all the while, as long as there is an old pod."""
        stop = threading.Event()

        def go_on() -> None:
            while not stop.is_set():
                if self.old_pods():
                    self.look()
                else:
                    time.sleep(0.05)

        looker = threading.Thread(target=go_on)
        looker.start()
        try:
            yield
        finally:
            stop.set()
            looker.join()

    def is_exact(self) -> bool:
        """Whether nothing is left of what was carried along."""
        return (
            set(self.get("configmap", "web-settings")["data"]) == {"GREETING"}
            and [port["port"] for port in self.get("service", "web")["spec"]["ports"]] == [80]
            and [rule["resources"] for rule in self.get("role", "web")["rules"]] == [["pods"]]
        )


@pytest.fixture
def site(node_cluster: Cluster, servers: dict[str, str], component: str, tmp_path: Path) -> Site:
    place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": component}}
    node_cluster.kubectl("create", "-f", "-", stdin=json.dumps(place))
    site = Site(node_cluster, component, component, tmp_path, servers)
    result = site.run("v1")
    assert result.exit_code == 0, result
    return site


def test_an_old_pod_keeps_its_rule_its_key_and_its_port_until_it_is_gone(site: Site) -> None:
    with site.looking():
        result = site.run("v2", broken=True, timeout="12s")
        assert result.exit_code == 124, result
        (pod, *_) = site.old_pods()
        site.cluster.kubectl("delete", "pod", pod, "-n", site.namespace, "--wait=false")
        wait_until(
            lambda: len([p for p in site.old_pods() if p != pod]) == 2, "an old pod has started anew", timeout=60
        )
        looks = site.looks
        wait_until(lambda: site.looks > looks, "it is looked at", timeout=30)
        result = site.run("v2")
    assert result.exit_code == 0, result
    assert site.misses == []
    assert site.looks > 0
    assert site.old_pods() == []
    assert site.is_exact()


KILLS = [
    pytest.param(lambda r: r.is_write and r.is_apply and r.plural == "deployments", id="before-the-workload"),
    pytest.param(
        lambda r: r.method == "PUT" and r.plural == "installersets" and b"retiredBy" in r.body, id="before-retirement"
    ),
    pytest.param(lambda r: r.method == "DELETE" and r.plural == "configmaps", id="before-pruning"),
]


@pytest.mark.parametrize("at", KILLS)
def test_a_killed_run_takes_nothing_from_an_old_pod_and_a_revert_brings_all_back(
    site: Site, at: Callable[[Request], bool]
) -> None:
    with site.looking():
        site.killed("v2", at)
        result = site.run("v1")
        assert result.exit_code == 0, result
        assert len(site.old_pods()) == 2
        site.look()
    assert site.misses == []
    assert site.looks > 0
    assert set(site.get("configmap", "web-settings")["data"]) == {"GREETING", "OLD"}
    assert site.get("configmap", "only-v2") == {}
    result = site.run("v2")
    assert result.exit_code == 0, result
    assert site.is_exact()
