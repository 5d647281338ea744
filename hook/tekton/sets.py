"""Reading and writing TektonInstallerSets: each write on condition of the very read that it was decided on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hook.cluster.answers import ApiError, Cause
from hook.errors import Refused, Unreachable
from hook.generations.metadata_patch import metadata_patch
from hook.handoff.session import Session
from hook.manifests.digest import canonical
from hook.manifests.identity import Object
from hook.tekton.installer_set import GROUP, TEKTON_SET, VERSION, TektonInstallerSet

_TRIES = 8
# Requests of more than 1.5 MiB are refused by the store; status and managedFields need some of that, too.
_LIMIT = 1_300_000

Change = Callable[[TektonInstallerSet], Sequence[Object]]


class TektonSets:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._type = session.require_type(TEKTON_SET, VERSION)

    def list(self) -> tuple[TektonInstallerSet, ...]:
        return tuple(TektonInstallerSet.from_object(item) for item in self._session.objects.list(self._type).items)

    def get(self, name: str) -> TektonInstallerSet | None:
        try:
            return TektonInstallerSet.from_object(self._session.objects.get(self._type, "", name))
        except ApiError as error:
            if error.cause is Cause.NOT_FOUND:
                return None
            raise

    def create(self, name: str, metadata: Object, manifests: Sequence[Object]) -> TektonInstallerSet:
        """Raises ApiError ALREADY_EXISTS, and Refused for manifests that do not fit into one set."""
        check_size(name, manifests)
        body = {
            "apiVersion": f"{GROUP}/{VERSION}",
            "kind": TEKTON_SET.kind,
            "metadata": {"name": name, **metadata},
            "spec": {"manifests": list(manifests)},
        }
        return TektonInstallerSet.from_object(self._session.objects.create(self._type, body))

    def edit(self, current: TektonInstallerSet, change: Change) -> TektonInstallerSet | None:
        """Apply the patch that `change` makes of the set as it stands; [] writes nothing.

        Returns the set as it then is, None where it is gone, or another of the same name.
        """
        found: TektonInstallerSet | None = current
        for _ in range(_TRIES):
            if found is None or found.uid != current.uid:
                return None
            operations = list(change(found))
            if not operations:
                return found
            condition = metadata_patch({"metadata": {"resourceVersion": found.resource_version}})
            try:
                patch = [*condition, *operations]
                written = self._session.objects.json_patch(self._type, "", found.name, patch, "handoff")
                return TektonInstallerSet.from_object(written)
            except ApiError as error:
                if error.cause not in (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH):
                    raise
            found = self.get(current.name)
        raise Unreachable(f"{current.identity} is changed by somebody all the time; run again")

    def keep_only(
        self, current: TektonInstallerSet, manifests: Callable[[TektonInstallerSet], Sequence[Object]]
    ) -> TektonInstallerSet | None:
        """Write what `manifests` makes of its list, unless that is what it is; returns as `edit`."""
        return self.edit(current, lambda one: _manifests_patch(one, manifests(one)))

    def mark(
        self, current: TektonInstallerSet, labels: Mapping[str, str], annotations: Mapping[str, str]
    ) -> TektonInstallerSet | None:
        """Set these labels and annotations; others stay."""

        def change(one: TektonInstallerSet) -> list[Object]:
            patch = []
            for place, have, want in (("labels", one.labels, labels), ("annotations", one.annotations, annotations)):
                if any(have.get(key) != value for key, value in want.items()):
                    patch.append({"op": "add", "path": f"/metadata/{place}", "value": {**have, **want}})
            return patch

        return self.edit(current, change)

    def delete(self, current: TektonInstallerSet) -> bool:
        """DELETE exactly what was read; False where it has changed since. Dependents go in the background."""
        try:
            self._session.objects.delete(
                self._type,
                "",
                current.name,
                uid=current.uid,
                resource_version=current.resource_version,
                propagation="Background",
            )
        except ApiError as error:
            if error.cause in (Cause.STALE, Cause.UID_MISMATCH):
                return False
            if error.cause is not Cause.NOT_FOUND:
                raise
        return True


def check_size(name: str, manifests: Sequence[Object]) -> None:
    """Raises Refused for manifests that do not fit into one object of the API server's store."""
    size = sum(len(canonical(manifest)) for manifest in manifests)
    if size > _LIMIT:
        raise Refused(
            f"TektonInstallerSet {name} would hold {size} bytes of manifests, and the API server's store takes about "
            f"{_LIMIT}; deliver a part of them (CustomResourceDefinitions are the biggest) as a component of its own"
        )


def _manifests_patch(current: TektonInstallerSet, manifests: Sequence[Object]) -> list[Object]:
    check_size(current.name, manifests)
    if list(current.manifests) == list(manifests):
        return []
    return [{"op": "add", "path": "/spec", "value": {"manifests": list(manifests)}}]
