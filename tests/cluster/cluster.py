"""A cluster as tests see it: where it is, ways to talk to it as somebody, and ways to break it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.cluster.api import Api
from tests.cluster.certificates import Certificates
from tests.cluster.directories import new_directory
from tests.cluster.kubeconfigs import write_kubeconfig
from tests.cluster.locations import REPOSITORY
from tests.cluster.node import containerd
from tests.cluster.processes import wait_until


class ClusterError(RuntimeError):
    """The test cluster did not do what was asked of it; the text says what and why."""


class NotOurCluster(ClusterError):
    """This can only be done with a cluster that the test kit started itself."""


class Cluster:
    """One API server, as its administrator. `directory` is None for a cluster that we did not start."""

    def __init__(self, kubeconfig: Path, *, directory: Path | None = None, kubectl: str = "kubectl") -> None:
        self.kubeconfig = kubeconfig
        self.directory = directory
        self.api = Api(kubeconfig)
        self.server = self.api.server
        self._kubectl = kubectl

    def kubectl(
        self, *arguments: str, stdin: str | None = None, check: bool = True, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs kubectl as the administrator, or with `kubeconfig`.

        Raises ClusterError with what it wrote to stderr when it fails, unless `check` is false.
        """
        home = str(self.directory or Path.home() / ".kube")
        done = subprocess.run(
            [self._kubectl, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "KUBECONFIG": str(kubeconfig or self.kubeconfig), "KUBECACHEDIR": home + "/cache"},
        )
        if check and done.returncode != 0:
            raise ClusterError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done

    def load(self, objects: Iterable[Mapping[str, Any]], *, field_manager: str = "tests") -> None:
        """Applies objects server-side, CustomResourceDefinitions and Namespaces first (and waits for the former)."""
        first: list[dict[str, Any]] = []
        rest: list[dict[str, Any]] = []
        for item in objects:
            early = item["kind"] in ("CustomResourceDefinition", "Namespace")
            (first if early else rest).append(dict(item))
        for batch in (first, rest):
            if batch:
                listing = json.dumps({"apiVersion": "v1", "kind": "List", "items": batch})
                command = ("apply", "--server-side", "--force-conflicts", f"--field-manager={field_manager}")
                self.kubectl(*command, "-f", "-", stdin=listing)
        names = [f"crd/{item['metadata']['name']}" for item in first if item["kind"] != "Namespace"]
        if names:
            # `kubectl wait` fails at a definition that has no conditions yet.
            wait = ("wait", "--for=condition=Established", "--timeout=60s", *names)
            wait_until(lambda: self.kubectl(*wait, check=False).returncode == 0, f"{names} are served", pause=0.3)

    def service_account_kubeconfig(self, namespace: str, name: str, *, seconds: int = 3600) -> Path:
        """A kubeconfig with a token of an existing ServiceAccount, valid for `seconds` (600 at least)."""
        answer = self.api.request(
            "POST",
            f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
            {"spec": {"expirationSeconds": seconds}},
        )
        if answer.status != 201:
            raise ClusterError(f"no token for ServiceAccount {namespace}/{name}: {answer.body.get('message')}")
        path = self._own_directory() / "kubeconfigs" / f"{namespace}-{name}"
        token = answer.body["status"]["token"]
        return write_kubeconfig(path, self.server, self._authority(), token=token, namespace=namespace)

    def user_kubeconfig(self, user: str, group: str | None = None, *, namespace: str = "default") -> Path:
        """A kubeconfig with a client certificate for a user, and a group if wanted."""
        directory = self._own_directory()
        client = Certificates(directory / "pki").client(user, group)
        path = directory / "kubeconfigs" / user
        return write_kubeconfig(path, self.server, self._authority(), client=client, namespace=namespace)

    def import_image(self, archive: Path) -> None:
        """Makes the images of an OCI or Docker archive known to the real node, under the names that it holds."""
        try:
            containerd.import_image(self._own_directory(), archive)
        except RuntimeError as error:
            raise ClusterError(str(error)) from error

    def cordon(self) -> None:
        """New pods stay Pending from now on, whatever their manifests (a DaemonSet's excepted)."""
        self._unschedulable(True)

    def uncordon(self) -> None:
        """Pods are scheduled again, those that wait included."""
        self._unschedulable(False)

    def stop_apiserver(self) -> None:
        """Ends the API server; the rest goes on. Returns when the port is closed."""
        self._ask("stop kube-apiserver")

    def kill_apiserver(self) -> None:
        """Ends the API server without any farewell to its clients."""
        self._ask("kill kube-apiserver")

    def start_apiserver(self) -> None:
        """Starts it again at the same address, and its clients anew; returns when it is ready."""
        self._ask("start kube-apiserver")

    def restart_apiserver(self) -> None:
        """Both of these."""
        self.stop_apiserver()
        self.start_apiserver()

    def stop_process(self, name: str) -> None:
        """Ends one of the cluster's processes, such as `kwok` or `kube-controller-manager`."""
        self._ask(f"stop {name}")

    def start_process(self, name: str) -> None:
        """Starts it again, without waiting for more than that."""
        self._ask(f"start {name}")

    def pids(self) -> dict[str, int | None]:
        """The process id of each of the cluster's processes that runs."""
        pids: dict[str, int | None] = self._ask("pids")["pids"]
        return pids

    @property
    def supervisor(self) -> int:
        """The process id of the process that owns all of these."""
        return int(self._facts()["supervisor"])

    @property
    def host_address(self) -> str:
        """The address under which pods of a real node reach what this machine serves on it; loopback with a
        simulated one."""
        return str(self._facts()["host_address"])

    def stop(self) -> None:
        """Ends the cluster and removes all of it; a second call does nothing."""
        self.api.close()
        if self.directory is not None and self.directory.exists():
            with contextlib.suppress(ClusterError):
                self._ask("down")
            shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _unschedulable(self, value: bool) -> None:
        answer = self.api.request(
            "PATCH",
            f"/api/v1/nodes/{self._facts()['node_name']}",
            {"spec": {"unschedulable": value}},
            content_type="application/merge-patch+json",
        )
        if answer.status != 200:
            raise ClusterError(f"the node: {answer.body.get('message')}")

    def _ask(self, line: str) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(str(self._own_directory() / "control.sock"))
                connection.sendall(line.encode() + b"\n")
                answer = connection.makefile().readline()
            except OSError as error:
                raise ClusterError(f"the cluster's supervisor does not answer ({error})") from error
        decoded: dict[str, Any] = json.loads(answer or '{"ok": false, "error": "the supervisor ended"}')
        if not decoded["ok"]:
            raise ClusterError(f"{line}: {decoded['error']}")
        return decoded

    def _authority(self) -> bytes:
        return Certificates(self._own_directory() / "pki").authority.certificate.read_bytes()

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads((self._own_directory() / "cluster.json").read_text())
        return facts

    def _own_directory(self) -> Path:
        if self.directory is None:
            raise NotOurCluster("needs a cluster that the test kit started itself, and --kubeconfig names another")
        return self.directory


def start_cluster(*, owner: int | None = None, node: str = "simulated", patience: float = 120.0) -> Cluster:
    """Starts a cluster and returns when it is ready, in about ten seconds once the programs are built.

    It ends with the process `owner` (this one unless told otherwise), or goes on until stopped when `owner` is 0.
    Raises ClusterError with the reason when it does not start.
    """
    from tests.cluster.binaries import CONTROL_PLANE, REAL_NODE, SIMULATED_NODE, find_binaries

    # Here rather than in the supervisor, so that a build of minutes tells its progress where people look.
    find_binaries([*CONTROL_PLANE, *(REAL_NODE if node == "real" else SIMULATED_NODE)])
    directory = new_directory()
    command = [sys.executable, "-m", "tests.cluster.supervisor", str(directory), f"--node={node}"]
    if owner != 0:
        command.append(f"--owner={owner or os.getpid()}")
    with (directory / "supervisor.log").open("w") as log:
        supervisor = subprocess.Popen(
            command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    deadline = time.monotonic() + patience
    while not (directory / "cluster.json").exists():
        if supervisor.poll() is not None or time.monotonic() > deadline:
            supervisor.terminate()
            supervisor.wait()
            raise ClusterError(f"the cluster did not start: {_reason(directory)}")
        time.sleep(0.05)
    return open_cluster(directory)


def open_cluster(directory: Path) -> Cluster:
    """The running cluster whose directory that is. Raises OSError when there is none."""
    facts = json.loads((directory / "cluster.json").read_text())
    return Cluster(Path(facts["kubeconfig"]), directory=directory, kubectl=facts["kubectl"])


def _reason(directory: Path) -> str:
    for name in ("failure", "supervisor.log"):
        path = directory / name
        if path.exists() and path.read_text():
            return path.read_text()[-3000:]
    return f"no reason was left in {directory}"
