"""One document of the input, as read: JSON values, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hook.manifests.origin import Origin


@dataclass(frozen=True, slots=True)
class Document:
    """`value` is JSON (never None); `item_lines` are the lines of the entries of a top-level `items`, if known."""

    value: Any
    origin: Origin
    item_lines: tuple[int, ...] = ()

    def origin_of_item(self, index: int) -> Origin:
        """Where the list entry with this index begins; the document's own origin where that is not known."""
        if index < len(self.item_lines):
            return Origin(self.origin.file, self.item_lines[index])
        return self.origin
