"""Who kept the resources of an older generation besides us: the controllers that stand in their ownerReferences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hook.generations.field_sets import Fields, item_node, node_at


@dataclass(frozen=True, slots=True)
class Predecessors:
    """`controllers` are uids of owners; `stamps` are annotations by which they know what they wrote themselves.

    What they keep is the component's own: it is taken over without a further word, and may be pruned.
    """

    controllers: frozenset[str] = frozenset()
    stamps: frozenset[str] = frozenset()

    def keep(self, metadata: Mapping[str, Any]) -> bool:
        """Whether the live object is kept by one of them.

        The controller decides. A stamp counts only where there is none: controllers copy annotations to what they make.
        """
        controller = controller_of(metadata)
        if controller is not None:
            return controller.get("uid") in self.controllers
        return bool(self.stamps & set(metadata.get("annotations") or {}))

    def managers(self, metadata: Mapping[str, Any]) -> frozenset[str]:
        """The field managers under which they have written the object: the owners of their reference or stamp."""
        return frozenset(
            str(entry.get("manager"))
            for entry in metadata.get("managedFields") or ()
            if self._wrote((entry.get("fieldsV1") or {}).get("f:metadata") or {})
        )

    def _wrote(self, fields: Fields) -> bool:
        references = fields.get("f:ownerReferences") or {}
        return any(item_node(references, {"uid": uid}) is not None for uid in self.controllers) or any(
            node_at(fields, ("annotations", stamp)) is not None for stamp in self.stamps
        )


NOBODY = Predecessors()


def controller_of(metadata: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The ownerReference of the object's controller, or None."""
    for reference in metadata.get("ownerReferences") or ():
        if reference.get("controller"):
            found: Mapping[str, Any] = reference
            return found
    return None
