"""The demonstration that the README offers first."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.cluster.locations import REPOSITORY


def test_the_demonstration_shows_a_handoff_without_a_miss() -> None:
    done = subprocess.run([sys.executable, "-m", "demo"], cwd=REPOSITORY, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    # Both generations while it waits, what is kept inside, what stays and what goes, and the count.
    assert len(re.findall(r"\| shop-static-\w+ .* active ", done.stdout.split("Now the node takes pods again")[0])) == 2
    assert "carried along in ConfigMap shop/front: key theme of data" in done.stdout
    assert "kept Namespace shop-reports" in done.stdout
    assert "pruned Deployment.apps shop-reports/reports" in done.stdout
    assert re.search(r"[1-9]\d* reads in \d+ s, 0 misses;", done.stdout)
