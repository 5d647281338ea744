"""InstallerSet: the record, in the cluster, of one part of one generation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hook.errors import Refused
from hook.generations.marks import API_GROUP
from hook.manifests.identity import Identity, Object

VERSION = "v1alpha1"
KIND = "InstallerSet"
API_VERSION = f"{API_GROUP}/{VERSION}"
FORMAT_VERSION = 1

COMPONENT_LABEL = f"{API_GROUP}/component"
PART_LABEL = f"{API_GROUP}/part"
GENERATION_LABEL = f"{API_GROUP}/generation"
PHASE_LABEL = f"{API_GROUP}/phase"
VERSION_ANNOTATION = f"{API_GROUP}/version"
REVISION_ANNOTATION = f"{API_GROUP}/revision"
RUN_PREFIX = f"{API_GROUP}/job-"  # of the annotations of the run that wrote a set last

ACTIVE = "active"
RETIRING = "retiring"
REMOVED = "removed"  # `retiredBy.digest` of a component that is taken away without a successor


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One line of an inventory. `why` is only used in `retained`."""

    identity: Identity
    version: str
    adopted: bool = False
    why: str = ""

    def to_object(self) -> Object:
        line: Object = {"group": self.identity.group, "version": self.version, "kind": self.identity.kind}
        if self.identity.namespace:
            line["namespace"] = self.identity.namespace
        line["name"] = self.identity.name
        if self.adopted:
            line["adopted"] = True
        if self.why:
            line["why"] = self.why
        return line

    @classmethod
    def from_object(cls, line: Mapping[str, Any]) -> Entry:
        identity = Identity(line.get("group") or "", line["kind"], line.get("namespace") or "", line["name"])
        return cls(identity, line["version"], bool(line.get("adopted")), line.get("why") or "")


@dataclass(frozen=True, slots=True, order=True)
class SetReference:
    """One set and no other: a set of the same name that was created again has another uid."""

    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Retirement:
    digest: str  # of the generation that replaces the set, or REMOVED
    time: str  # RFC 3339


@dataclass(frozen=True, slots=True)
class Fact:
    """What our apply returned for one resource; `complete` remembers that a Job ended well."""

    uid: str
    generation: int
    complete: bool = False


@dataclass(frozen=True, slots=True)
class InstallerSet:
    namespace: str
    component: str
    version: str
    digest: str
    part: str
    target_namespace: str
    resources: tuple[Entry, ...]
    shard: int = 0
    shards: int = 1
    replaces: tuple[SetReference, ...] = ()
    retained: tuple[Entry, ...] = ()
    retired_by: Retirement | None = None
    operator_set: SetReference | None = None  # that an operator keeps the resources by; its uid "" until it is created
    revision: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""
    observed: int = 0  # metadata.generation, which conditions refer to
    being_deleted: bool = False
    run_mark: Mapping[str, str] = field(default_factory=dict)  # annotations that say which run wrote it last
    status: Object = field(default_factory=dict)

    @property
    def short(self) -> str:
        return self.digest[:12]

    @property
    def reference(self) -> SetReference:
        return SetReference(self.name, self.uid)

    @property
    def identity(self) -> Identity:
        return Identity(API_GROUP, KIND, self.namespace, self.name)

    @property
    def retiring(self) -> bool:
        return self.retired_by is not None

    @property
    def phase(self) -> str:
        return RETIRING if self.retiring else ACTIVE

    @property
    def ready_condition(self) -> Object:
        """The Ready condition of this very generation of the set; {} where there is none."""
        for condition in self.status.get("conditions") or ():
            if condition.get("type") == "Ready" and condition.get("observedGeneration", 0) == self.observed:
                return dict(condition)
        return {}

    @property
    def is_ready(self) -> bool:
        return self.ready_condition.get("status") == "True"

    @property
    def facts(self) -> dict[str, Fact]:
        """Facts by `fact_key`; what is odd is left out, as if it had not been written."""
        written = self.status.get("facts")
        found = {}
        for key, fact in written.items() if isinstance(written, dict) else ():
            if isinstance(fact, dict) and isinstance(fact.get("uid"), str):
                generation = fact.get("generation")
                found[key] = Fact(
                    fact["uid"],
                    generation if isinstance(generation, int) else 0,
                    fact.get("complete") is True,
                )
        return found

    def to_object(self) -> Object:
        """The object without status, as it is created or updated."""
        spec: Object = {
            "formatVersion": FORMAT_VERSION,
            "component": self.component,
            "version": self.version,
            "digest": self.digest,
            "part": self.part,
            "shard": self.shard,
            "shards": self.shards,
            "targetNamespace": self.target_namespace,
            "resources": [entry.to_object() for entry in self.resources],
            "replaces": [{"name": old.name, "uid": old.uid} for old in self.replaces],
            "retained": [entry.to_object() for entry in self.retained],
        }
        if self.operator_set:
            spec["operatorSet"] = {"name": self.operator_set.name, "uid": self.operator_set.uid}
        if self.retired_by:
            spec["retiredBy"] = {"digest": self.retired_by.digest, "time": self.retired_by.time}
        metadata: Object = {
            "name": self.name,
            "namespace": self.namespace,
            "labels": {
                COMPONENT_LABEL: self.component,
                PART_LABEL: self.part,
                GENERATION_LABEL: self.short,
                PHASE_LABEL: self.phase,
            },
            "annotations": {VERSION_ANNOTATION: self.version, **self.run_mark},
        }
        if self.revision:
            metadata["annotations"][REVISION_ANNOTATION] = self.revision
        if self.uid:
            metadata["uid"] = self.uid
        if self.resource_version:
            metadata["resourceVersion"] = self.resource_version
        return {"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": spec}

    @classmethod
    def from_object(cls, obj: Mapping[str, Any]) -> InstallerSet:
        """Read a set from the cluster; raises Refused for a format that this version does not know."""
        metadata, spec = obj["metadata"], obj.get("spec") or {}
        known = spec.get("formatVersion", FORMAT_VERSION)
        if not isinstance(known, int) or known > FORMAT_VERSION:
            raise Refused(
                f"InstallerSet {metadata['namespace']}/{metadata['name']}: format {known} is newer than this "
                f"version of handoff knows ({FORMAT_VERSION}); run the version that wrote it, or a later one"
            )
        retired, operated = spec.get("retiredBy"), spec.get("operatorSet")
        return cls(
            namespace=metadata["namespace"],
            component=spec.get("component", ""),
            version=spec.get("version", ""),
            digest=spec.get("digest", ""),
            part=spec.get("part", ""),
            target_namespace=spec.get("targetNamespace", ""),
            resources=tuple(Entry.from_object(line) for line in spec.get("resources") or ()),
            shard=spec.get("shard", 0),
            shards=spec.get("shards", 1),
            replaces=tuple(SetReference(old["name"], old["uid"]) for old in spec.get("replaces") or ()),
            retained=tuple(Entry.from_object(line) for line in spec.get("retained") or ()),
            retired_by=Retirement(retired.get("digest", ""), retired.get("time", "")) if retired else None,
            operator_set=SetReference(operated.get("name", ""), operated.get("uid", "")) if operated else None,
            revision=(metadata.get("annotations") or {}).get(REVISION_ANNOTATION, ""),
            name=metadata["name"],
            uid=metadata.get("uid", ""),
            resource_version=metadata.get("resourceVersion", ""),
            observed=metadata.get("generation", 0),
            run_mark={
                key: value for key, value in (metadata.get("annotations") or {}).items() if key.startswith(RUN_PREFIX)
            },
            being_deleted="deletionTimestamp" in metadata,
            status=obj.get("status") or {},
        )

    def listing(self, resources: tuple[Entry, ...]) -> InstallerSet:
        return replace(self, resources=resources)


def set_name(component: str, part: str, short: str, shard: int) -> str:
    """`<component>-<part>-<12 hex>[-<shard>]`: creating it twice is the same set."""
    name = f"{component}-{part}-{short}"
    return f"{name}-{shard}" if shard else name


def fact_key(identity: Identity) -> str:
    """A short name of an identity within one set's status, so that status holds no second copy of it."""
    text = json.dumps([identity.group, identity.kind, identity.namespace, identity.name])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
