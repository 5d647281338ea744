"""What a command was given: settings from all three places, and the generation that the sources make."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hook.errors import InvalidInput, Refused
from hook.generations.generation import Generation, check_component, generation_of
from hook.handoff.scope import placed_offline
from hook.manifests.load import Manifests, load
from hook.manifests.remote import is_remote, parse_remote
from hook.manifests.sources import Source, merged, read_sources
from hook.readiness.rules import Rules, check_annotation, rules_from
from hook.settings import Settings, settle


@dataclass(frozen=True, slots=True)
class Inputs:
    settings: Settings
    manifests: Manifests
    rules: Rules

    def generation(self) -> Generation:
        """The generation, placed as far as can be known offline.

        Raises InvalidInput for two manifests of one resource, Refused for no manifest at all or another digest than
        the one that was asked for.
        """
        settings = self.settings
        if not self.manifests.items and not settings.allow_empty:
            raise Refused(
                "the input holds no object to install: everything that is installed now would be pruned; "
                "if that is meant, use `handoff remove`, or pass --allow-empty"
            )
        made = generation_of(settings.component, settings.version, settings.target_namespace, self.manifests)
        if settings.digest and settings.digest != made.digest:
            raise Refused(
                f"the input has the digest sha256:{made.digest}, and sha256:{settings.digest} was asked for: "
                "it is of another revision; nothing was read from or written to the cluster"
            )
        return placed_offline(made)


def read_inputs(
    sources: Sequence[str], flags: Mapping[str, Any], kubeconfig: str | None = None, context: str | None = None
) -> Inputs:
    """Read and check everything that can be checked offline.

    Raises InvalidInput naming file and line. Sends nothing, unless a source is to be fetched from the cluster of
    `kubeconfig` and `context`: then, after the others were checked, what fetching takes, and raises what that raises.
    """

    def check(local: Source) -> None:
        settle(local.settings, local.settings_file or "handoff.yaml", os.environ, flags)
        load(local.documents)

    source = read_source(sources, kubeconfig, context, check)
    settings = settle(source.settings, source.settings_file or "handoff.yaml", os.environ, flags)
    check_component_given(settings)
    if source.revision and not settings.revision:
        settings = replace(settings, revision=source.revision)
    manifests = load(source.documents)
    for manifest in manifests.items:
        check_annotation(manifest.obj, f"{manifest.origin}: {manifest.identity}")
    rules = rules_from(list(settings.health_check_exprs) or None)
    return Inputs(settings, manifests, rules)


def read_source(
    sources: Sequence[str],
    kubeconfig: str | None = None,
    context: str | None = None,
    check: Callable[[Source], object] = lambda local: load(local.documents),
) -> Source:
    """All sources as one; see read_inputs. `check` is given those that need no cluster before the first request."""
    if not sources:
        raise InvalidInput("no --source: give a directory, a file, - for standard input, or a URL (see --help)")
    remotes = [parse_remote(spec) for spec in sources if is_remote(spec)]
    local = read_sources([spec for spec in sources if not is_remote(spec)], sys.stdin.buffer)
    if not remotes:
        return local
    check(local)
    from hook.commands.remote_sources import fetch_sources

    return merged((local, *fetch_sources(remotes, kubeconfig, context)))


def check_component_given(settings: Settings) -> None:
    if not settings.component:
        raise InvalidInput("no component: give --component NAME, HANDOFF_COMPONENT, or `component:` in handoff.yaml")
    check_component(settings.component)


def with_namespaces(settings: Settings, default: str) -> Settings:
    """Settings with the namespace of the sets, and that of manifests that name none, filled in."""
    namespace = settings.namespace or default
    return replace(settings, namespace=namespace, target_namespace=settings.target_namespace or namespace)
