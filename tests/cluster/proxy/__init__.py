"""A proxy between a client and the API server: counts and records requests, holds them, and makes them fail.

Clients use `Proxy.kubeconfig`. Client certificates of the kubeconfig that it was made from are its own towards the
server; a bearer token is passed through as it comes.
"""

from tests.cluster.proxy import faults
from tests.cluster.proxy.exchange import Exchange, Fault, Recorded
from tests.cluster.proxy.hold import Hold
from tests.cluster.proxy.request import Request
from tests.cluster.proxy.server import Proxy

__all__ = ["Exchange", "Fault", "Hold", "Proxy", "Recorded", "Request", "faults"]
