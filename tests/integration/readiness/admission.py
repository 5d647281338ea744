"""Real webhook servers in place of simulated pods, and somebody who asks for admission all the time."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import trustme

from tests.cluster.cluster import Cluster
from tests.live_objects import Object


def host_address() -> str | None:
    """An address of this machine that is no loopback (endpoints must not be); None where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if address.startswith("127.") else address


class WebhookPod:
    """Listens at `port` for as long as a pod of the server `name` lives; allows everything, and converts custom
    resources by calling them of another version.

    Its certificate is of an authority of its own.
    """

    def __init__(self, cluster: Cluster, namespace: str, name: str, port: int, service: str) -> None:
        self.authority = trustme.CA()
        self.served = 0
        self._cluster = cluster
        self._place = (namespace, name)
        self._port = port
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert(f"{service}.{namespace}.svc").configure_cert(self._tls)
        self._server: ThreadingHTTPServer | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self.error: Exception | None = None

    @property
    def listening(self) -> bool:
        return self._server is not None

    def __enter__(self) -> WebhookPod:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._close()

    def _follow(self) -> None:
        """Starts with the pod, well before it is Ready, and ends only when it is gone."""
        namespace, name = self._place
        while not self._stop.wait(0.1):
            pods = self._cluster.api.request(
                "GET", f"/api/v1/namespaces/{namespace}/pods", query={"labelSelector": f"server={name}"}
            ).body.get("items")
            if pods and self._server is None:
                self._open()
            elif pods == [] and self._server is not None:
                self._close()

    def _open(self) -> None:
        pod = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = review.pop("request")
                review["response"] = _converted(request) if review["kind"] == "ConversionReview" else _allowed(request)
                body = json.dumps(review).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                pod.served += 1

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def finish_request(self, request: socket.socket, address: object) -> None:
                # In the thread of the request: a client that refuses our certificate must not hold up the others.
                with contextlib.suppress(OSError), pod._tls.wrap_socket(request, server_side=True) as secure:
                    super().finish_request(secure, address)  # type: ignore[arg-type]

        self._server = Server(("0.0.0.0", self._port), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def _close(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


def _allowed(request: Object) -> Object:
    return {"uid": request["uid"], "allowed": True}


def _converted(request: Object) -> Object:
    converted = [{**item, "apiVersion": request["desiredAPIVersion"]} for item in request["objects"]]
    return {"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}}


@contextlib.contextmanager
def admission_requests(cluster: Cluster, namespace: str, **labels: str) -> Iterator[Counter[str]]:
    """Asks for a ConfigMap to be created (and nothing to be stored) without a pause; counts what is answered:
    `allowed`, or the text of the refusal."""
    answers: Counter[str] = Counter()
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            answer = cluster.api.request(
                "POST",
                f"/api/v1/namespaces/{namespace}/configmaps",
                {"metadata": {"generateName": "asked-", "labels": labels}},
                query={"dryRun": "All"},
            )
            answers["allowed" if answer.status == 201 else answer.body["message"]] += 1
            time.sleep(0.005)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield answers
    finally:
        stop.set()
        thread.join()


def free_port() -> int:
    """A port that nobody listens at just now."""
    with socket.socket() as listener:
        listener.bind(("", 0))
        return int(listener.getsockname()[1])


def webhook_deployment(namespace: str, name: str, server: str, port: int, address: str) -> Object:
    """One pod at that address, which serves for two seconds before it is Ready and after it is told to end."""
    pods = {
        "pods.test/address": address,
        "pods.test/ready-after": "2s",
        "pods.test/terminate-after": "2s",
    }
    container = {
        "name": "main",
        "image": f"example.test/{server}:1",
        "ports": [{"name": "https", "containerPort": port}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 1,
            "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name, "server": server}, "annotations": pods},
                "spec": {"containers": [container]},
            },
        },
    }


def webhook_service(namespace: str, name: str, **selector: str) -> Object:
    """In front of the pods that the labels select."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": selector, "ports": [{"port": 443, "targetPort": "https"}]},
    }
