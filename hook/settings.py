"""What a run was told: flag > environment (`HANDOFF_*`) > `handoff.yaml` at the top of the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from hook.durations import parse_duration
from hook.errors import InvalidInput
from hook.pruning.limit import PruneLimit

Reader = Callable[[str, Any], Any]
_MAX_PRUNE = PruneLimit(50)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settled values; durations in seconds. `HealthRule`s stay as they were written."""

    component: str = ""
    version: str = ""
    digest: str = ""
    namespace: str = ""
    target_namespace: str = ""
    revision: str = ""
    kind: str = ""  # "", native or tekton
    timeout: float = 600.0
    lock_timeout: float = 300.0
    max_prune: PruneLimit = _MAX_PRUNE
    prune_kind: tuple[str, ...] = ()
    recreate: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    tekton_sets: tuple[str, ...] = ()  # that the operator made, to be taken over
    tekton_release: str = ""  # of the operator that is to keep the new sets
    health_check_exprs: tuple[Mapping[str, Any], ...] = ()
    adopt: bool = False
    allow_empty: bool = False
    always_apply: bool = False
    conflicts: str = "force"

    def with_values(self, values: Mapping[str, Any], origin: str) -> Settings:
        """These settings with `values` (raw, by camelCase key) laid over; raises InvalidInput naming origin and key."""
        changed = {}
        for key, value in values.items():
            name = _FIELD_OF.get(key)
            if name is None:
                raise InvalidInput(f"{origin}: unknown key {key!r}; known: {', '.join(sorted(_FIELD_OF))}")
            changed[name] = _READERS[name](f"{origin}: {key}", value)
        return replace(self, **changed)


def from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """The raw values of `HANDOFF_*` variables by camelCase key; lists are separated by commas."""
    values = {}
    for key in _FIELD_OF:
        name = "HANDOFF_" + re.sub(r"([A-Z])", r"_\1", key).upper()
        if environment.get(name):
            values[key] = environment[name]
    return values


def settle(
    settings_file: Mapping[str, Any] | None,
    file: str,
    environment: Mapping[str, str],
    flags: Mapping[str, Any],
) -> Settings:
    """Settings from all three places; a later one replaces a key of an earlier one as a whole.

    Raises InvalidInput for an unknown key or a value of the wrong kind.
    """
    settings = Settings()
    if settings_file:
        settings = settings.with_values(settings_file, file)
    settings = settings.with_values(from_environment(environment), "environment")
    return settings.with_values({k: v for k, v in flags.items() if v is not None}, "command line")


def _text(where: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{where}: must be text, not {value!r}")
    return value


def _choice(*allowed: str) -> Reader:
    def read(where: str, value: Any) -> str:
        if value not in allowed:
            raise InvalidInput(f"{where}: must be one of {', '.join(allowed)}, not {value!r}")
        return str(value)

    return read


def _digest(where: str, value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(sha256:)?[0-9a-f]{64}", value):
        raise InvalidInput(f"{where}: must be sha256: and 64 hex digits, as `handoff check` prints it, not {value!r}")
    return value.removeprefix("sha256:")


def _switch(where: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("true", "1", "false", "0"):
        return value in ("true", "1")
    raise InvalidInput(f"{where}: must be true or false, not {value!r}")


def _seconds(where: str, value: Any) -> float:
    try:
        seconds = parse_duration(_text(where, value))
    except ValueError as error:
        raise InvalidInput(f"{where}: {error}") from None
    if seconds <= 0:
        raise InvalidInput(f"{where}: must be more than 0, not {value!r}")
    return seconds


def _texts(where: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [piece for piece in value.split(",") if piece]
    if not isinstance(value, Sequence) or not all(isinstance(piece, str) for piece in value):
        raise InvalidInput(f"{where}: must be a list of texts, not {value!r}")
    return tuple(value)


def _kind_and_name(where: str, value: Any) -> tuple[str, ...]:
    named = _texts(where, value)
    for piece in named:
        if not re.fullmatch(r"[^/\s]+/[^/\s]+", piece):
            raise InvalidInput(f"{where}: must be KIND/NAME, not {piece!r}")
    return named


def _rules(where: str, value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(isinstance(rule, dict) for rule in value):
        raise InvalidInput(f"{where}: must be a list of rules (apiVersion, kind, current, inProgress, failed)")
    return tuple(value)


def _limit(where: str, value: Any) -> PruneLimit:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InvalidInput(f"{where}: must be a number such as 50, or a percentage such as 20%, not {value!r}")
    try:
        return PruneLimit.parse(str(value))
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error.message}") from None


_READERS: dict[str, Reader] = {
    "component": _text,
    "version": _text,
    "digest": _digest,
    "namespace": _text,
    "target_namespace": _text,
    "revision": _text,
    "kind": _choice("native", "tekton"),
    "timeout": _seconds,
    "lock_timeout": _seconds,
    "max_prune": _limit,
    "prune_kind": _texts,
    "recreate": _kind_and_name,
    "share": _kind_and_name,
    "tekton_sets": _texts,
    "tekton_release": _text,
    "health_check_exprs": _rules,
    "adopt": _switch,
    "allow_empty": _switch,
    "always_apply": _switch,
    "conflicts": _choice("force", "fail"),
}

_FIELD_OF = {
    re.sub(r"_([a-z])", lambda found: found.group(1).upper(), field.name): field.name for field in fields(Settings)
}
