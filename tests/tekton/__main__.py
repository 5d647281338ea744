"""`python -m tests.tekton --kubeconfig FILE`: the set reconciler until SIGTERM; with `--lifecycle` the component's."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
from pathlib import Path

from tests.cluster.api import Api
from tests.tekton.controller import run_set_controller
from tests.tekton.lifecycle import run_component_controller
from tests.tekton.process import STARTED


def main() -> None:
    """Logs to stderr, a line for each write."""
    parser = argparse.ArgumentParser(prog="python -m tests.tekton", description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each pass over a set")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds before each write of a pass")
    parser.add_argument(
        "--lifecycle", metavar="VERSION", help="reconcile the component, as the operator of that version"
    )
    parser.add_argument("--manifests", type=Path, help="with --lifecycle: what that version brings, a JSON list")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s.%(msecs)03d %(threadName)s: %(message)s", datefmt="%T")
    # The package's loggers speak; the connection pool's warnings about an API server that is away do not.
    logging.getLogger("urllib3").setLevel(logging.ERROR)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # A connection for each watch and each worker.
    api = Api(options.kubeconfig, connections=12, user_agent="tekton-operator")
    if options.lifecycle:
        manifests = json.loads(options.manifests.read_text())
        run_component_controller(api, options.lifecycle, manifests, delay=options.delay)
    else:
        run_set_controller(api, delay=options.delay, pace=options.pace)
    logging.info(STARTED)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
