"""What holds for every object that can carry something."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hook.generations.carry_over import Carried, carry_over
from hook.generations.managed_fields import uncovered
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, config_map, fields_of, role, rule, service

words = st.sampled_from(["a", "b", "c", "d"])


@st.composite
def config_maps(draw: st.DrawFn) -> Object:
    data = draw(st.dictionaries(words, words, max_size=3))
    binary = draw(st.dictionaries(words.filter(lambda word: word not in data), st.just("MQ=="), max_size=2))
    return config_map(data, **({"binaryData": binary} if binary else {}))


@st.composite
def services(draw: st.DrawFn) -> Object:
    keys = draw(
        st.lists(st.tuples(st.integers(80, 84), st.sampled_from(["TCP", "UDP"])), min_size=1, max_size=4, unique=True)
    )
    names = draw(st.permutations(["a", "b", "c", "d"]))
    ports: list[dict[str, Any]] = [{"port": number, "protocol": protocol} for number, protocol in keys]
    if len(ports) > 1 or draw(st.booleans()):
        ports = [{"name": name, **port} for name, port in zip(names, ports, strict=False)]
    return service(*ports, **draw(st.sampled_from([{}, {"selector": {"app": "x"}}, {"selector": {"app": "y"}}])))


@st.composite
def roles(draw: st.DrawFn) -> Object:
    verbs = st.lists(st.sampled_from(["get", "list", "*"]), min_size=1, max_size=2, unique=True).map(",".join)
    resources = st.sampled_from(["pods", "secrets", "pods,secrets", "*"])
    return role(*draw(st.lists(st.builds(rule, verbs, resources), max_size=3)))


pairs = st.one_of(*(st.tuples(kind, kind) for kind in (config_maps(), services(), roles())))


def live_after(carried: Carried) -> Object:
    return applied(carried.obj)


@given(pairs)
def test_to_carry_twice_changes_nothing(pair: tuple[Object, Object]) -> None:
    old, desired = pair
    first = carry_over(desired, applied(old), OURS)
    second = carry_over(desired, live_after(first), OURS)
    assert (second.obj, second.digest) == (first.obj, first.digest)


@given(pairs)
def test_after_the_exact_apply_nothing_is_left_to_carry(pair: tuple[Object, Object]) -> None:
    _, desired = pair
    assert carry_over(desired, applied(desired), OURS) == Carried(desired)


@given(pairs)
def test_the_digest_tells_whether_the_body_differs_from_the_manifest(pair: tuple[Object, Object]) -> None:
    old, desired = pair
    carried = carry_over(desired, applied(old), OURS)
    assert bool(carried.digest) == (carried.obj != desired) == bool(carried.what)


@given(pairs)
def test_a_carried_body_still_covers_the_manifest(pair: tuple[Object, Object]) -> None:
    """So that a run that is killed and started again finds the resource unchanged."""
    old, desired = pair
    carried = carry_over(desired, applied(old), OURS, switch=True)
    assert uncovered(fields_of(carried.obj), desired) == []


@given(st.tuples(services(), services()))
def test_ports_are_valid_together(pair: tuple[Object, Object]) -> None:
    old, desired = pair
    ports = carry_over(desired, applied(old), OURS).obj["spec"]["ports"]
    keys = [(port["port"], port["protocol"]) for port in ports]
    assert {(port["port"], port["protocol"]) for one in pair for port in one["spec"]["ports"]} == set(keys)
    assert len(set(keys)) == len(keys)
    if len(ports) > 1:
        assert len({port["name"] for port in ports}) == len(ports)
    assert not any("nodePort" in port for port in ports)


@given(st.tuples(config_maps(), config_maps()))
def test_no_key_of_the_old_generation_goes(pair: tuple[Object, Object]) -> None:
    old, desired = pair
    body = carry_over(desired, applied(old), OURS).obj
    keys = {key for section in ("data", "binaryData") for key in body.get(section) or {}}
    assert keys >= {key for section in ("data", "binaryData") for key in old.get(section) or {}}
