"""A component whose manifests are lists of objects in a test, run through a proxy that records what it asks for."""

from __future__ import annotations

import contextlib
import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Hold, Proxy, Request
from tests.hook_inside import run_inside
from tests.hook_process import HookProcess, HookResult, handoff
from tests.live_objects import Object, read, sets_of

_TIMEOUT = "--timeout=30s"


@dataclass(frozen=True, slots=True)
class Component:
    """`namespace` is where its sets live; `directory` is where manifest files are written."""

    cluster: Cluster
    name: str
    namespace: str
    directory: Path
    proxy: Proxy
    environment: Mapping[str, str]

    def run(self, *objects: Object, options: tuple[str, ...] = (), command: str = "run", code: int = 0) -> HookResult:
        """Runs a generation of these objects to its end, which must be `code`."""
        arguments = self.arguments(objects, options, command)
        result = run_inside(self.proxy.kubeconfig, *arguments, environment=self.environment)
        assert result.exit_code == code, result
        return result

    @contextlib.contextmanager
    def running(self, *objects: Object, options: tuple[str, ...] = ()) -> Iterator[HookProcess]:
        """The same run while it goes on."""
        arguments = self.arguments(objects, options, "run")
        with handoff(None, *arguments, kubeconfig=self.proxy.kubeconfig, environment=self.environment) as process:
            yield process

    def remove(self, *options: str, code: int = 0) -> HookResult:
        """Runs `remove` to its end, which must be `code`."""
        command = ("remove", *self._named(options))
        result = run_inside(self.proxy.kubeconfig, *command, environment=self.environment)
        assert result.exit_code == code, result
        return result

    def arguments(self, objects: tuple[Object, ...], options: tuple[str, ...], command: str) -> list[str]:
        """The command line for these objects."""
        source = self.directory / f"{self.name}-{uuid.uuid4().hex[:8]}.json"
        source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        empty = () if objects else ("--allow-empty",)
        return [command, "--source", str(source), *self._named(options), *empty]

    @property
    def sets(self) -> list[Object]:
        return sets_of(self.cluster.api, self.namespace, self.name)

    @property
    def listed(self) -> set[str]:
        """`Kind name` of all that its sets list."""
        return {f"{entry['kind']} {entry['name']}" for one in self.sets for entry in one["spec"]["resources"]}

    @property
    def retained(self) -> dict[str, str]:
        """`Kind name` of all that its sets retain, and why."""
        entries = [entry for one in self.sets for entry in one["spec"].get("retained") or ()]
        return {f"{entry['kind']} {entry['name']}": entry.get("why", "") for entry in entries}

    @property
    def mark(self) -> str:
        return f"owner.installersets.io/{self.name}"

    @property
    def manager(self) -> str:
        return f"handoff:{self.namespace}:{self.name}"

    @property
    def deletions(self) -> list[str]:
        """`plural name` of each DELETE that it has sent since the last `forget`, but of its own records."""
        return [
            f"{request.plural} {request.name}"
            for request in self.proxy.writes
            if request.method == "DELETE" and request.plural != "installersets"
        ]

    def meanwhile(self, hold: Hold, act: Callable[[], None]) -> threading.Thread:
        """Does something when `hold` has stopped a request of this component's run, and lets it go on."""

        def wait() -> None:
            if hold.wait_until_reached():
                try:
                    act()
                finally:
                    hold.release()

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    def _named(self, options: tuple[str, ...]) -> tuple[str, ...]:
        limit = () if any(option.startswith("--timeout") for option in options) else (_TIMEOUT,)
        return (f"--component={self.name}", f"--namespace={self.namespace}", *limit, *options)


def live(cluster: Cluster, obj: Object) -> Object | None:
    """The live object of a manifest; None where it does not exist."""
    return next(iter(read(cluster.api, [obj]).values()), None)


def present(cluster: Cluster, obj: Object) -> Object:
    """The live object of a manifest, which must exist."""
    found = live(cluster, obj)
    assert found is not None, f"{obj['kind']} {obj['metadata']['name']} is not there"
    return found


def deletes(plural: str, name: str = "") -> Callable[[Request], bool]:
    """What matches a DELETE of that kind (and name)."""
    return lambda r: r.method == "DELETE" and r.plural == plural and name in ("", r.name)


def applies(plural: str, name: str = "") -> Callable[[Request], bool]:
    """What matches a server-side apply, no dry one."""
    return lambda r: r.is_apply and r.is_write and r.plural == plural and name in ("", r.name)


def patches(plural: str, name: str = "") -> Callable[[Request], bool]:
    """What matches a JSON patch: how objects are adopted and given up."""
    return lambda r: r.method == "PATCH" and not r.is_apply and r.plural == plural and name in ("", r.name)


def reads(plural: str, name: str = "") -> Callable[[Request], bool]:
    """What matches a GET of one object, or of the list where no name is given."""
    return lambda r: r.method == "GET" and not r.is_watch and r.plural == plural and r.name == name
