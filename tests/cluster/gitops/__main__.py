"""`python -m tests.cluster.gitops build [flux] [argocd]`: builds the controllers into the cache, where they lack."""

from __future__ import annotations

import argparse
import sys

from tests.cluster.gitops.programs import TOOLS, build
from tests.cluster.node.packages import PackagesError
from tests.cluster.toolchain import BuildError


def main() -> int:
    """0 when all of them are there, 1 with the compiler's words on stderr when not."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.gitops", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="build them, in minutes each")
    building.add_argument("tool", nargs="*", help=f"{' or '.join(TOOLS)}; all unless given")
    options = parser.parse_args()
    unknown = set(options.tool) - set(TOOLS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    try:
        for tool in options.tool or TOOLS:
            build(tool)
    except (BuildError, PackagesError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
