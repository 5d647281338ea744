"""The definitions that the operator brings: its sets, and one component."""

from __future__ import annotations

from typing import Any

GROUP, VERSION = "operator.tekton.dev", "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
SET, SETS = "TektonInstallerSet", "tektoninstallersets"
PIPELINE, PIPELINES = "TektonPipeline", "tektonpipelines"
SETS_PATH = f"/apis/{API_VERSION}/{SETS}"
PIPELINES_PATH = f"/apis/{API_VERSION}/{PIPELINES}"

_ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _definition(kind: str, plural: str, spec: dict[str, Any]) -> dict[str, Any]:
    ready = '.status.conditions[?(@.type=="Ready")]'
    columns = [
        {"name": "Ready", "type": "string", "jsonPath": f"{ready}.status"},
        # operator: the column called Reason shows the message.
        {"name": "Reason", "type": "string", "jsonPath": f"{ready}.message"},
    ]
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": _ANYTHING}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "versions": [version],
        },
    }


# operator: config/base/generated-crds: nothing about the manifests is said or checked, not even that they are a list.
_SET_SPEC = {"type": "object", "properties": {"manifests": {"x-kubernetes-preserve-unknown-fields": True}}}

DEFINITIONS = (_definition(SET, SETS, _SET_SPEC), _definition(PIPELINE, PIPELINES, _ANYTHING))
