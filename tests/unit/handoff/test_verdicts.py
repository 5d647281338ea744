"""What counts as a verdict on a resource of the desired generation, and what ends the wait."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hook.errors import Unreachable, WorkloadFailed
from hook.generations.installer_set import Fact
from hook.handoff.bulletin import Bulletin
from hook.handoff.related import NotTold
from hook.handoff.verdicts import Verdicts
from hook.manifests.identity import Identity
from hook.readiness.related import Unrelated
from hook.readiness.rules import Rules
from hook.readiness.state import State
from hook.report.journal import Journal

WEB = Identity("apps", "Deployment", "ns", "web")
JOB = Identity("batch", "Job", "ns", "migrate")


class Pods(Unrelated):
    """Knows nothing but the pods."""

    def __init__(self, *pods: dict[str, Any]) -> None:
        self.pods = pods

    def pods_of(self, obj: Any) -> tuple[dict[str, Any], ...]:
        return self.pods


class Broken(Unrelated):
    """Cannot be asked just now."""

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        raise NotTold("the API server is away")

    service = ready_endpoints  # type: ignore[assignment]


def session() -> Any:
    return SimpleNamespace(
        facts={},
        journal=Journal(),
        deadline=SimpleNamespace(retirement_began=False),
        type_of=lambda kind, version: None,
    )


def verdicts(of: Any, related: Any = None) -> Verdicts:
    manifests: dict[Identity, dict[str, Any]] = {
        one: {"apiVersion": f"{one.group}/v1", "kind": one.kind, "metadata": {"namespace": "ns"}} for one in (WEB, JOB)
    }
    return Verdicts(of, manifests, Rules(), related or Unrelated(), Bulletin(Journal()))


def deployment(uid: str = "u", generation: int = 1, **spec: Any) -> dict[str, Any]:
    status = {
        "observedGeneration": generation,
        **dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 1),
        "conditions": [{"type": "Available", "status": "True"}],
    }
    metadata = {"namespace": "ns", "name": "web", "uid": uid, "generation": generation}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": 1, **spec},
        "status": status,
    }


def job(condition: str, uid: str = "u") -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": "ns", "name": "migrate", "uid": uid, "generation": 1},
        "status": {"conditions": [{"type": condition, "status": "True"}]},
    }


class Seen:
    """Watches of which only the last look matters."""

    def __init__(self, now: Any = None, last: Any = None) -> None:
        self.get = lambda identity: now
        self.last = lambda identity: last


def test_a_status_counts_from_the_generation_of_our_apply_on() -> None:
    of = session()
    of.facts[WEB] = Fact("u", 2)
    assert verdicts(of).judge(WEB, deployment(generation=1)).state is State.IN_PROGRESS
    assert verdicts(of).judge(WEB, deployment(generation=2)).ready
    assert verdicts(of).judge(WEB, deployment(generation=3)).ready


@pytest.mark.parametrize("found", [None, deployment(uid="another")], ids=["deleted", "replaced"])
def test_what_somebody_takes_away_ends_the_run_so_that_the_next_one_makes_it_anew(found: Any) -> None:
    of = session()
    of.facts[WEB] = Fact("u", 1)
    with pytest.raises(Unreachable, match="run again"):
        verdicts(of).judge(WEB, found)


def test_what_cannot_be_looked_at_is_unknown_and_not_ready() -> None:
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "w", "uid": "u"},
        "webhooks": [{"name": "a", "clientConfig": {"service": {"namespace": "ns", "name": "s"}}}],
    }
    verdict = verdicts(session(), Broken()).judge(WEB, configuration)
    assert verdict.state is State.UNKNOWN
    assert "the API server is away" in verdict.reason


def test_a_completed_job_is_remembered_and_may_go() -> None:
    of = session()
    of.facts[JOB] = Fact("u", 1)
    judged = verdicts(of)
    assert judged.judge(JOB, job("Complete")).ready
    assert of.facts[JOB].complete
    assert judged.judge(JOB, None).ready


def test_a_job_that_goes_in_the_moment_of_its_completion_is_complete() -> None:
    of = session()
    of.facts[JOB] = Fact("u", 1)
    seen: Any = Seen(None, job("Complete"))
    judged = verdicts(of)
    judged.look(seen, [JOB])
    assert judged.open() == []
    assert of.facts[JOB] == Fact("u", 1, True)


def test_another_job_of_that_name_that_was_complete_does_not_count() -> None:
    of = session()
    of.facts[JOB] = Fact("u", 1)
    seen: Any = Seen(None, job("Complete", uid="another"))
    with pytest.raises(Unreachable):
        verdicts(of).look(seen, [JOB])


def test_a_job_that_goes_before_it_is_complete_is_missing() -> None:
    of = session()
    of.facts[JOB] = Fact("u", 1)
    seen: Any = Seen(None, job("Suspended"))
    with pytest.raises(Unreachable):
        verdicts(of).look(seen, [JOB])


def test_what_has_failed_for_good_is_told_first_and_then_the_rest() -> None:
    of = session()
    judged = verdicts(of)
    judged.put(WEB, judged.judge(WEB, deployment(replicas=2)))
    judged.end_if_hopeless()
    judged.put(JOB, judged.judge(JOB, job("Failed")))
    with pytest.raises(WorkloadFailed, match=f"^{JOB}: Failed") as raised:
        judged.end_if_hopeless()
    assert "the old generation was not retired" in raised.value.message
    assert raised.value.details[0].startswith(f"{WEB}: InProgress")


def test_the_cause_is_of_the_newest_pods_that_are_not_going() -> None:
    def pod(name: str, day: int, revision: str, reason: str, **metadata: str) -> dict[str, Any]:
        created = f"2026-01-{day:02}T00:00:00Z"
        state = {"waiting": {"reason": reason}}
        return {
            "metadata": {
                "name": name,
                "namespace": "ns",
                "creationTimestamp": created,
                "labels": {"pod-template-hash": revision},
                **metadata,
            },
            "status": {"containerStatuses": [{"name": "main", "image": name, "state": state}]},
        }

    pods = Pods(
        pod("old", 1, "a", "ImagePullBackOff"),
        pod("new", 3, "b", "CrashLoopBackOff"),
        pod("gone", 4, "c", "ImagePullBackOff", deletionTimestamp="2026-01-05T00:00:00Z"),
    )
    judged = verdicts(session(), pods)
    judged.put(WEB, judged.judge(WEB, deployment(replicas=2)))
    (obstacle,) = judged.obstacles()
    assert obstacle.cause == "pod new: container main: crash loop, 0 restarts"
