"""Live objects by their manifests: read afresh each time, created, replaced and deleted by name."""

from __future__ import annotations

import logging
import time
from typing import Any

from tests.cluster.api import Answer, Api

Object = dict[str, Any]
# operator: manifestival, the library that all writes of the set reconciler go through, calls itself that.
_FIELD_MANAGER = "manifestival"
_logger = logging.getLogger(__name__)


class ApiError(Exception):
    """The API server refused. The text is the server's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Live:
    """What stands at the API server. Each write comes after a pause of `pace` seconds: big sets take the operator
    seconds, and all that time it works on the copy of the set that it began with."""

    def __init__(self, api: Api, *, pace: float = 0.0) -> None:
        self.api = api
        self._pace = pace
        self._served: dict[tuple[str, str], tuple[str, bool]] = {}

    def get(self, manifest: Object) -> Object | None:
        """The live object, or None. Raises ApiError for any other answer, and for a kind that is not served."""
        answer = self.api.request("GET", self._path(manifest))
        return None if answer.status == 404 else _accepted(answer)

    def create(self, manifest: Object) -> None:
        """Raises ApiError where it exists by now."""
        self._write("POST", manifest, self._path(manifest, named=False), manifest)

    def update(self, obj: Object) -> None:
        """Replaces the live object, on condition of the resourceVersion in `obj`."""
        self._write("PUT", obj, self._path(obj), obj)

    def delete(self, obj: Object, policy: str | None = None) -> None:
        """Deletes by name alone: no uid and no resourceVersion is asked for; absent is as good."""
        time.sleep(self._pace)
        options = {"propagationPolicy": policy} if policy else None
        answer = self.api.request("DELETE", self._path(obj), options)
        _logger.info("DELETE %s: %d", _named(obj), answer.status)
        if answer.status != 404:
            _accepted(answer)

    def autoscalers(self, namespace: str) -> list[Object]:
        """The HorizontalPodAutoscalers of a namespace."""
        path = f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers"
        items: list[Object] = _accepted(self.api.request("GET", path)).get("items") or []
        return items

    def _write(self, method: str, obj: Object, path: str, body: Object) -> None:
        time.sleep(self._pace)
        answer = self.api.request(method, path, body, query={"fieldManager": _FIELD_MANAGER})
        _logger.info("%s %s: %d", method, _named(obj), answer.status)
        _accepted(answer)

    def _path(self, manifest: Object, *, named: bool = True) -> str:
        plural, namespaced = self._resource(manifest["apiVersion"], manifest["kind"])
        root = ("/apis/" if "/" in manifest["apiVersion"] else "/api/") + manifest["apiVersion"]
        namespace = manifest["metadata"].get("namespace")
        place = f"/namespaces/{namespace}" if namespaced and namespace else ""
        return f"{root}{place}/{plural}" + (f"/{manifest['metadata']['name']}" if named else "")

    def _resource(self, api_version: str, kind: str) -> tuple[str, bool]:
        if (api_version, kind) not in self._served:
            root = ("/apis/" if "/" in api_version else "/api/") + api_version
            for resource in self.api.request("GET", root).body.get("resources") or []:
                if "/" not in resource["name"]:
                    self._served[api_version, resource["kind"]] = (resource["name"], resource["namespaced"])
        if (api_version, kind) not in self._served:
            raise ApiError(404, f'no matches for kind "{kind}" in version "{api_version}"')
        return self._served[api_version, kind]


def _accepted(answer: Answer) -> Object:
    if answer.status >= 300:
        raise ApiError(answer.status, str(answer.body.get("message") or f"status {answer.status}"))
    return answer.body


def _named(obj: Object) -> str:
    metadata = obj["metadata"]
    return f"{obj['kind']} {metadata.get('namespace', '')}/{metadata['name']}".replace(" /", " ")
