"""A small component with real pods: what each of its versions is made of."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

# Meets the restricted profile of pod security.
_CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}
_POD_SECURITY = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


def component(version: str, image: str, *, broken: bool = False) -> list[Object]:
    """A web server with its Service, account and settings, and one ConfigMap that only this version has.

    Its pods serve on for three seconds after they were told to end, as a careful server does, and are never Ready when
    `broken`.
    """
    environment = {"DRAIN": "3s", "BROKEN": "yes" if broken else "no"}
    container = {
        "name": "web",
        "image": image,
        "env": [{"name": key, "value": value} for key, value in environment.items()],
        "envFrom": [{"configMapRef": {"name": "web-settings"}}],
        "ports": [{"containerPort": 8080}],
        "readinessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1},
        "securityContext": _CONTAINER_SECURITY,
    }
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"serviceAccountName": "web", "securityContext": _POD_SECURITY, "containers": [container]},
    }
    deployment = {
        "replicas": 2,
        "strategy": {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}},
        "selector": {"matchLabels": {"app": "web"}},
        "template": template,
    }
    return [
        manifest("v1", "ServiceAccount", "web"),
        manifest("v1", "ConfigMap", "web-settings", data={"GREETING": f"hello from {version}"}),
        manifest("v1", "ConfigMap", f"only-{version}", data={"version": version}),
        manifest(
            "v1", "Service", "web", spec={"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
        ),
        manifest("apps/v1", "Deployment", "web", spec=deployment),
    ]


def shared(objects: list[Object]) -> list[Object]:
    """Those that every version has."""
    return [item for item in objects if not item["metadata"]["name"].startswith("only-")]


def manifest(api_version: str, kind: str, name: str, **rest: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest}
