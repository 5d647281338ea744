"""etcd, the API server, its controllers and the scheduler, all on loopback, and a node: simulated or real.

Used by the supervisor only: one single-threaded process a cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import urllib3

from tests.cluster import simulator
from tests.cluster.api import Api
from tests.cluster.binaries import Binaries
from tests.cluster.certificates import Certificates
from tests.cluster.kubeconfigs import write_kubeconfig
from tests.cluster.node.addresses import NodeNetwork
from tests.cluster.node.host import RealNode
from tests.cluster.ports import Ports
from tests.cluster.processes import ChildProcess, wait_until

_ISSUER = "https://kubernetes.default.svc.cluster.local"
_CLIENTS = {"kube-controller-manager", "kube-scheduler", "kwok"}


class ControlPlane:
    """The processes of one cluster below one directory."""

    def __init__(self, directory: Path, binaries: Binaries, ports: Ports, network: NodeNetwork | None = None) -> None:
        self._directory = directory
        self._binaries = binaries
        self._network = network
        self._store_port, self._peer_port, self.port = ports.take(), ports.take(), ports.take()
        self._side_ports = (ports.take(), ports.take())
        self.server = f"https://127.0.0.1:{self.port}"
        self.certificates = Certificates(directory / "pki")
        self.authority = self.certificates.authority.certificate.read_bytes()
        self.kubeconfig = write_kubeconfig(
            directory / "kubeconfig",
            self.server,
            self.authority,
            client=self.certificates.client("admin", "system:masters"),
        )
        # In the order of starting; stopped in reverse. Without its store the API server hangs in its shutdown.
        self.processes = {
            process.name: process
            for process in (
                self._process("etcd", self._etcd()),
                self._process("kube-apiserver", self._api_server()),
                self._process("kube-controller-manager", self._controller_manager()),
                self._process("kube-scheduler", self._scheduler()),
                *([self._process("kwok", self._kwok())] if network is None else []),
            )
        }
        self._real_node: RealNode | None = None
        if network is not None:
            self._real_node = RealNode(directory, binaries, network, self.port)
            self.processes["node"] = self._real_node.process
        self.node_name = self._real_node.name if self._real_node else simulator.NODE_NAME

    def start(self, tell: Callable[[str], None]) -> None:
        """Returns when pods can be created in `default`. Raises RuntimeError with the end of a log when a
        process ends, TimeoutError when something takes a minute."""
        self.processes["etcd"].start()
        self.processes["kube-apiserver"].start()
        self.wait_for_api_server()
        tell("API server ready")
        for process in self.processes.values():
            process.start()
        api = Api(self.kubeconfig)
        if self._real_node is not None:
            self._real_node.publish_api_server(api)
        else:
            made = api.request("POST", "/api/v1/nodes", simulator.node())
            if made.status not in (201, 409):
                raise RuntimeError(f"the simulated node was refused: {made.body.get('message')}")
        self._wait(f"node {self.node_name} is Ready", lambda: _node_ready(api, self.node_name))
        self._wait(
            "the default ServiceAccount is there",
            lambda: api.request("GET", "/api/v1/namespaces/default/serviceaccounts/default").status == 200,
        )
        api.close()

    def wait_for_api_server(self) -> None:
        """Returns when `/readyz` says ok."""
        api = Api(self.kubeconfig)

        def ready() -> bool:
            try:
                return api.raw("GET", "/readyz").status == 200
            except urllib3.exceptions.HTTPError:
                return False

        self._wait("the API server is ready", ready, "etcd", "kube-apiserver")
        api.close()

    def renew_clients(self) -> None:
        """Starts the programs anew that talk to the API server and were without it for a while.

        By themselves they come back after a pause that doubles with each failure, up to half a minute and more.
        """
        for name in _CLIENTS & self.processes.keys():
            self.processes[name].kill()
            self.processes[name].start()

    def stop(self) -> None:
        """Ends all processes, the API server before its store. Nothing of a throw-away cluster needs saving, so
        all but etcd are killed."""
        for process in reversed(self.processes.values()):
            process.kill()
        if self._real_node is not None:
            self._real_node.clean()

    def _wait(self, what: str, condition: Callable[[], bool], *names: str) -> None:
        watched = [self.processes[name] for name in names] if names else list(self.processes.values())
        wait_until(condition, what, processes=watched)

    def _process(self, name: str, command: list[str]) -> ChildProcess:
        return ChildProcess(name, command, self._directory / f"{name}.log")

    def _etcd(self) -> list[str]:
        clients, peers = f"http://127.0.0.1:{self._store_port}", f"http://127.0.0.1:{self._peer_port}"
        return [
            str(self._binaries.path("etcd")),
            "--name=store",
            f"--data-dir={self._directory / 'store'}",
            f"--listen-client-urls={clients}",
            f"--advertise-client-urls={clients}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=store={peers}",
            # A power cut may lose the data of a cluster that is thrown away anyway.
            "--unsafe-no-fsync",
            "--log-level=warn",
        ]

    def _api_server(self) -> list[str]:
        pki = self.certificates
        addresses = (self._network.api_address, self._network.host_address) if self._network else ()
        authority, server = pki.authority.certificate, pki.api_server(*addresses)
        kubelet = pki.client("kube-apiserver-kubelet-client", "system:masters")
        proxy, accounts = pki.client("front-proxy-client"), pki.service_account_keys()
        return [
            str(self._binaries.path("kube-apiserver")),
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--etcd-servers=http://127.0.0.1:{self._store_port}",
            f"--service-cluster-ip-range={self._network.service_range if self._network else '10.96.0.0/16'}",
            f"--tls-cert-file={server.certificate}",
            f"--tls-private-key-file={server.key}",
            f"--client-ca-file={authority}",
            f"--kubelet-client-certificate={kubelet.certificate}",
            f"--kubelet-client-key={kubelet.key}",
            f"--kubelet-certificate-authority={authority}",
            "--kubelet-preferred-address-types=InternalIP",
            f"--service-account-key-file={accounts.certificate}",
            f"--service-account-signing-key-file={accounts.key}",
            f"--service-account-issuer={_ISSUER}",
            f"--api-audiences={_ISSUER}",
            "--authorization-mode=Node,RBAC",
            "--endpoint-reconciler-type=none",
            "--allow-privileged=true",
            # The aggregation layer; with one authority for all clients the allowed name has to be told.
            f"--requestheader-client-ca-file={authority}",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            # Webhooks and aggregated APIs are called at their pods: without a real node no Service has a route.
            "--enable-aggregator-routing=true",
            f"--proxy-client-cert-file={proxy.certificate}",
            f"--proxy-client-key-file={proxy.key}",
            # Seconds of notice for watchers are of no use here: a stop is a stop.
            "--shutdown-delay-duration=0s",
        ]

    def _controller_manager(self) -> list[str]:
        authority, accounts = self.certificates.authority, self.certificates.service_account_keys()
        return [
            str(self._binaries.path("kube-controller-manager")),
            f"--kubeconfig={self._component_kubeconfig('kube-controller-manager')}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._side_ports[0]}",
            "--leader-elect=false",
            f"--service-account-private-key-file={accounts.key}",
            f"--root-ca-file={authority.certificate}",
            "--use-service-account-credentials=true",
            f"--cluster-signing-cert-file={authority.certificate}",
            f"--cluster-signing-key-file={authority.key}",
            # The simulated node says nothing while it is well.
            *(["--node-monitor-grace-period=24h"] if self._network is None else []),
            # Big release manifests should not wait for the client's own brakes.
            "--kube-api-qps=200",
            "--kube-api-burst=400",
        ]

    def _scheduler(self) -> list[str]:
        return [
            str(self._binaries.path("kube-scheduler")),
            f"--kubeconfig={self._component_kubeconfig('kube-scheduler')}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self._side_ports[1]}",
            "--leader-elect=false",
        ]

    def _kwok(self) -> list[str]:
        configuration = simulator.write_configuration(self._directory / "kwok.yaml")
        return simulator.command(self._binaries.path("kwok"), self.kubeconfig, configuration, leases=False)

    def _component_kubeconfig(self, name: str) -> Path:
        client = self.certificates.client(f"system:{name}", f"system:{name}")
        path = self._directory / f"{name}.kubeconfig"
        return write_kubeconfig(path, self.server, self.authority, client=client)


def _node_ready(api: Api, name: str) -> bool:
    answer = api.request("GET", f"/api/v1/nodes/{name}")
    if answer.status != 200:
        return False
    node = answer.body
    conditions = node.get("status", {}).get("conditions") or []
    tainted = bool(node.get("spec", {}).get("taints"))
    return not tainted and any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
