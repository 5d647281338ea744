"""`rbac`: the Roles that grant what the runs of one input need, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hook.commands.inputs import Inputs, read_source
from hook.errors import InvalidInput
from hook.generations.generation import generation_of
from hook.manifests.identity import Object
from hook.manifests.load import Manifests, load
from hook.manifests.manifest import Manifest
from hook.manifests.remote import is_remote, parse_remote
from hook.report.roles import as_yaml
from hook.rights.kinds import KnownKinds, builtin_plural
from hook.rights.needs import Needs
from hook.rights.right import Need, Needed, Right
from hook.rights.roles import roles_of


@dataclass(frozen=True, slots=True)
class RightsWanted:
    """What `rbac` was asked for; see its flags."""

    previous: Sequence[str] = ()
    reads: Sequence[str] = ()
    name: str = ""
    service_account: str = "handoff"
    with_service_account: bool = False
    definition: bool = True
    cluster_wide: bool = False
    whole_kinds: bool = False
    escalate: bool = False


def rbac_command(
    inputs: Inputs,
    wanted: RightsWanted,
    sources: Sequence[str],
    kubeconfig: str | None,
    context: str | None,
    output: str,
) -> str:
    """The text to print. Asks a cluster only where one is named, for kinds that the input does not define.

    Raises InvalidInput where the namespace of the sets or a kind is not known.
    """
    needs = needs_of(inputs, wanted, kubeconfig, context)
    account_namespace, account = _account_of(inputs, wanted)
    rights = (*needs.rights(), *_reading((*wanted.reads, *filter(is_remote, sources))))
    name = wanted.name or f"handoff-{needs.component}"
    roles = roles_of(name, rights, needs.held(), cluster_wide=wanted.cluster_wide)
    accounts = [_service_account(account_namespace, account)] if wanted.with_service_account else []
    if output == "json":
        bindings = [role.binding(account_namespace, account) for role in roles]
        items = [*accounts, *(role.as_object() for role in roles), *bindings]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2)
    early = [] if wanted.cluster_wide else [n for n in needs.namespaces() if n in {role.namespace for role in roles}]
    return as_yaml(needs.component, early, accounts, roles, (account_namespace, account))


def needs_of(inputs: Inputs, wanted: RightsWanted, kubeconfig: str | None = None, context: str | None = None) -> Needs:
    """What the runs of an input need; see rbac_command."""
    settings = inputs.settings
    if not settings.namespace:
        raise InvalidInput("no namespace: give --namespace, where the sets live, or `namespace:` in handoff.yaml")
    previous = load(read_source(wanted.previous, kubeconfig, context).documents) if wanted.previous else Manifests(())
    listed = (*inputs.manifests.items, *previous.items)
    kinds = KnownKinds.defined_by(m.obj for m in listed)
    if kubeconfig or context:
        kinds = _asked(kinds, listed, kubeconfig, context)
    target = settings.target_namespace or settings.namespace
    return Needs(
        component=settings.component,
        namespace=settings.namespace,
        manifests=_placed(settings.component, target, inputs.manifests, kinds),
        previous=_placed(settings.component, target, previous, kinds),
        kinds=kinds,
        prune_kinds=frozenset(settings.prune_kind),
        own_rule=lambda obj, kind: inputs.rules.rule_for(obj, kind) is not None,
        job_namespace=_account_of(inputs, wanted)[0],
        definition=wanted.definition,
        escalate=wanted.escalate,
        named=not wanted.whole_kinds,
        tekton=settings.kind == "tekton" or bool(settings.tekton_sets),
    )


def _account_of(inputs: Inputs, wanted: RightsWanted) -> tuple[str, str]:
    namespace, _, name = wanted.service_account.rpartition("/")
    return namespace or inputs.settings.namespace, name


def _placed(component: str, target: str, manifests: Manifests, kinds: KnownKinds) -> tuple[Manifest, ...]:
    return generation_of(component, "", target, manifests).placed(kinds.namespaced).manifests


def _asked(kinds: KnownKinds, manifests: Sequence[Manifest], kubeconfig: str | None, context: str | None) -> KnownKinds:
    """What is known, and what the cluster serves of the rest."""
    from hook.cluster.discovery import Discovery
    from hook.commands.connections import connect

    unknown = {m.identity.of_kind for m in manifests if not kinds.knows(m.identity.of_kind)}
    if not unknown:
        return kinds
    connection = connect(kubeconfig, context)
    try:
        discovery = Discovery.read(connection)
    finally:
        connection.close()
    found = {kind: served for kind in unknown if (served := discovery.find(kind))}
    return replace(
        kinds,
        plurals={**kinds.plurals, **{kind: served.plural for kind, served in found.items()}},
        scopes={**kinds.scopes, **{kind: served.namespaced for kind, served in found.items()}},
    )


def _reading(urls: Sequence[str]) -> Iterator[Needed]:
    """To read the input itself."""
    for url in dict.fromkeys(urls):
        remote = parse_remote(url)
        right = Right(remote.kind.group, builtin_plural(remote.kind.kind), "get", remote.namespace, remote.name)
        yield Needed(right, Need.RUN, "The input.")


def _service_account(namespace: str, name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": name, "namespace": namespace},
        "automountServiceAccountToken": False,
    }
