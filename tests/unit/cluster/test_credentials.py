"""Which credentials are taken, and that they are read again."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import yaml

from hook.cluster.credentials import Kubeconfig, ServiceAccount, find_credentials
from hook.errors import InvalidInput, RightsMissing

POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def account(tmp_path: Path) -> Path:
    directory = tmp_path / "serviceaccount"
    directory.mkdir()
    (directory / "token").write_text("first\n")
    (directory / "ca.crt").write_text("certificate")
    (directory / "namespace").write_text("shop")
    return directory


def kubeconfig(path: Path, user: dict[str, object], **context: str) -> str:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1/"}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [
            {"name": "here", "context": {"cluster": "c", "user": "u", **context}},
            {"name": "there", "context": {"cluster": "c", "user": "u", "namespace": "there"}},
        ],
    }
    path.write_text(yaml.safe_dump(document))
    return str(path)


def test_a_pod_uses_its_service_account(account: Path) -> None:
    found = find_credentials(None, None, environment=POD, service_account=account)

    assert (found.host, found.namespace) == ("https://10.96.0.1:443", "shop")
    assert found.authorization() == "Bearer first"


def test_an_ipv6_address_is_bracketed(account: Path) -> None:
    assert ServiceAccount({"KUBERNETES_SERVICE_HOST": "fd00::1"}, account).host == "https://[fd00::1]:443"


def test_a_rotated_token_is_read_after_a_refusal(account: Path) -> None:
    found = ServiceAccount(POD, account)
    found.authorization()
    (account / "token").write_text("second")

    assert found.authorization() == "Bearer first"
    found.reload()
    assert found.authorization() == "Bearer second"


def test_a_rotated_token_is_read_in_time(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ServiceAccount(POD, account)
    found.authorization()
    (account / "token").write_text("second")
    monkeypatch.setattr("hook.cluster.credentials._TOKEN_AGE", -1.0)

    assert found.authorization() == "Bearer second"


def test_the_token_never_goes_to_a_proxy(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://proxy.example.org:3128")

    assert ServiceAccount(POD, account).pool(4).proxy is None


def test_a_pod_without_a_token_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="automountServiceAccountToken"):
        find_credentials(None, None, environment=POD, service_account=tmp_path)


def test_a_named_kubeconfig_beats_the_pod(account: Path, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"token": "t"})
    found = find_credentials(path, None, environment=POD, service_account=account)

    assert found.host == "http://127.0.0.1:1"
    assert found.authorization() == "Bearer t"


def test_the_environment_names_the_default_kubeconfig(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"token": "t"}, namespace="mine")

    assert find_credentials(None, None, environment={"KUBECONFIG": path}).namespace == "mine"


def test_a_context_is_chosen_by_name(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"token": "t"})

    assert Kubeconfig(path, "there").namespace == "there"
    assert Kubeconfig(path, None).namespace == "default"


@pytest.mark.parametrize("text", [None, "", "a: [", "kind: Config", "contexts: 7"])
def test_a_kubeconfig_that_cannot_be_read_is_bad_usage(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)

    with pytest.raises(InvalidInput, match=r"kubeconfig .*/config"):
        Kubeconfig(str(path), None)


def test_an_unknown_context_is_bad_usage(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", {"token": "t"})

    with pytest.raises(InvalidInput, match="nowhere"):
        Kubeconfig(path, "nowhere")


def test_a_token_file_is_read_again_after_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("first")
    found = Kubeconfig(kubeconfig(tmp_path / "config", {"tokenFile": str(tmp_path / "token")}), None)
    assert found.authorization() == "Bearer first"
    (tmp_path / "token").write_text("second")

    assert found.reload()
    assert found.authorization() == "Bearer second"


def plugin(path: Path, body: str) -> dict[str, object]:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(path), "interactiveMode": "Never"}}


def test_an_exec_plugin_gives_the_token(tmp_path: Path) -> None:
    credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}'
    user = plugin(tmp_path / "plugin", f"echo '{credential}'")

    assert Kubeconfig(kubeconfig(tmp_path / "config", user), None).authorization() == "Bearer t"


def test_a_failing_exec_plugin_is_not_the_same_as_nobody(tmp_path: Path) -> None:
    user = plugin(tmp_path / "plugin", "exit 1")

    with pytest.raises(RightsMissing, match="credentials of user u"):
        Kubeconfig(kubeconfig(tmp_path / "config", user), None)


def test_a_password_is_basic_authorization(tmp_path: Path) -> None:
    user: dict[str, object] = {"username": "me", "password": "secret"}
    found = Kubeconfig(kubeconfig(tmp_path / "config", user), None)

    assert found.authorization() == "Basic " + base64.b64encode(b"me:secret").decode()
