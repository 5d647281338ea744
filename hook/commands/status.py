"""`status`: the sets of a component as they stand; reads only."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from hook.cluster.answers import ApiError, Cause
from hook.cluster.connection import Connection
from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.cluster.resource_type import LEASE
from hook.commands.candidates import CANDIDATE_COLUMNS, candidate_object, candidate_row, find_candidates
from hook.commands.inputs import check_component_given, with_namespaces
from hook.generations.installer_set import InstallerSet
from hook.manifests.identity import Object
from hook.records.definition import Definition
from hook.records.native import NativeRecords
from hook.settings import settle

_COLUMNS = ("NAME", "PART", "GENERATION", "VERSION", "PHASE", "READY", "RESOURCES", "RETAINED", "MESSAGE")


def status_command(flags: Mapping[str, Any], kubeconfig: str | None, context: str | None, output: str) -> str:
    """The text to print; raises HandoffError."""
    settings = settle(None, "", os.environ, flags)
    check_component_given(settings)
    connection = Connection.open(kubeconfig, context)
    settings = with_namespaces(settings, connection.namespace)
    objects = Objects(connection)
    discovery = Discovery.read(connection)
    definition = Definition(objects, discovery, lambda: Discovery.read(connection), connection.pause)
    sets = NativeRecords(objects, definition, settings.namespace, settings.component).read()
    holder = _holder(objects, settings.namespace, settings.component)
    candidates = find_candidates(objects, discovery, sets)
    if output == "json":
        return json.dumps(
            {
                "component": settings.component,
                "namespace": settings.namespace,
                "lockedBy": holder or None,
                "sets": [_as_object(one) for one in sets],
                "tektonSets": [candidate_object(one) for one in candidates],
            },
            indent=2,
        )
    lines = _table([_row(one) for one in sets]) if sets else [f"{settings.component}: no sets in {settings.namespace}"]
    if holder:
        lines.append(f"locked by {holder}")
    if candidates:
        lines += ["", "TektonInstallerSets that no handoff has made; `tektonSets` names those of this component:"]
        lines += _table([candidate_row(one) for one in candidates], CANDIDATE_COLUMNS)
    return "\n".join(lines)


def _holder(objects: Objects, namespace: str, component: str) -> str:
    try:
        lease: Object = objects.get(LEASE, namespace, f"handoff-{component}")
    except ApiError as error:
        if error.cause is Cause.NOT_FOUND:
            return ""
        raise
    return (lease.get("spec") or {}).get("holderIdentity") or ""


def _as_object(one: InstallerSet) -> Object:
    return {
        "name": one.name,
        "part": one.part,
        "generation": one.short,
        "digest": f"sha256:{one.digest}",
        "version": one.version,
        "phase": one.phase,
        "ready": one.ready_condition.get("status"),
        "message": one.ready_condition.get("message"),
        "resources": [str(entry.identity) for entry in one.resources],
        "retained": [{"object": str(entry.identity), "why": entry.why} for entry in one.retained],
        "replaces": [old.name for old in one.replaces],
        "operatorSet": one.operator_set.name if one.operator_set else None,
    }


def _row(one: InstallerSet) -> tuple[str, ...]:
    condition = one.ready_condition
    return (
        one.name,
        one.part,
        one.short,
        one.version,
        one.phase,
        condition.get("status", "Unknown"),
        str(len(one.resources)),
        str(len(one.retained)),
        condition.get("message", ""),
    )


def _table(rows: Sequence[tuple[str, ...]], columns: tuple[str, ...] = _COLUMNS) -> list[str]:
    widths = [max(len(row[i]) for row in (columns, *rows)) for i in range(len(columns))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (columns, *rows)
    ]
