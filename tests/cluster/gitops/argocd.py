"""Argo CD's application-controller and repo-server, with their redis, beside a cluster with a real node.

They run in the node's network: one of their ports listens on all addresses whatever it is told.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.definitions import install_definitions
from tests.cluster.gitops.programs import TOOLS
from tests.cluster.locations import REPOSITORY
from tests.cluster.processes import ChildProcess, wait_until

NAMESPACE = "argocd"

# Nothing else listens in the node's network but Kubernetes itself.
_REDIS, _REPOSITORIES, _METRICS = 6379, 8081, (8082, 8084)
_CONFIGURATION = ("argocd-cmd-params-cm", "argocd-rbac-cm", "argocd-tls-certs-cm", "argocd-ssh-known-hosts-cm")
_DIRECTORIES = {
    "ARGOCD_TLS_DATA_PATH": "tls",
    "ARGOCD_SSH_DATA_PATH": "ssh",
    "ARGOCD_GPG_DATA_PATH": "gpg",
    "ARGOCD_GNUPGHOME": "gnupg",
    "ARGOCD_PLUGINSOCKFILEPATH": "plugins",
    "ARGOCD_APP_CONF_PATH": "configuration",
    "HOME": "home",
    "TMPDIR": "tmp",
}


class ArgoCD:
    """All three, as the cluster's administrator; everything of theirs is below `directory`."""

    def __init__(self, cluster: Cluster, directory: Path) -> None:
        self._cluster = cluster
        self._directory = directory
        self._controller, self._kustomize = TOOLS["argocd"]
        self._processes: list[ChildProcess] = []

    def start(self) -> None:
        """Installs the definitions and the configuration and starts all; returns when the controller works."""
        self._install()
        redis = f"127.0.0.1:{_REDIS}"
        self._start("redis-server", ["--bind", "127.0.0.1", "--port", str(_REDIS), "--save", "", "--appendonly", "no"])
        self._start(
            "argocd-repo-server",
            [
                *("--address", "127.0.0.1", "--port", str(_REPOSITORIES), "--redis", redis, "--disable-tls"),
                *("--metrics-address", "127.0.0.1", "--metrics-port", str(_METRICS[1]), "--client-ca-path", ""),
            ],
        )
        self._start(
            "argocd-application-controller",
            [
                *("--namespace", NAMESPACE, "--redis", redis, "--metrics-port", str(_METRICS[0])),
                *("--repo-server", f"127.0.0.1:{_REPOSITORIES}", "--repo-server-plaintext"),
                *("--app-resync", "10", "--app-resync-jitter", "0", "--self-heal-timeout-seconds", "2"),
            ],
        )
        self.check()

    def check(self) -> None:
        """Raises RuntimeError with the end of its log when one of the processes has ended."""
        for process in self._processes:
            if not process.running:
                raise RuntimeError(process.complaint())

    def stop(self) -> None:
        """Ends all."""
        for process in reversed(self._processes):
            process.stop()

    def _install(self) -> None:
        kubectl = self._cluster.kubectl
        install_definitions(self._cluster, self._controller.directory / "manifests/crds")
        kubectl("create", "namespace", NAMESPACE)
        names = [*_CONFIGURATION, "argocd-gpg-keys-cm"]
        objects = [_configuration("ConfigMap", name) for name in names]
        objects.append(_configuration("Secret", "argocd-secret", stringData={"server.secretkey": os.urandom(16).hex()}))
        objects.append(
            {
                "apiVersion": "argoproj.io/v1alpha1",
                "kind": "AppProject",
                "metadata": {"name": "default", "namespace": NAMESPACE},
                "spec": {
                    "sourceRepos": ["*"],
                    "destinations": [{"namespace": "*", "server": "*"}],
                    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
                },
            }
        )
        self._cluster.load(objects)
        # As somebody who installs Argo CD with Kustomize takes the health of sets into it; the released manifests name
        # no namespace.
        place = self._directory / "installation"
        place.mkdir(parents=True)
        settings = _configuration("ConfigMap", "argocd-cm")
        del settings["metadata"]["namespace"]
        (place / "argocd-cm.json").write_text(json.dumps(settings))
        health = os.path.relpath(REPOSITORY / "manifests/argocd/health", place)
        installation = {"namespace": NAMESPACE, "resources": ["argocd-cm.json"], "components": [health]}
        (place / "kustomization.yaml").write_text(json.dumps(installation))
        kubectl("apply", "--server-side", "-k", str(place))

    def _start(self, role: str, options: Sequence[str]) -> None:
        place = self._directory / role
        place.mkdir()
        program = "redis-server" if role == "redis-server" else str(self._controller.program.cached)
        process = ChildProcess(
            role,
            [*self._in_node_network(), program, *options],
            self._directory / f"{role}.log",
            {"ARGOCD_BINARY_NAME": role, **self._environment(place)},
        )
        process.start()
        self._processes.append(process)
        port = {"redis-server": _REDIS, "argocd-repo-server": _REPOSITORIES}.get(role, _METRICS[0])
        wait_until(lambda: self._listens(process, port), f"{role} listens", timeout=120, processes=[process])

    def _in_node_network(self) -> list[str]:
        return ["nsenter", f"--net=/proc/{self._cluster.pids()['node']}/root/run/netns/node"]

    def _environment(self, place: Path) -> dict[str, str]:
        # From the node's network, the API server is where pods find it.
        kubeconfig = place / "kubeconfig"
        kubeconfig.write_text(self._cluster.kubeconfig.read_text().replace("127.0.0.1", self._cluster.host_address))
        kubeconfig.chmod(0o600)
        # Argo CD hands its repositories to Git as another owner's.
        git = place / "gitconfig"
        git.write_text("[safe]\n\tdirectory = *\n")
        programs = f"{self._controller.directory / 'hack'}:{self._kustomize.program.cached.parent}"
        environment = {
            "KUBECONFIG": str(kubeconfig),
            "ARGOCD_FAKE_IN_CLUSTER": "true",
            "ARGOCD_GPG_ENABLED": "false",
            "ARGOCD_ASK_PASS_SOCK": str(place / "ask"),
            # The waves' pauses hide nothing that the hook relies on.
            "ARGOCD_SYNC_WAVE_DELAY": "0",
            "GIT_CONFIG_GLOBAL": str(git),
            "PATH": f"{programs}:{os.environ['PATH']}",
        }
        for variable, name in _DIRECTORIES.items():
            (place / name).mkdir()
            environment[variable] = str(place / name)
        return environment

    @staticmethod
    def _listens(process: ChildProcess, port: int) -> bool:
        """Whether a process, or what it has become, listens at a port of its own network."""
        try:
            lines = "".join(Path(f"/proc/{process.pid}/net/{table}").read_text() for table in ("tcp", "tcp6"))
        except OSError:
            return False
        return any(f":{port:04X} " in line.split(" 0A ")[0] for line in lines.splitlines() if " 0A " in line)


def _configuration(kind: str, name: str, **rest: Any) -> dict[str, Any]:
    labels = {"app.kubernetes.io/part-of": "argocd"}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **rest}
