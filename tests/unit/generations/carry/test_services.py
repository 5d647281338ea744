"""Ports and selectors of Services."""

from __future__ import annotations

from hook.generations.carry_over import cannot_carry, carry_over
from tests.unit.generations.live_objects import OURS, applied, config_map, service


def ports(desired: dict, live: dict) -> list[dict]:  # type: ignore[type-arg]
    found: list[dict] = carry_over(desired, live, OURS).obj["spec"]["ports"]  # type: ignore[type-arg]
    return found


def test_a_port_that_we_own_and_the_manifest_lacks_stays_without_its_node_port() -> None:
    live = applied(service({"name": "old", "port": 80, "targetPort": 8080, "nodePort": 30080}))
    assert ports(service({"name": "new", "port": 81}), live) == [
        {"name": "new", "port": 81, "protocol": "TCP"},
        {"name": "old", "port": 80, "targetPort": 8080, "protocol": "TCP"},
    ]


def test_two_ports_both_get_names_where_one_alone_needs_none() -> None:
    assert [port["name"] for port in ports(service({"port": 81}), applied(service({"port": 80})))] == [
        "port-81",
        "port-80",
    ]


def test_a_carried_port_gives_its_name_to_the_port_of_the_manifest() -> None:
    desired, live = service({"name": "http", "port": 81}), applied(service({"name": "http", "port": 80}))
    assert [(port["name"], port["port"]) for port in ports(desired, live)] == [("http", 81), ("http-80", 80)]


def test_a_name_of_another_managers_port_is_taken_too() -> None:
    live = applied(service({"name": "http", "port": 80}))
    live["spec"]["ports"].append({"name": "http-80", "port": 99, "protocol": "TCP"})
    assert ports(service({"name": "http", "port": 81}), live)[1]["name"] == "http-80-tcp"


def test_a_long_name_stays_a_dns_label() -> None:
    name = "a" * 63
    carried = ports(service({"name": name, "port": 81}), applied(service({"name": name, "port": 80})))[1]["name"]
    assert len(carried) <= 63
    assert carried.endswith("-80")


def test_one_number_with_two_protocols_is_two_ports() -> None:
    live = applied(service({"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53}))
    desired = service({"name": "dns", "port": 53, "protocol": "UDP"})
    assert [port["name"] for port in ports(desired, live)] == ["dns", "dns-tcp"]


def test_a_port_of_another_manager_is_not_made_ours() -> None:
    live = applied(service({"name": "a", "port": 80}))
    live["spec"]["ports"].append({"name": "mesh", "port": 15000, "protocol": "TCP"})
    assert carry_over(service({"name": "a", "port": 80}), live, OURS).digest == ""


def test_the_same_number_under_another_name_or_target_is_named() -> None:
    live = applied(service({"name": "http", "port": 80, "targetPort": 8080}))
    assert cannot_carry(service({"name": "web", "port": 80, "targetPort": "web"}), live, OURS) == (
        "port 80/TCP: the target changes from 8080 to web",
        "port 80/TCP: the name changes from http to web",
    )


def test_a_target_that_is_the_default_does_not_change() -> None:
    live = applied(service({"name": "http", "port": 80, "targetPort": 80}))
    assert cannot_carry(service({"name": "http", "port": 80}), live, OURS) == ()


def test_a_service_that_becomes_external_is_named_and_carries_nothing() -> None:
    live = applied(service({"port": 80}, selector={"app": "web"}))
    desired = service(type="ExternalName", externalName="example.org")
    assert carry_over(desired, live, OURS).obj == desired
    assert len(cannot_carry(desired, live, OURS)) == 1


def test_the_live_selector_stays_and_the_new_one_is_handed_out() -> None:
    live = applied(service({"port": 80}, selector={"app": "web"}))
    carried = carry_over(service({"port": 80}, selector={"app": "web", "tier": "front"}), live, OURS)
    assert carried.obj["spec"]["selector"] == {"app": "web"}
    assert carried.selector_switch == {"app": "web", "tier": "front"}
    assert carried.switches


def test_switching_takes_the_new_selector_and_leaves_the_rest_carried() -> None:
    live = applied(service({"name": "a", "port": 80}, selector={"app": "web"}))
    desired = service({"name": "b", "port": 81}, selector={"app": "shop"})
    carried = carry_over(desired, live, OURS, switch=True)
    assert carried.obj["spec"]["selector"] == {"app": "shop"}
    assert carried.what == ("port 80/TCP",)
    assert not carried.switches


def test_a_selector_that_comes_waits_for_a_ready_pod() -> None:
    """Until then the Service keeps the endpoints that somebody wrote by hand."""
    carried = carry_over(service({"port": 80}, selector={"app": "web"}), applied(service({"port": 80})), OURS)
    assert "selector" not in carried.obj["spec"]
    assert carried.selector_switch == {"app": "web"}


def test_a_selector_that_goes_stays_until_the_exact_apply() -> None:
    carried = carry_over(service({"port": 80}), applied(service({"port": 80}, selector={"app": "web"})), OURS)
    assert carried.obj["spec"]["selector"] == {"app": "web"}
    assert not carried.switches


def test_a_changed_selector_is_named() -> None:
    live = applied(service({"port": 80}, selector={"app": "web"}))
    (line,) = cannot_carry(service({"port": 80}, selector={"app": "shop"}), live, OURS)
    assert line.startswith("the selector changes to app=shop")


def test_an_unchanged_service_carries_nothing() -> None:
    desired = service({"port": 80}, selector={"app": "web"})
    carried = carry_over(desired, applied(desired), OURS)
    assert (carried.obj, carried.what, carried.digest, carried.selector_switch) == (desired, (), "", None)


def test_neither_object_is_changed() -> None:
    desired, live = service({"port": 81}), applied(service({"port": 80}, selector={"app": "web"}))
    carry_over(desired, live, OURS)
    assert desired == service({"port": 81})
    assert live == applied(service({"port": 80}, selector={"app": "web"}))


def test_kinds_that_share_nothing_are_applied_as_they_are() -> None:
    desired = {**config_map(), "kind": "ServiceAccount"}
    assert carry_over(desired, applied(desired), OURS).obj == desired
