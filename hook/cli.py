"""`handoff`: the command line. Results go to stdout, logs and progress to stderr."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from hook.commands.check import check_command
from hook.commands.inputs import read_inputs
from hook.commands.signals import give_up, on_stop
from hook.errors import HandoffError, InvalidInput
from hook.readiness.rules import rules_from
from hook.report.journal import Journal
from hook.report.log import configure_log, logger
from hook.report.readiness import read_objects, readiness_command
from hook.report.result import RESULTS, as_json, as_text
from hook.report.termination import write_termination_message

_RUNS = {
    "run": "bring the desired generation up beside the current one, then retire and prune that one",
    "pre-sync": "only bring the desired generation up and wait until it is Ready",
    "post-sync": "only retire and prune the old generation, once the desired one is proven Ready",
}


_TEKTON_SET = "a TektonInstallerSet of the operator's own that is to be taken over; may be repeated"
_STYLES = ("json", "text")
CHANGES = 10  # exit code of `plan --exit-code`


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InvalidInput(f"{message}; see {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one command; see README, "Exit codes"."""
    try:
        on_stop(give_up)
        options = _with_environment(_parser().parse_args(arguments))
        configure_log(options.log_format)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except HandoffError as error:
        print(f"handoff: {error}", file=sys.stderr)  # noqa: T201
        return error.exit_code


def _run(options: argparse.Namespace) -> int:
    from hook.commands.runs import run_handoff

    try:
        inputs = read_inputs(options.source, _flags(options), options.kubeconfig, options.context)
    except HandoffError as error:
        journal = Journal(component=options.component or "", exit_code=error.exit_code, message=str(error))
        journal.result = RESULTS[error.exit_code]
        logger().error(journal.result, exit_code=error.exit_code, error=str(error))
        return _finish(journal, options)
    return _finish(run_handoff(options.name, inputs, options.kubeconfig, options.context), options)


def _remove(options: argparse.Namespace) -> int:
    from hook.commands.runs import run_removal

    return _finish(run_removal(_flags(options), options.kubeconfig, options.context), options)


def _plan(options: argparse.Namespace) -> int:
    from hook.commands.plan import plan_command

    inputs = read_inputs(options.source, _flags(options), options.kubeconfig, options.context)
    plan = plan_command(inputs, options.kubeconfig, options.context)
    print(plan.as_json() if options.output == "json" else plan.as_text())  # noqa: T201
    return CHANGES if options.exit_code and plan.changes else 0


def _status(options: argparse.Namespace) -> int:
    from hook.commands.status import status_command

    print(status_command(_flags(options), options.kubeconfig, options.context, options.output))  # noqa: T201
    return 0


def _check(options: argparse.Namespace) -> int:
    inputs = read_inputs(options.source, _flags(options), options.kubeconfig, options.context)
    print(check_command(inputs, options.output))  # noqa: T201
    return 0


def _rbac(options: argparse.Namespace) -> int:
    from hook.commands.rbac import RightsWanted, rbac_command

    wanted = RightsWanted(
        previous=options.previous,
        reads=options.reads,
        name=options.name_of_roles,
        service_account=options.service_account,
        with_service_account=options.with_service_account,
        definition=not options.without_definition,
        cluster_wide=options.cluster_wide,
        whole_kinds=options.whole_kinds,
        escalate=options.escalate,
    )
    inputs = read_inputs(options.source, _flags(options), options.kubeconfig, options.context)
    print(rbac_command(inputs, wanted, options.source, options.kubeconfig, options.context, options.output))  # noqa: T201
    return 0


def _readiness(options: argparse.Namespace) -> int:
    if options.file == "-":
        data = sys.stdin.buffer.read()
    else:
        try:
            data = Path(options.file).read_bytes()
        except OSError as error:
            raise InvalidInput(f"{options.file}: {error.strerror}") from None
    rules = (
        rules_from(_rules_of(options.rules), f"{options.rules}: healthCheckExprs")
        if options.rules
        else rules_from(None)
    )
    text, code = readiness_command(read_objects(data, options.file), rules, options.output)
    print(text)  # noqa: T201
    return code


def _rules_of(file: str) -> Any:
    from hook.manifests.reader import read_documents

    try:
        documents = read_documents(Path(file).read_bytes(), file)
    except OSError as error:
        raise InvalidInput(f"{file}: {error.strerror}") from None
    settings = documents[0].value if documents else {}
    if not isinstance(settings, dict):
        raise InvalidInput(f"{file}: must be settings, as in handoff.yaml")
    return settings.get("healthCheckExprs")


def _finish(journal: Journal, options: argparse.Namespace) -> int:
    """Print the result, and leave the last message where a pod's status shows it."""
    if _in_pod():
        write_termination_message(journal)
    print(as_json(journal) if options.output == "json" else as_text(journal))  # noqa: T201
    return journal.exit_code


def _with_environment(options: argparse.Namespace) -> argparse.Namespace:
    """What is no setting of a run has variables too: HANDOFF_SOURCE (separated by commas), _OUTPUT, _LOG_FORMAT."""
    if hasattr(options, "source") and not options.source:
        options.source = [piece for piece in os.environ.get("HANDOFF_SOURCE", "").split(",") if piece]
    for name, default in (("output", "text"), ("log_format", "json" if _in_pod() else "text")):
        value = getattr(options, name) or os.environ.get(f"HANDOFF_{name.upper()}") or default
        if value not in _STYLES:
            raise InvalidInput(f"HANDOFF_{name.upper()}: must be {' or '.join(_STYLES)}, not {value!r}")
        setattr(options, name, value)
    return options


def _in_pod() -> bool:
    return "KUBERNETES_SERVICE_HOST" in os.environ


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="handoff", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True, parser_class=_Parser)
    for name, text in _RUNS.items():
        run = commands.add_parser(name, help=text)
        run.set_defaults(command=_run)
        _add_source(run)
        _add_cluster(run)
        _add_component(run)
        _add_rules_of_the_run(run)
    plan = commands.add_parser("plan", help="show what a run would do now; writes nothing")
    plan.set_defaults(command=_plan)
    _add_source(plan)
    _add_cluster(plan)
    _add_component(plan)
    _add_rules_of_the_run(plan)
    plan.add_argument("--exit-code", action="store_true", help=f"end with {CHANGES} when there are changes")
    remove = commands.add_parser("remove", help="retire and prune everything of a component; reads no source")
    remove.set_defaults(command=_remove)
    _add_cluster(remove)
    _add_component(remove)
    remove.add_argument("--timeout", metavar="DURATION")
    remove.add_argument("--lock-timeout", metavar="DURATION")
    remove.add_argument("--prune-kind", action="append", metavar="KIND")
    remove.add_argument("--tekton-set", action="append", dest="tekton_sets", metavar="NAME", help=_TEKTON_SET)
    status = commands.add_parser("status", help="show the sets of a component")
    status.set_defaults(command=_status)
    _add_cluster(status)
    _add_component(status)
    check = commands.add_parser("check", help="validate an input offline and print its digest")
    check.set_defaults(command=_check)
    _add_source(check)
    _add_cluster(check)
    _add_component(check)
    check.add_argument("--allow-empty", action="store_const", const=True)
    _add_rbac(commands.add_parser("rbac", help="print the Roles that grant just what runs of an input need, offline"))
    readiness = commands.add_parser("readiness", help="judge the objects of a file, offline")
    readiness.set_defaults(command=_readiness)
    readiness.add_argument("file", metavar="FILE|-")
    readiness.add_argument("--rules", metavar="FILE", help="a handoff.yaml with healthCheckExprs")
    for each in commands.choices.values():
        each.add_argument("--output", choices=_STYLES)
        each.add_argument("--log-format", choices=_STYLES)
    return parser


def _add_rbac(rbac: argparse.ArgumentParser) -> None:
    rbac.set_defaults(command=_rbac)
    _add_source(rbac)
    _add_cluster(rbac)
    _add_component(rbac)
    rbac.add_argument("--prune-kind", action="append", metavar="KIND", help="as in the runs to come")
    previous = "another generation that may be installed: rights to prune what only that one has; may be repeated"
    rbac.add_argument("--previous", action="append", default=[], metavar="SOURCE", help=previous)
    reads = "where the runs read their input, if from the API: configmap://..., flux://..."
    rbac.add_argument("--reads", action="append", default=[], metavar="URL", help=reads)
    name = "of Roles and bindings, handoff-COMPONENT by default"
    rbac.add_argument("--name", dest="name_of_roles", default="", metavar="NAME", help=name)
    account = "whom they are bound to; handoff, in the namespace of the sets, by default"
    rbac.add_argument("--service-account", default="handoff", metavar="[NAMESPACE/]NAME", help=account)
    rbac.add_argument("--with-service-account", action="store_true", help="print the ServiceAccount, too")
    definition = "somebody else installs the definition of InstallerSets"
    rbac.add_argument("--without-definition", action="store_true", help=definition)
    cluster_wide = "a ClusterRole instead of Roles: for namespaces that only the first run creates"
    rbac.add_argument("--cluster-wide", action="store_true", help=cluster_wide)
    whole = "all objects of each kind (but Secrets), so that a later generation of the same kinds needs no new rights"
    rbac.add_argument("--whole-kinds", action="store_true", help=whole)
    escalate = "escalate and bind for the component's Roles, instead of holding all of their rules"
    rbac.add_argument("--escalate", action="store_true", help=escalate)


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", action="append", default=[], metavar="DIRECTORY|FILE|-|URL")


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kubeconfig", metavar="FILE")
    parser.add_argument("--context", metavar="NAME")


def _add_component(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--component", metavar="NAME")
    parser.add_argument("--version", metavar="TEXT", help="shown to people, e.g. v1.2.0")
    parser.add_argument("--digest", metavar="sha256:HEX", help="what `handoff check` prints; the input must match it")
    parser.add_argument("--namespace", metavar="NAME", help="where the sets live")
    parser.add_argument("--target-namespace", metavar="NAME", help="for namespaced manifests that name none")


def _add_rules_of_the_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timeout", metavar="DURATION", help="of the whole run, e.g. 10m (the default)")
    parser.add_argument("--lock-timeout", metavar="DURATION", help="waiting for another run, 5m by default")
    parser.add_argument("--max-prune", metavar="N|P%", help="refuse to prune more than so many; 50 by default")
    parser.add_argument("--prune-kind", action="append", metavar="KIND", help="may be pruned although kept by rule")
    parser.add_argument("--recreate", action="append", metavar="KIND/NAME", help="may be deleted and created anew")
    parser.add_argument("--tekton-set", action="append", dest="tekton_sets", metavar="NAME", help=_TEKTON_SET)
    parser.add_argument("--adopt", action="store_const", const=True, help="take over what another tool owns")
    parser.add_argument("--allow-empty", action="store_const", const=True)
    parser.add_argument("--always-apply", action="store_const", const=True)
    parser.add_argument("--conflicts", choices=("force", "fail"))


_FLAGS = (
    "component",
    "version",
    "digest",
    "namespace",
    "target_namespace",
    "timeout",
    "lock_timeout",
    "max_prune",
    "prune_kind",
    "recreate",
    "tekton_sets",
    "adopt",
    "allow_empty",
    "always_apply",
    "conflicts",
)


def _flags(options: argparse.Namespace) -> dict[str, Any]:
    """The given flags by the keys of handoff.yaml."""
    given = {name: getattr(options, name, None) for name in _FLAGS}
    return {_camel(name): value for name, value in given.items() if value is not None}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
