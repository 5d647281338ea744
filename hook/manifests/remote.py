"""Sources that are not files of ours: ConfigMaps and Secrets, and artifacts of Flux's source-controller, by URL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from hook.errors import InvalidInput
from hook.manifests.identity import Kind
from hook.manifests.names import fault_of_dns_label, fault_of_subdomain

FLUX_GROUP = "source.toolkit.fluxcd.io"
_FLUX_KINDS = {"gitrepository": "GitRepository", "ocirepository": "OCIRepository", "bucket": "Bucket"}
_FORMS = {
    "configmap": "configmap://NAMESPACE/NAME",
    "secret": "secret://NAMESPACE/NAME",
    "flux": "flux://gitrepository|ocirepository|bucket/NAMESPACE/NAME/PATH",
}
_KEYED_KINDS = {"configmap": Kind("", "ConfigMap"), "secret": Kind("", "Secret")}
_SEPARATOR = "://"


@dataclass(frozen=True, slots=True)
class KeyedSource:
    """A ConfigMap or a Secret: its keys are the names of files."""

    kind: Kind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.kind.lower()}://{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class FluxSource:
    """The files of an artifact below `path` ("" is all of it)."""

    kind: Kind
    namespace: str
    name: str
    path: str

    def __str__(self) -> str:
        place = f"flux://{self.kind.kind.lower()}/{self.namespace}/{self.name}"
        return f"{place}/{self.path}" if self.path else place


RemoteSource = KeyedSource | FluxSource


def is_remote(spec: str) -> bool:
    """Whether a `--source` is a URL, and no file, directory or `-`."""
    return _SEPARATOR in spec


def parse_remote(spec: str) -> RemoteSource:
    """The source that a URL names; raises InvalidInput with the form that it should have."""
    scheme, _, rest = spec.partition(_SEPARATOR)
    if scheme in _KEYED_KINDS:
        namespace, _, name = rest.partition("/")
        return KeyedSource(_KEYED_KINDS[scheme], _namespace(spec, namespace), _name(spec, name))
    if scheme == "flux":
        kind, _, rest = rest.partition("/")
        if kind not in _FLUX_KINDS:
            raise InvalidInput(f"--source {spec}: {kind or 'nothing'} is none of {', '.join(_FLUX_KINDS)}")
        namespace, _, rest = rest.partition("/")
        name, _, path = rest.partition("/")
        return FluxSource(
            Kind(FLUX_GROUP, _FLUX_KINDS[kind]), _namespace(spec, namespace), _name(spec, name), _path(spec, path)
        )
    raise InvalidInput(f"--source {spec}: is no source that is known; known are {', '.join(_FORMS.values())}")


def _namespace(spec: str, namespace: str) -> str:
    return _checked(spec, "namespace", namespace, fault_of_dns_label(namespace))


def _name(spec: str, name: str) -> str:
    return _checked(spec, "name", name, fault_of_subdomain(name))


def _checked(spec: str, what: str, value: str, fault: str | None) -> str:
    if fault:
        form = _FORMS[spec.partition(_SEPARATOR)[0]]
        raise InvalidInput(f"--source {spec}: must be {form}; the {what} {value!r} {fault}")
    return value


def _path(spec: str, path: str) -> str:
    parts = [part for part in PurePosixPath(path).parts if part != "/"]
    if ".." in parts:
        raise InvalidInput(f"--source {spec}: the path must stay inside of the artifact")
    return "/".join(parts)
