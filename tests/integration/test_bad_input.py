"""Input that cannot be acted on ends the run, with the place of the fault and without one request."""

from __future__ import annotations

import gzip
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.certificates import Certificates
from tests.cluster.kubeconfigs import write_kubeconfig
from tests.cluster.locations import REPOSITORY
from tests.hook_process import HookResult, handoff, run_handoff

GOOD = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
"""
NESTED = "".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]\n" for n in range(1, 10))
SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: front
spec:
  ports:
    - {port: 80, name: http}
    - {port: 80, name: web}
"""


@dataclass(frozen=True)
class Listener:
    """A server that nobody is to call: its kubeconfig is whole, and a connection to it waits to be accepted."""

    socket: socket.socket
    kubeconfig: Path

    @property
    def was_called(self) -> bool:
        try:
            self.socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    place = tmp_path_factory.mktemp("listener")
    authority = Certificates(place / "pki").authority.certificate.read_bytes()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"https://127.0.0.1:{server.getsockname()[1]}"
        yield Listener(server, write_kubeconfig(place / "kubeconfig", address, authority, token="token"))


def run(listener: Listener, source: Path, *options: str) -> HookResult:
    common = ("--component=bad", "--namespace=bad")
    return run_handoff(None, "run", "--source", source, *common, *options, kubeconfig=listener.kubeconfig)


def test_a_good_input_would_call_the_server(listener: Listener, tmp_path: Path) -> None:
    """What makes the other tests able to fail."""
    (tmp_path / "good.yaml").write_text(GOOD)
    command = ("run", "--source", tmp_path, "--component=good", "--namespace=good")
    with handoff(None, *command, kubeconfig=listener.kubeconfig) as process:
        process.until(lambda: listener.was_called, "a connection")


# name → (what stands in bad.yaml, the line that is named, a word of the explanation)
BAD: dict[str, tuple[str, int, str]] = {
    "a list instead of an object": (f"{GOOD}---\n- a\n- b\n", 6, "mapping"),
    "a text instead of an object": (f"{GOOD}---\njust text\n", 6, "mapping"),
    "no kind": ("\n\napiVersion: v1\nmetadata: {name: a}\n", 3, "kind"),
    "an empty kind": ('apiVersion: v1\nkind: ""\nmetadata: {name: a}\n', 1, "kind"),
    "no apiVersion": ("# a comment\nkind: ConfigMap\nmetadata: {name: a}\n", 2, "apiVersion"),
    "an apiVersion of three pieces": ("apiVersion: a/b/c\nkind: ConfigMap\nmetadata: {name: a}\n", 1, "apiVersion"),
    "no metadata": ("apiVersion: v1\nkind: ConfigMap\n", 1, "metadata"),
    "no name": (f"{GOOD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{labels: {{}}}}\n", 6, "name"),
    "a generated name": (f"{GOOD}---\n\n{GOOD.replace('name: settings', 'generateName: set-')}", 7, "generateName"),
    "a name that is no name": (GOOD.replace("settings", "My_Settings"), 1, "My_Settings"),
    "a name that is a number": (GOOD.replace("settings", "12"), 1, "name"),
    "a namespace that is no name": (f"{GOOD}  namespace: Not.One\n", 1, "namespace"),
    "a label that is a number": (f"{GOOD}  labels: {{tier: 1}}\n", 1, "labels"),
    "a label with a blank": (f"{GOOD}  labels: {{tier: a b}}\n", 1, "labels"),
    "a label's key that is none": (f"{GOOD}  labels: {{-tier-: a}}\n", 1, "labels"),
    "an annotation that is a truth value": (f"{GOOD}  annotations: {{a: true}}\n", 1, "annotations"),
    "two objects of one identity": (f"{GOOD}---\n{GOOD}", 6, "bad.yaml:1"),
    "a key twice": (f"{GOOD}data:\n  a: x\n  a: y\n", 7, "'a' stands twice"),
    "a list's key twice": (SERVICE, 1, "same key"),
    "a List of texts": ("apiVersion: v1\nkind: List\nitems:\n- a\n", 1, "items[0]"),
    "a List that lists nothing that can be listed": ("apiVersion: v1\nkind: List\nitems: {a: b}\n", 1, "items"),
    "an unrendered template": (GOOD.replace("settings", "{{ .Release.Name }}"), 4, "{{"),
    "an unrendered control line": (f"{{{{- if .Values.on }}}}\n{GOOD}", 1, "{{"),
    "what one YAML reads as true and another as text": (f"{GOOD}data: {{a: y}}\n", 5, "y"),
    "a number with a leading zero": (f"{GOOD}data: {{mode: 0644}}\n", 5, "0644"),
    "no number": (f"{GOOD}data: {{a: .nan}}\n", 5, "not-a-number"),
    "a merge key": (f"{GOOD}data:\n  <<: {{a: b}}\n", 6, "<<"),
    "a tag of a language": (f"{GOOD}data: !!python/object:os.system {{}}\n", 5, "tag"),
    "aliases that grow without bound": (f"x0: &x0 [a]\n{NESTED}", 2, "alias"),
    "a tab": (f"{GOOD}data:\n\ta: b\n", 6, "character"),
    "an open bracket": (f"{GOOD}data: {{a: b\n", 6, ""),
    "a rule that does not compile": (
        f"{GOOD}  annotations:\n    installersets.io/ready-when: object.status.(\n",
        1,
        "ready-when",
    ),
}

# name → (file, what stands in it, words of the explanation)
NO_MANIFESTS: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "no text": ("bad.yaml", b"\xff\xfe\x00\x01binary\x80", ("bad.yaml", "UTF-8")),
    "no archive": ("bad.yaml.gz", b"no archive", ("bad.yaml.gz",)),
    "half an archive": ("bad.yaml.gz", gzip.compress(GOOD.encode())[:-10], ("bad.yaml.gz",)),
    "no JSON": ("bad.json", b'{"apiVersion": "v1",}', ("bad.json:1",)),
    "a kustomization": ("kustomization.yaml", b"resources: []\n", ("kustomization.yaml", "render")),
    "a chart": ("Chart.yaml", b"name: a\n", ("Chart.yaml", "render")),
    "an unknown setting": ("handoff.yaml", b"componentt: a\n", ("handoff.yaml", "componentt")),
    "a setting that cannot be": ("handoff.yaml", b"timeout: soon\n", ("handoff.yaml", "timeout", "soon")),
}
EMPTY = {
    "no file": None,
    "an empty file": "",
    "comments": "# nothing but words\n---\n---\n",
    "an empty List": "apiVersion: v1\nkind: List\nitems: []\n",
    "nothing to be installed now": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: check\n  annotations: {helm.sh/hook: test}\n"
    ),
}


@dataclass(frozen=True)
class Outcome:
    """How one of many commands ended."""

    exit_code: int
    report: dict[str, Any]


@pytest.fixture(scope="module")
def outcomes(listener: Listener, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """All of these inputs, each given to a run, in one process: most of the time of a run goes into its start."""
    root = tmp_path_factory.mktemp("inputs")
    for name, (text, _, _) in BAD.items():
        (root / name).mkdir()
        (root / name / "a-good.yaml").write_text(GOOD.replace("settings", "others"))
        (root / name / "bad.yaml").write_text(text)
    for name, (file, content, _) in NO_MANIFESTS.items():
        (root / name).mkdir()
        (root / name / file).write_bytes(content)
    for name, empty in EMPTY.items():
        (root / name).mkdir()
        if empty is not None:
            (root / name / "empty.yaml").write_text(empty)
    names = [*BAD, *NO_MANIFESTS, *EMPTY]
    common = ["--component=bad", "--namespace=bad", "--output=json", f"--kubeconfig={listener.kubeconfig}"]
    commands = [["run", f"--source={root / name}", *common] for name in names]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input=json.dumps(commands), capture_output=True, text=True, cwd=REPOSITORY
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return {name: Outcome(code, json.loads(text)) for name, (code, text) in zip(names, told, strict=True)}


DRIVER = """
import contextlib, io, json, sys
from hook.cli import main

outcomes = []
for command in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(command)
    outcomes.append([code, out.getvalue()])
json.dump(outcomes, sys.stdout)
"""


def test_none_of_these_inputs_makes_a_connection(outcomes: dict[str, Outcome], listener: Listener) -> None:
    assert len(outcomes) == len(BAD) + len(NO_MANIFESTS) + len(EMPTY)
    assert not listener.was_called


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named_by_file_and_line(name: str, outcomes: dict[str, Outcome]) -> None:
    _, line, word = BAD[name]
    outcome = outcomes[name]
    assert (outcome.exit_code, outcome.report["result"]) == (2, "invalid input"), outcome
    assert f"{name}/bad.yaml:{line}:" in outcome.report["message"]
    assert word in outcome.report["message"].split(f"bad.yaml:{line}:")[1]


@pytest.mark.parametrize("name", NO_MANIFESTS)
def test_a_file_that_holds_no_manifests_is_named(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert outcome.exit_code == 2, outcome
    assert all(word in outcome.report["message"] for word in NO_MANIFESTS[name][2]), outcome


@pytest.mark.parametrize("name", EMPTY)
def test_an_input_without_any_object_is_refused(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert (outcome.exit_code, outcome.report["result"]) == (3, "refused"), outcome
    assert "--allow-empty" in outcome.report["message"]


@pytest.mark.parametrize(
    "options",
    [("--component=Not_A_Name",), ("--component=" + "a" * 41,), ("--timeout=soon",), ("--max-prune=many",)],
    ids=["component", "long component", "duration", "limit"],
)
def test_a_flag_that_cannot_be_is_refused_before_any_request(
    options: tuple[str, ...], listener: Listener, tmp_path: Path
) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    result = run(listener, tmp_path, *options)
    assert result.exit_code == 2, str(result)
    assert not listener.was_called


def test_a_source_that_is_not_there_is_named(listener: Listener, tmp_path: Path) -> None:
    result = run(listener, tmp_path / "nowhere")
    assert result.exit_code == 2, str(result)
    assert "nowhere" in result.report["message"]
    assert not listener.was_called


def test_another_digest_than_the_one_asked_for_is_refused_before_any_request(
    listener: Listener, tmp_path: Path
) -> None:
    (tmp_path / "good.yaml").write_text(GOOD)
    result = run(listener, tmp_path, f"--digest=sha256:{'0' * 64}")
    assert result.exit_code == 3, str(result)
    assert "0" * 64 in result.report["message"]
    assert not listener.was_called
