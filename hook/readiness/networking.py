"""Services and Ingresses: ready by existing, unless an annotation asks for more."""

from __future__ import annotations

from hook.manifests.annotations import WAIT_FOR
from hook.readiness.annotations import ENDPOINTS, LOAD_BALANCER
from hook.readiness.fields import mapping, mappings, text
from hook.readiness.state import Readiness, State, current, in_progress, joined
from hook.readiness.subject import Subject


def service(subject: Subject) -> Readiness:
    """A load balancer's Service has its cluster IP (kstatus); endpoints and addresses only on request.

    What was asked for and can never come (endpoints without a selector, an address without a load balancer) is
    warned about instead of being waited for.
    """
    type_ = text(subject.spec, "type", "spec")
    if type_ == "LoadBalancer" and not text(subject.spec, "clusterIP", "spec"):
        return in_progress("it has no cluster IP yet", "spec.clusterIP")
    asked = subject.wait_for
    verdicts = []
    if ENDPOINTS in asked:
        verdicts.append(_endpoints(subject, type_))
    if LOAD_BALANCER in asked:
        if type_ == "LoadBalancer":
            verdicts.append(_address(subject))
        else:
            verdicts.append(current("it exists", f"{WAIT_FOR}: load-balancer, but its type is not LoadBalancer"))
    return _all(verdicts, asked, frozenset({ENDPOINTS, LOAD_BALANCER}))


def ingress(subject: Subject) -> Readiness:
    """Ready by existing; with an address on request."""
    asked = subject.wait_for
    return _all([_address(subject)] if LOAD_BALANCER in asked else [], asked, frozenset({LOAD_BALANCER}))


def _endpoints(subject: Subject, type_: str) -> Readiness:
    if type_ == "ExternalName":
        return current("it exists", f"{WAIT_FOR}: endpoints, but an ExternalName has none")
    if not mapping(subject.spec, "selector", "spec"):
        return current("it exists", f"{WAIT_FOR}: endpoints, but it has no selector, so none are made for it")
    ready = subject.related.ready_endpoints(subject.namespace, subject.name)
    if ready is None:
        return current("it exists", "its endpoints could not be looked at, and are taken to be ready")
    if ready > 0:
        return current(f"{ready} endpoints are ready")
    pods = subject.related.pods_of(subject.obj)
    if pods is not None and not pods:
        return in_progress("its selector matches no pod", "a ready endpoint")
    return in_progress("none of its endpoints is ready", "a ready endpoint")


def _address(subject: Subject) -> Readiness:
    balancer = mapping(subject.status, "loadBalancer", "status")
    for entry in mappings(balancer, "ingress", "status.loadBalancer"):
        if address := text(entry, "ip") or text(entry, "hostname"):
            return current(f"its address is {address}")
    return in_progress("it has no address yet", "an address of the load balancer")


def _all(verdicts: list[Readiness], asked: frozenset[str], known: frozenset[str]) -> Readiness:
    """The first verdict that waits, else all of them as one."""
    for verdict in verdicts:
        if verdict.state is not State.CURRENT:
            return verdict
    unknown = ", ".join(sorted(asked - known))
    return current(
        "; ".join(v.reason for v in verdicts) or "it exists",
        joined(*(v.warning for v in verdicts), f"{WAIT_FOR}: {unknown} means nothing here" if unknown else None),
    )
