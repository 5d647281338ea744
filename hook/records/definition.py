"""The CustomResourceDefinition of InstallerSets: shipped with the package, applied when absent or older."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import yaml

from hook.cluster.answers import ApiError, Cause
from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.errors import Unreachable
from hook.generations.installer_set import KIND, VERSION
from hook.generations.marks import API_GROUP
from hook.manifests.identity import Kind, Object

CRD_VERSION = f"{API_GROUP}/crd-version"
CRD_KIND = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
# One manager for every component and namespace: the definition belongs to the product, not to a run.
_MANAGER = "handoff-crd"
_ESTABLISH = 60.0  # seconds


class Definition:
    """`refresh` reads discovery again and returns it; `pause` sleeps, or raises when the run must end."""

    def __init__(
        self, objects: Objects, discovery: Discovery, refresh: Callable[[], Discovery], pause: Callable[[float], None]
    ) -> None:
        self._objects = objects
        self._discovery = discovery
        self._refresh = refresh
        self._pause = pause

    def served(self) -> ResourceType | None:
        """The type of InstallerSets, or None where there is no CRD (then there are no sets either)."""
        found = self._discovery.find(Kind(API_GROUP, KIND), VERSION)
        if found is not None:
            return found
        if self._live() is None:
            return None
        return self._wait_until_served()

    def ensure(self) -> ResourceType:
        """Apply the shipped CRD when the live one is absent or older, and wait until sets are served."""
        served = self._discovery.find(Kind(API_GROUP, KIND), VERSION)
        try:
            live = self._live()
        except ApiError as error:
            # Namespaced rights do not reach the CRD; where sets are served, somebody else looks after it.
            if error.cause is Cause.FORBIDDEN and served is not None:
                return served
            raise
        shipped = shipped_definition()
        if live is None or _version_of(live) < _version_of(shipped):
            self._objects.apply(self._crd_type(), shipped, _MANAGER, metadata_only=True)
        return served or self._wait_until_served()

    def _live(self) -> Object | None:
        try:
            return self._objects.get(self._crd_type(), "", f"installersets.{API_GROUP}", metadata_only=True)
        except ApiError as error:
            if error.cause is Cause.NOT_FOUND:
                return None
            raise

    def _crd_type(self) -> ResourceType:
        found = self._discovery.find(CRD_KIND, "v1")
        if found is None:
            raise Unreachable("the API server does not serve apiextensions.k8s.io/v1 at the moment; run again")
        return found

    def _wait_until_served(self) -> ResourceType:
        end = time.monotonic() + _ESTABLISH
        while True:
            self._discovery = self._refresh()
            found = self._discovery.find(Kind(API_GROUP, KIND), VERSION)
            if found is not None:
                return found
            if time.monotonic() > end:
                raise Unreachable(
                    f"CustomResourceDefinition installersets.{API_GROUP} exists but is not served after "
                    f"{_ESTABLISH:.0f} s; see its conditions (kubectl describe crd installersets.{API_GROUP})"
                )
            self._pause(0.1)


def shipped_definition() -> Object:
    """The CRD as this version ships it: beside the package in a checkout, inside it in a wheel."""
    packaged = resources.files("hook.records") / "installersets.yaml"
    if packaged.is_file():
        text = packaged.read_text("utf-8")
    else:
        checkout = Path(__file__).parents[2] / "manifests" / "crds" / "installersets.yaml"
        text = checkout.read_text("utf-8")
    definition: Object = yaml.safe_load(text)
    return definition


def _version_of(definition: Object) -> int:
    annotations = (definition.get("metadata") or {}).get("annotations") or {}
    try:
        return int(annotations.get(CRD_VERSION, "0"))
    except ValueError:
        return 0
