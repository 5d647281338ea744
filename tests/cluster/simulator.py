"""The simulated node: kwok plays a kubelet, and pods take the course that their annotations ask for.

Without annotations a pod is Ready at once, a Job's pod completes at once, a deleted pod goes at once. On a pod (or in
a workload's pod template):

| annotation | effect |
|---|---|
| `pods.test/ready-after: 5s` | runs, and is Ready 5 s later |
| `pods.test/ready-after: never` | runs, never Ready; put on a pod that is Ready, it is Ready no longer |
| `pods.test/outcome: crash` | waits in CrashLoopBackOff |
| `pods.test/outcome: no-image` | waits in ImagePullBackOff |
| `pods.test/outcome: fail` | ends as Failed, exit code 1 |
| `pods.test/complete-after: 5s`, `never` | a Job's pod completes later, or not at all |
| `pods.test/terminate-after: 5s` | a deleted pod takes 5 s to go |
| `pods.test/address: 192.0.2.7` | has this address, where a test may serve in its place |

Each can be put on, changed and taken off live pods. Manifests that cannot be annotated are held up by cordoning the
node (`Cluster.cordon`): their pods stay Pending.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NODE_NAME = "simulated-0"
NODE_LABEL = "cluster.test/simulated"

_PREFIX = "pods.test"


def node() -> dict[str, Any]:
    """The Node object that kwok then keeps alive."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": NODE_NAME,
            "labels": {NODE_LABEL: "true", "kubernetes.io/hostname": NODE_NAME, "kubernetes.io/os": "linux"},
        },
        "status": {"allocatable": _ROOM, "capacity": _ROOM},
    }


def write_configuration(path: Path) -> Path:
    """kwok's configuration file: its options, then how nodes and pods go from one state to the next."""
    options = {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokConfiguration",
        "options": {
            "manageNodesWithLabelSelector": f"{NODE_LABEL}=true",
            "nodeLeaseDurationSeconds": 40,
            "nodeLeaseParallelism": 2,
            "nodePlayStageParallelism": 2,
            "podPlayStageParallelism": 16,
        },
    }
    path.write_text("\n---\n".join(json.dumps(document, indent=1) for document in (options, *_stages())))
    return path


def command(program: Path, kubeconfig: Path, configuration: Path, *, leases: bool = True) -> list[str]:
    """How kwok is started.

    Without `leases` it is taken for the only one, and the node is never found dead: after an outage of the API server
    kwok may read that it does not hold its own Lease, and then leaves pods alone for good.
    """
    return [
        str(program),
        f"--kubeconfig={kubeconfig}",
        f"--config={configuration}",
        "--cidr=10.200.0.0/16",
        "--node-ip=10.199.0.1",
        *([] if leases else ["--node-lease-duration-seconds=0"]),
    ]


def _stages() -> Iterator[dict[str, Any]]:
    yield _stage("node-ready", "Node", [_is(_READY, "NotIn", "True")], _NODE_STATUS)

    alive, unready = _is(".metadata.deletionTimestamp", "DoesNotExist"), _is(_READY, "NotIn", "True")
    starting = [alive, _is(".status.phase", "In", "Pending"), _is(".spec.nodeName", "Exists")]
    going = [alive, _is(".status.phase", "In", "Pending", "Running"), _is(".spec.nodeName", "Exists")]
    no_outcome, no_delay = _asks("outcome", "DoesNotExist"), _asks("ready-after", "DoesNotExist")
    delayed = _asks("ready-after", "Exists")
    in_job = _is(".metadata.ownerReferences.[].kind", "In", "Job")

    ready = _pod_status("Running", ready=True)
    yield _stage("pod-ready", "Pod", [*going, unready, no_outcome, no_delay], ready)
    yield _stage("pod-started", "Pod", [*starting, no_outcome, delayed], _pod_status("Running", ready=False))
    running = [alive, _is(".status.phase", "In", "Running")]
    later = [*running, unready, no_outcome, delayed, _asks("ready-after", "NotIn", "never")]
    yield _stage("pod-ready-later", "Pod", later, ready, delay="ready-after")
    lost = [*running, _is(_READY, "In", "True"), no_outcome, _asks("ready-after", "In", "never")]
    yield _stage("pod-unready", "Pod", lost, _pod_status("Running", ready=False))

    for outcome, phase, reason in (
        ("crash", "Running", "CrashLoopBackOff"),
        ("no-image", "Pending", "ImagePullBackOff"),
    ):
        told = _is(".status.containerStatuses.[].state.waiting.reason", "NotIn", reason)
        waiting = _pod_status(phase, ready=False, reason=reason)
        yield _stage(f"pod-{outcome}", "Pod", [*going, told, _asks("outcome", "In", outcome)], waiting)
    yield _stage("pod-failed", "Pod", [*going, _asks("outcome", "In", "fail")], _ended("Failed", 1))

    completing = [*running, in_job, no_outcome, _asks("complete-after", "NotIn", "never")]
    yield _stage("pod-completed", "Pod", completing, _ended("Succeeded", 0), delay="complete-after")
    deleted = [_is(".metadata.deletionTimestamp", "Exists")]
    yield _stage("pod-gone", "Pod", deleted, None, delay="terminate-after")


def _stage(
    name: str, kind: str, conditions: list[dict[str, Any]], status: str | None, delay: str | None = None
) -> dict[str, Any]:
    step: dict[str, Any] = {"delete": True}
    if status is not None:
        step = {"patch": {"subresource": "status", "root": "status", "template": status, "type": "strategic"}}
    spec: dict[str, Any] = {
        "resourceRef": {"apiGroup": "v1", "kind": kind},
        "selector": {"matchExpressions": conditions},
        "steps": [step],
    }
    if delay is not None:
        spec["delay"] = {
            "durationMilliseconds": 0,
            "durationFrom": {"jq": {"expression": f'.metadata.annotations["{_PREFIX}/{delay}"]'}},
        }
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": spec,
    }


def _is(key: str, operator: str, *values: str) -> dict[str, Any]:
    expression: dict[str, Any] = {"key": key, "operator": operator}
    if values:
        expression["values"] = list(values)
    return {"jq": expression}


def _asks(annotation: str, operator: str, *values: str) -> dict[str, Any]:
    return _is(f'.metadata.annotations["{_PREFIX}/{annotation}"]', operator, *values)


_READY = '.status.conditions.[] | select(.type == "Ready") | .status'
_ROOM = {"cpu": "1k", "memory": "1Ti", "pods": "10k", "ephemeral-storage": "1Ti"}

_NODE_STATUS = """
{{ $now := Now }}
phase: Running
conditions:
{{ range NodeConditions }}
- {type: {{ .type | Quote }}, status: {{ .status | Quote }}, reason: {{ .reason | Quote }},
   message: {{ .message | Quote }}, lastHeartbeatTime: {{ $now | Quote }}, lastTransitionTime: {{ $now | Quote }}}
{{ end }}
addresses:
- {type: InternalIP, address: {{ NodeIP | Quote }}}
- {type: Hostname, address: {{ NodeName | Quote }}}
nodeInfo: {architecture: amd64, operatingSystem: linux, kubeletVersion: simulated, containerRuntimeVersion: simulated,
  kernelVersion: "", osImage: "", kubeProxyVersion: "", bootID: "", machineID: "", systemUUID: ""}
"""

# Given once: a second address would be merged into the list beside the first.
_ADDRESSES = """
{{ if not .status.podIP }}
{{ $asked := index (or .metadata.annotations dict) "pods.test/address" }}
{{ $ips := PodIPsWith .spec.nodeName (or .spec.hostNetwork false) (or .metadata.uid "") (or .metadata.name "")
   (or .metadata.namespace "") }}
{{ with $ips }}
podIP: {{ or $asked (index . 0) | Quote }}
podIPs: [{ip: {{ or $asked (index . 0) | Quote }}}]
{{ end }}
{{ with NodeIPsWith .spec.nodeName }}
hostIP: {{ index . 0 | Quote }}
hostIPs: [{ip: {{ index . 0 | Quote }}}]
{{ end }}
{{ end }}
"""


def _pod_status(phase: str, *, ready: bool, reason: str | None = None) -> str:
    truth = "True" if ready else "False"
    state = f"waiting: {{reason: {reason}}}" if reason else "running: {startedAt: {{ $now | Quote }}}"
    conditions = "\n".join(
        f'- {{type: {name}, status: "{status}", lastTransitionTime: {{{{ $now | Quote }}}}}}'
        for name, status in (("Initialized", "True"), ("ContainersReady", truth), ("Ready", truth))
    )
    return f"""
{{{{ $now := Now }}}}
phase: {phase}
startTime: {{{{ $now | Quote }}}}
conditions:
{conditions}
{{{{ range .spec.readinessGates }}}}
- {{type: {{{{ .conditionType | Quote }}}}, status: "{truth}", lastTransitionTime: {{{{ $now | Quote }}}}}}
{{{{ end }}}}
containerStatuses:
{{{{ range .spec.containers }}}}
- name: {{{{ .name | Quote }}}}
  image: {{{{ .image | Quote }}}}
  imageID: ""
  ready: {str(ready).lower()}
  started: {str(ready).lower()}
  restartCount: {1 if reason == "CrashLoopBackOff" else 0}
  state: {{{state}}}
{{{{ end }}}}
initContainerStatuses:
{{{{ range .spec.initContainers }}}}
- name: {{{{ .name | Quote }}}}
  image: {{{{ .image | Quote }}}}
  imageID: ""
  ready: true
  restartCount: 0
  {{{{ if eq (or .restartPolicy "") "Always" }}}}
  started: true
  state: {{running: {{startedAt: {{{{ $now | Quote }}}}}}}}
  {{{{ else }}}}
  state: {{terminated: {{exitCode: 0, reason: Completed, startedAt: {{{{ $now | Quote }}}},
    finishedAt: {{{{ $now | Quote }}}}}}}}
  {{{{ end }}}}
{{{{ end }}}}
{_ADDRESSES}"""


def _ended(phase: str, exit_code: int) -> str:
    reason = "Completed" if exit_code == 0 else "Error"
    return f"""
{{{{ $now := Now }}}}
phase: {phase}
conditions:
- {{type: Ready, status: "False", reason: PodCompleted, lastTransitionTime: {{{{ $now | Quote }}}}}}
- {{type: ContainersReady, status: "False", reason: PodCompleted, lastTransitionTime: {{{{ $now | Quote }}}}}}
containerStatuses:
{{{{ range .spec.containers }}}}
- name: {{{{ .name | Quote }}}}
  image: {{{{ .image | Quote }}}}
  imageID: ""
  ready: false
  started: false
  restartCount: 0
  state: {{terminated: {{exitCode: {exit_code}, reason: {reason}, startedAt: {{{{ $now | Quote }}}},
    finishedAt: {{{{ $now | Quote }}}}}}}}
{{{{ end }}}}
"""
