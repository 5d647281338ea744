"""Whether a CustomResourceDefinition may move, asked of the cluster where its versions alone do not tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hook.cluster.answers import ApiError
from hook.cluster.resource_type import ResourceType
from hook.errors import Refused
from hook.generations.crd_moves import Move, compare
from hook.generations.ownership import Verdict
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind
from hook.manifests.manifest import Manifest
from hook.manifests.waves import served_by

CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")


@dataclass(frozen=True, slots=True)
class KeptDefinition:
    """The live definition stays as it is, and serves what the manifest asks for."""

    why: str


def definitions_of(manifests: Iterable[Manifest]) -> dict[Kind, Identity]:
    """Kind → the CustomResourceDefinition among the manifests that defines it."""
    found = {}
    for manifest in manifests:
        if manifest.identity.of_kind == CRD:
            group, kind, _ = served_by(manifest.obj)
            found[Kind(group, kind)] = manifest.identity
    return found


def forward(session: Session, found: ResourceType, manifest: Manifest, verdict: Verdict) -> KeptDefinition | None:
    """None where the manifest is to be applied; raises Refused where neither it nor the live one can serve."""
    identity = manifest.identity
    whole = session.objects.get(found, "", identity.name)
    outcome = compare(manifest.obj, whole, session.manager, verdict.others)
    if outcome.move is Move.REFUSED:
        raise Refused(f"{identity}: {outcome.why}")
    for announcement in outcome.announce:
        session.journal.note("warnings", identity, announcement)
    if outcome.move is Move.BACKWARD:
        _prove(session, manifest, outcome.must_list, outcome.why)
    if outcome.move in (Move.BACKWARD, Move.KEEP_DIFFERS):
        return KeptDefinition(f"{outcome.move}: {outcome.why}")
    return None


def _prove(session: Session, manifest: Manifest, versions: tuple[str, ...], why: str) -> None:
    """A live definition that stays must answer a LIST at each version: a broken conversion fails all of them."""
    spec = manifest.obj["spec"]
    kind = Kind(spec["group"], spec["names"]["kind"])
    for version in versions:
        served = session.type_of(kind, version)
        try:
            if served is not None and served.version == version:
                session.objects.list(served, metadata_only=True)
                continue
            reason = "it is not served"
        except ApiError as error:
            reason = error.message
        raise Refused(
            f"{manifest.identity}: {why}, and it cannot stay in its place: version {version} cannot be listed: {reason}"
        )
