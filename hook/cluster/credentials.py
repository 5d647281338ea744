"""Where the API server is, and how a request proves who sends it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import urllib3

from hook.errors import InvalidInput, RightsMissing

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
# The kubelet renews the token's file long before the old one expires; a look now and then is enough.
_TOKEN_AGE = 10.0


class Credentials(Protocol):
    """What a connection needs to know; both kinds can be read again while the run goes on."""

    host: str
    namespace: str

    def pool(self, size: int) -> urllib3.PoolManager:
        """Connections to the API server, `size` of which are kept open."""

    def authorization(self) -> str | None:
        """The Authorization header's value, None where the client certificate (or nothing) does it."""

    def reload(self) -> bool:
        """Reads the credentials again after they were refused. True if the pool has to be made anew."""


def find_credentials(
    kubeconfig: str | None,
    context: str | None,
    *,
    environment: Mapping[str, str] = os.environ,
    service_account: Path = SERVICE_ACCOUNT,
) -> Credentials:
    """The kubeconfig if one (or a context) is named, else the pod's ServiceAccount, else the default kubeconfig.

    Raises InvalidInput (exit 2) where there is none or it cannot be used.
    """
    if kubeconfig is None and context is None and environment.get("KUBERNETES_SERVICE_HOST"):
        return ServiceAccount(environment, service_account)
    return Kubeconfig(kubeconfig or environment.get("KUBECONFIG") or "~/.kube/config", context)


class ServiceAccount:
    """The pod's own ServiceAccount; needs nothing of the Kubernetes client, which takes half a second to import."""

    def __init__(self, environment: Mapping[str, str], directory: Path = SERVICE_ACCOUNT) -> None:
        address = environment["KUBERNETES_SERVICE_HOST"]
        port = environment.get("KUBERNETES_SERVICE_PORT") or "443"
        self.host = f"https://[{address}]:{port}" if ":" in address else f"https://{address}:{port}"
        self._token_file = directory / "token"
        self._ca_file = directory / "ca.crt"
        for file in (self._token_file, self._ca_file):
            if not file.is_file():
                raise InvalidInput(
                    f"{file} is missing: let the pod mount its ServiceAccount's token"
                    " (automountServiceAccountToken), or give --kubeconfig"
                )
        namespace_file = directory / "namespace"
        self.namespace = namespace_file.read_text().strip() if namespace_file.is_file() else "default"
        self._lock = threading.Lock()
        self._token = ""
        self._read_at = float("-inf")

    def pool(self, size: int) -> urllib3.PoolManager:
        # Never by a proxy, whatever the environment says: it would be handed the token.
        return urllib3.PoolManager(ca_certs=str(self._ca_file), maxsize=size)

    def authorization(self) -> str | None:
        with self._lock:
            if time.monotonic() - self._read_at > _TOKEN_AGE:
                self._token = self._token_file.read_text().strip()
                self._read_at = time.monotonic()
            return f"Bearer {self._token}"

    def reload(self) -> bool:
        with self._lock:
            self._read_at = float("-inf")
        return False


class Kubeconfig:
    """A context of a kubeconfig, read by the Kubernetes client: exec plugins, token files, certificates, proxies."""

    def __init__(self, files: str, context: str | None) -> None:
        self._files = files
        self._context = context
        self._lock = threading.Lock()
        self.host = ""
        self.namespace = "default"
        self._configuration: Any = None
        self._load()

    def _load(self) -> None:
        # Imported here: half a second that a pod with its ServiceAccount need not spend.
        from kubernetes.client import Configuration
        from kubernetes.config import ConfigException, list_kube_config_contexts, load_kube_config

        configuration = Configuration()
        try:
            contexts, active = list_kube_config_contexts(self._files)  # type: ignore[no-untyped-call]
            load_kube_config(  # type: ignore[no-untyped-call]
                self._files, context=self._context, client_configuration=configuration, persist_config=False
            )
        except (ConfigException, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"kubeconfig {self._files}: {error}") from error
        except Exception as error:  # the YAML library's errors: it belongs to the client, not to this module
            raise InvalidInput(f"kubeconfig {self._files}: not readable: {error}") from error
        chosen = next((each for each in contexts if each["name"] == self._context), None) or active
        named = chosen["context"]
        configuration.keep_alive = True
        configuration.retries = False
        self._configuration = configuration
        self.host = configuration.host.rstrip("/")
        self.namespace = named.get("namespace") or "default"
        found = bool(configuration.api_key or configuration.cert_file)
        # The client only logs a failed plugin and goes on as nobody, which ends as an odd 403.
        if not found and self._wants_credentials(named.get("user")):
            raise RightsMissing(
                f"kubeconfig {self._files}: the credentials of user {named['user']} could not be had;"
                " run its login or its exec plugin by hand to see why"
            )

    def _wants_credentials(self, user: str | None) -> bool:
        from kubernetes.config.kube_config import KubeConfigMerger

        users = KubeConfigMerger(self._files).config["users"].value  # type: ignore[no-untyped-call]
        return any(entry["name"] == user and bool(entry["user"]) for entry in users)

    def pool(self, size: int) -> urllib3.PoolManager:
        from kubernetes.client.rest import RESTClientObject

        with self._lock:
            self._configuration.connection_pool_maxsize = size
            return RESTClientObject(self._configuration).pool_manager

    def authorization(self) -> str | None:
        with self._lock:
            settings = self._configuration.auth_settings()
            return settings["BearerToken"]["value"] if "BearerToken" in settings else None

    def reload(self) -> bool:
        with self._lock:
            self._load()
        return True


logging.getLogger("urllib3").setLevel(
    logging.ERROR
)  # it warns of every dropped connection; the retry policy counts them
