"""Workloads whose manifest makes an interruption certain, or leaves old pods behind: nothing can be carried there."""

from __future__ import annotations

import math
from typing import Any

from hook.generations.field_sets import Fields, compare, descend, show
from hook.manifests.identity import Object


def interruptions(desired: Object, live: Object, owned: Fields) -> list[str]:
    """Lines for a Deployment, StatefulSet or DaemonSet whose Pod template changes; none where it does not.

    Defaults and rounding as the Deployment controller has them: a surge is rounded up, unavailable pods down, and
    both being zero means one unavailable.
    """
    if not _template_changes(desired, live, owned):
        return []
    spec = desired.get("spec") or {}
    kind = desired["kind"]
    replicas = spec.get("replicas", (live.get("spec") or {}).get("replicas", 1))
    if kind == "Deployment":
        return _deployment(spec.get("strategy") or {}, replicas)
    strategy = spec.get("updateStrategy") or {}
    if strategy.get("type") == "OnDelete":
        return ["update strategy OnDelete: old pods stay until somebody deletes them, and are not waited for"]
    if kind == "StatefulSet":
        return _stateful_set(strategy.get("rollingUpdate") or {}, replicas)
    return []


def _deployment(strategy: dict[str, Any], replicas: int) -> list[str]:
    if replicas == 0:
        return []
    if strategy.get("type") == "Recreate":
        return ["strategy Recreate: all old pods end before a new one starts"]
    rolling = strategy.get("rollingUpdate") or {}
    surge = _share(rolling.get("maxSurge", "25%"), replicas, up=True)
    unavailable = _share(rolling.get("maxUnavailable", "25%"), replicas, up=False)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    if unavailable < replicas:
        return []
    return [
        f"no pod has to stay available ({replicas} replica(s), maxSurge {surge}, maxUnavailable {unavailable}): "
        "old pods end before new ones are Ready"
    ]


def _stateful_set(rolling: dict[str, Any], replicas: int) -> list[str]:
    partition = rolling.get("partition") or 0
    if partition > 0:
        stay = min(partition, replicas)
        return [f"partition {partition}: {stay} old pod(s) stay, and are not waited for"]
    unavailable = max(1, _share(rolling.get("maxUnavailable", 1), replicas, up=False))
    if 0 < replicas <= unavailable:
        return [f"a StatefulSet has no surge: with {replicas} replica(s) the old pod ends before the new one starts"]
    return []


def _share(value: int | str, of: int, *, up: bool) -> int:
    """`2` or `"25%"` of a number of replicas; 0 for anything else."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    if not digits.isdigit() or digits == value:
        return 0
    exact = int(digits) * of / 100
    return math.ceil(exact) if up else math.floor(exact)


def _template_changes(desired: Object, live: Object, owned: Fields) -> bool:
    """Whether the manifest's template asks for another value than the live one has, or drops a field that we own."""
    wanted, present = _template(desired), _template(live)
    if not _contains(present, wanted):
        return True
    ours = descend(owned, "spec", "template") or {}
    kept = {show(path) for path, _, is_owned in compare(present, ours) if is_owned}
    asked = {show(path) for path, _, _ in compare(wanted, None)}
    return not kept <= asked


def _template(workload: Object) -> dict[str, Any]:
    return (workload.get("spec") or {}).get("template") or {}


def _contains(whole: Any, part: Any) -> bool:
    """Whether everything that `part` says holds in `whole`, which may say more (defaults)."""
    if isinstance(part, dict):
        if not part:
            return whole is None or isinstance(whole, dict)
        return isinstance(whole, dict) and all(_contains(whole.get(key), value) for key, value in part.items())
    if isinstance(part, list):
        if not part:
            return not whole
        return (
            isinstance(whole, list)
            and len(whole) >= len(part)
            and all(_contains(one, other) for one, other in zip(whole, part, strict=False))
        )
    return bool(whole == part)
