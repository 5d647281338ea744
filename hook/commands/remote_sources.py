"""Sources that have to be fetched before they can be read."""

from __future__ import annotations

from collections.abc import Sequence

from hook.cluster.artifacts import fetch_artifact
from hook.cluster.keyed_files import read_keyed_files
from hook.cluster.objects import Objects
from hook.commands.connections import connect
from hook.manifests.archive import read_archive
from hook.manifests.remote import KeyedSource, RemoteSource
from hook.manifests.sources import Source, read_tree


def fetch_sources(remotes: Sequence[RemoteSource], kubeconfig: str | None, context: str | None) -> list[Source]:
    """Each of them, read; raises InvalidInput, Refused, Unreachable, Terminated and ApiError."""
    connection = connect(kubeconfig, context)
    try:
        objects = Objects(connection)
        return [_fetch(objects, remote) for remote in remotes]
    finally:
        connection.close()


def _fetch(objects: Objects, remote: RemoteSource) -> Source:
    shown = str(remote)
    if isinstance(remote, KeyedSource):
        return read_tree(read_keyed_files(objects, remote.kind, remote.namespace, remote.name), shown)
    artifact, data = fetch_artifact(objects, remote.kind, remote.namespace, remote.name)
    return read_tree(read_archive(data, shown, remote.path), shown, artifact.revision)
