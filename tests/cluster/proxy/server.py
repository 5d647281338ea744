"""The proxy itself: accepts connections, reads requests, and lets rules decide what becomes of each."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import trustme

from tests.cluster.api import Api
from tests.cluster.kubeconfigs import read_kubeconfig, write_kubeconfig
from tests.cluster.proxy.exchange import Dropped, Exchange, Fault, Recorded
from tests.cluster.proxy.hold import Hold
from tests.cluster.proxy.request import Request

Matches = Callable[[Request], bool]

_LONGEST_WRITE = 60.0  # seconds, on a busy machine: the API server alone may take 12 of them


@dataclass(slots=True, eq=False)
class Rule:
    """What becomes of requests that match, and of how many more of them (None: of all)."""

    matches: Matches
    fault: Fault
    times: int | None


class Proxy:
    """Listens on loopback from entering to leaving the block. Rules may be added at any time."""

    def __init__(self, kubeconfig: Path) -> None:
        self._real = Api(kubeconfig)
        self._context = read_kubeconfig(kubeconfig)
        self._rules: list[Rule] = []
        self._holds: list[Hold] = []
        self._recorded: list[Recorded] = []
        self._sockets: set[socket.socket] = set()
        self._state = threading.Condition()
        self._under_way = 0
        self._closing = False

    def __enter__(self) -> Proxy:
        self._directory = tempfile.TemporaryDirectory(prefix="handoff-proxy-")
        authority = trustme.CA()
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("127.0.0.1").configure_cert(self._tls)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.server = f"https://127.0.0.1:{self._listener.getsockname()[1]}"
        self.kubeconfig = write_kubeconfig(
            Path(self._directory.name) / "kubeconfig",
            self.server,
            authority.cert_pem.bytes(),
            token=self._context["user"].get("token"),
            namespace=self._context["namespace"],
        )
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        for hold in self._holds:
            hold.drop()
        with self._state:
            for open_ in (self._listener, *self._sockets):
                with contextlib.suppress(OSError):
                    open_.shutdown(socket.SHUT_RDWR)
                open_.close()
        self._real.close()
        self._directory.cleanup()

    def on(self, matches: Matches, fault: Fault, *, times: int | None = 1) -> Rule:
        """From now on `fault` is what becomes of requests that match: of the next `times`, or of all with None.

        Of several rules that match the one that was added first counts, until it is used up.
        """
        rule = Rule(matches, fault, times)
        with self._state:
            self._rules.append(rule)
        return rule

    def off(self, rule: Rule) -> None:
        """Takes a rule back."""
        with self._state:
            self._rules.remove(rule)

    def hold(self, matches: Matches, *, number: int = 1, after: bool = False) -> Hold:
        """Stops everything at the `number`th request that matches from now on; see `Hold`."""
        hold = Hold(matches, number, after, self._await_idle)
        with self._state:
            self._holds.append(hold)
        return hold

    def lift(self, hold: Hold) -> None:
        """Takes a hold back: one that was never reached stops nothing any more, what it has stopped goes on."""
        hold.release()
        with self._state:
            self._holds.remove(hold)

    @property
    def requests(self) -> list[Recorded]:
        """All requests so far, in the order in which they came."""
        with self._state:
            return list(self._recorded)

    @property
    def writes(self) -> list[Request]:
        """Those that were to change something, without the Lease's own."""
        return [r.request for r in self.requests if r.request.is_write and r.request.plural != "leases"]

    def forget(self) -> None:
        """Empties `requests`."""
        with self._state:
            self._recorded.clear()

    def _accept(self) -> None:
        while not self._closing:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        address = urlsplit(self._real.server)
        upstream = http.client.HTTPSConnection(address.hostname or "", address.port or 443, context=self._real.tls)
        # A killed client, a closing proxy, a server that went: all of them just end the connection.
        with contextlib.suppress(OSError, http.client.HTTPException, Dropped), contextlib.closing(upstream):
            plain.settimeout(10)
            with self._tls.wrap_socket(plain, server_side=True) as client, self._known(client):
                client.settimeout(None)
                stream = client.makefile("rb")
                while (request := _read(stream)) is not None:
                    self._handle(request, client, upstream, address.netloc)

    @contextlib.contextmanager
    def _known(self, client: socket.socket) -> Iterator[None]:
        with self._state:
            self._sockets.add(client)
        try:
            yield
        finally:
            with self._state:
                self._sockets.discard(client)

    def _handle(
        self, request: Request, client: ssl.SSLSocket, upstream: http.client.HTTPSConnection, authority: str
    ) -> None:
        with self._state:
            stopped = next((hold for hold in self._holds if hold.stops(request)), None)
            met = next((hold for hold in self._holds if stopped is None and hold.meets(request)), None)
            parked = stopped or (met if met is not None and not met.after else None)
            # Counted in the same breath, or a hold could take the cluster for idle with this write on its way.
            recorded = self._begin(request) if parked is None else None
        if recorded is None:
            if parked is not None and not parked.park(first=parked is met):
                raise Dropped
            with self._state:
                recorded = self._begin(request)
        exchange = Exchange(recorded, client, upstream, authority)
        response = None
        try:
            if met is not None and met.after:
                response = exchange.forward()
            else:
                self._fault(request)(exchange)
        finally:
            with self._state:
                self._under_way -= request.is_write
                self._state.notify_all()
        if met is not None and response is not None:
            if not met.park(first=True):
                raise Dropped
            exchange.respond(response.status, response.body, response.headers)

    def _begin(self, request: Request) -> Recorded:
        recorded = Recorded(request)
        self._recorded.append(recorded)
        self._under_way += request.is_write
        return recorded

    def _fault(self, request: Request) -> Fault:
        with self._state:
            for rule in self._rules:
                if rule.times != 0 and rule.matches(request):
                    if rule.times is not None:
                        rule.times -= 1
                    return rule.fault
        return Exchange.relay

    def _await_idle(self) -> None:
        with self._state:
            if not self._state.wait_for(lambda: self._under_way == 0, _LONGEST_WRITE):
                raise TimeoutError("writes through the proxy are still under way")


def _read(stream: BinaryIO) -> Request | None:
    """The next request; None when the client has closed the connection."""
    line = stream.readline(1 << 16).decode("latin-1").split()
    if len(line) != 3:
        return None
    headers = {name.lower(): value for name, value in http.client.parse_headers(stream).items()}
    body = stream.read(int(headers.get("content-length", "0")))
    return Request(line[0], line[1], headers, body)
