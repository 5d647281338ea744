"""`check`: everything that can be said about an input without a cluster, and its digest."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from hook.commands.inputs import Inputs
from hook.errors import InvalidInput
from hook.manifests.parts import part_of


def check_command(inputs: Inputs, output: str) -> str:
    """The text to print; raises InvalidInput or Refused."""
    settings = inputs.settings
    target = settings.target_namespace or settings.namespace
    if not target:
        raise InvalidInput(
            "the digest depends on the target namespace: give --target-namespace (or --namespace), or "
            "`targetNamespace:` in handoff.yaml"
        )
    generation = replace(inputs, settings=replace(settings, target_namespace=target)).generation()
    parts = Counter(part_of(m.identity.of_kind).value for m in generation.manifests)
    left_out = [{"object": str(left.identity), "why": left.why} for left in generation.left_out]
    if output == "json":
        return json.dumps(
            {
                "component": generation.component,
                "version": generation.version,
                "digest": f"sha256:{generation.digest}",
                "targetNamespace": target,
                "objects": len(generation.manifests),
                "parts": dict(parts),
                "leftOut": left_out,
            },
            indent=2,
        )
    shares = ", ".join(f"{count} {part}" for part, count in sorted(parts.items()))
    lines = [f"{generation.component}: {len(generation.manifests)} objects ({shares}), ready to be handed over"]
    lines += [f"left out: {left['object']}: {left['why']}" for left in left_out]
    lines.append(f"sha256:{generation.digest}")
    return "\n".join(lines)
