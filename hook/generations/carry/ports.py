"""Ports of Services: clients of the old generation still dial them."""

from __future__ import annotations

from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields, descend, item_node
from hook.manifests.identity import Object

Port = dict[str, Any]

_LONGEST_NAME = 63  # a DNS label


def carry_ports(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Ports that we own and the manifest lacks stay, without their nodePort and under a name that is free.

    The nodePort may be wanted by a port of the manifest; the API server gives the carried one its own again if not.
    More than one port must all have names, so a port of the manifest without one gets one meanwhile.
    """
    old = _missing(body, live, owned)
    if not old:
        return []
    spec = body["spec"]
    ports: list[Port] = spec.setdefault("ports", [])
    wanted = {_key(port) for port in ports}
    gone = {_key(port) for port in old}
    others = [port for port in _ports(live) if _key(port) not in wanted | gone]
    taken = {port["name"] for port in (*ports, *others) if port.get("name")}
    for port in ports:
        if not port.get("name"):
            port["name"] = _free_name(_live_name(live, port), port, taken)
    kept = []
    for port in old:
        carried = {name: value for name, value in port.items() if name != "nodePort"}
        carried["name"] = _free_name(port.get("name", ""), port, taken)
        ports.append(carried)
        kept.append(Kept(f"port {_shown(port)}", carried))
    return kept


def lost_ports(desired: Object, live: Object, owned: Fields) -> list[str]:
    """Ports whose number stays while their name, target or the kind of Service changes."""
    lines = []
    if _external(desired) and not _external(live):
        lines.append("becomes ExternalName: the pods of the old generation get no more traffic through it")
    before = {_key(port): port for port in _ports(live)}
    for port in _ports(desired):
        old = before.get(_key(port))
        if old is None or _external(desired):
            continue
        if _target(old) != _target(port):
            lines.append(f"port {_shown(port)}: the target changes from {_target(old)} to {_target(port)}")
        if port.get("name") and old.get("name") != port["name"]:
            lines.append(f"port {_shown(port)}: the name changes from {old.get('name') or 'none'} to {port['name']}")
    return lines


def _missing(desired: Object, live: Object, owned: Fields) -> list[Port]:
    if _external(desired):
        return []
    wanted = {_key(port) for port in _ports(desired)}
    ours = descend(owned, "spec", "ports")
    return [port for port in _ports(live) if _key(port) not in wanted and item_node(ours, port) is not None]


def _ports(service: Object) -> list[Port]:
    return list((service.get("spec") or {}).get("ports") or ())


def _external(service: Object) -> bool:
    return (service.get("spec") or {}).get("type") == "ExternalName"


def _key(port: Port) -> tuple[int, str]:
    return port["port"], port.get("protocol") or "TCP"


def _target(port: Port) -> int | str:
    target: int | str = port.get("targetPort") or port["port"]
    return target


def _shown(port: Port) -> str:
    number, protocol = _key(port)
    return f"{number}/{protocol}"


def _live_name(live: Object, port: Port) -> str:
    return next((one.get("name", "") for one in _ports(live) if _key(one) == _key(port)), "")


def _free_name(name: str, port: Port, taken: set[str]) -> str:
    """The name itself if it is free, else one made of it and the port's number; adds it to `taken`."""
    number, protocol = _key(port)
    suffixes = ("", f"-{number}", f"-{number}-{protocol.lower()}", f"-{number}-old")
    bases = [name] if name else []
    for base in (*bases, "port"):
        for suffix in suffixes if base == name else suffixes[1:]:
            candidate = base[: _LONGEST_NAME - len(suffix)].rstrip("-") + suffix
            if candidate not in taken:
                taken.add(candidate)
                return candidate
    raise AssertionError("a Service cannot have so many ports of one number")
