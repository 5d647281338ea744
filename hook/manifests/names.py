"""What the API server takes for a name, a label or an annotation key.

Source: k8s.io/apimachinery, pkg/util/validation and pkg/api/validation; the name rule of each kind is in
Kubernetes' own validation of that kind.
"""

from __future__ import annotations

import re

from hook.manifests.identity import Kind

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_KIND = re.compile(r"[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DATA_KEY = re.compile(r"[-._a-zA-Z0-9]+")

# Kinds of Kubernetes whose names are DNS subdomains, by group; "*" is the whole group but the kinds below.
_SUBDOMAIN_GROUPS = frozenset(
    {
        "",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "apps",
        "autoscaling",
        "batch",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "policy",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
_OTHER_NAMES = frozenset(
    {
        Kind("networking.k8s.io", "IPAddress"),  # an IP address, with colons
        Kind("storage.k8s.io", "CSIDriver"),  # upper case is allowed
        Kind("storage.k8s.io", "CSINode"),
        Kind("", "ComponentStatus"),
    }
)
_LABEL_NAMES = frozenset({Kind("", "Namespace"), Kind("", "Service")})


def fault_of_name(kind: Kind, name: str) -> str | None:
    """Why this is no name for that kind, or None. Kinds that are not Kubernetes' own need a path segment only."""
    if not name:
        return "is empty"
    if kind in _LABEL_NAMES:
        return fault_of_dns_label(name)
    if kind.group in _SUBDOMAIN_GROUPS and kind not in _OTHER_NAMES:
        return fault_of_subdomain(name)
    if name in (".", "..") or "/" in name or "%" in name:
        return 'must not be "." or "..", nor hold "/" or "%"'
    return None


def fault_of_dns_label(text: str) -> str | None:
    if len(text) > 63 or not _LABEL.fullmatch(text):
        return "must be a DNS label: at most 63 of a-z, 0-9 and -, with a letter or digit at both ends"
    return None


def fault_of_subdomain(text: str) -> str | None:
    if len(text) > 253 or not _SUBDOMAIN.fullmatch(text):
        return "must be a DNS name: at most 253 of a-z, 0-9, - and ., with a letter or digit at the ends of each part"
    return None


def fault_of_qualified_name(key: str) -> str | None:
    """Why this is no key of a label (for one of an annotation: in lower case), or None."""
    prefix, slash, name = key.rpartition("/")
    if slash and (not prefix or fault_of_subdomain(prefix)):
        return "the part before / must be a DNS name"
    if len(name) > 63 or not _QUALIFIED.fullmatch(name):
        return "must be at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
    return None


def fault_of_label_value(value: str) -> str | None:
    if value and (len(value) > 63 or not _QUALIFIED.fullmatch(value)):
        return "must be at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
    return None


def fault_of_data_key(key: str) -> str | None:
    """Why this cannot be a key of a ConfigMap or Secret, or None."""
    if len(key) > 253 or not _DATA_KEY.fullmatch(key) or key in (".", "..") or key.startswith(".."):
        return "must be at most 253 letters, digits, -, _ and . (as a file name)"
    return None


def fault_of_api_version(text: str) -> str | None:
    group, slash, version = text.rpartition("/")
    if not _VERSION.fullmatch(version) or (slash and fault_of_subdomain(group)):
        return "must be GROUP/VERSION, or v1"
    return None


def fault_of_kind(text: str) -> str | None:
    if len(text) > 63 or not _KIND.fullmatch(text):
        return "must be letters and digits, such as Deployment"
    return None
