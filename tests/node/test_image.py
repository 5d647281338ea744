"""What the image promises to those who run it: any user, nothing writable, no shell, nothing left to compile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.images.containers import ImageError, run
from tests.cluster.images.product import load_image, product_image
from tests.node.workload import component

pytestmark = pytest.mark.node

_LOCKED = ("--rm", "--network=none", "--read-only", "--cap-drop=all", "--security-opt=no-new-privileges")


@pytest.fixture(scope="module")
def image() -> str:
    """The product's image, in podman's store."""
    name, archive = product_image()
    load_image(name, archive)
    return name


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A directory of manifests that anybody can read."""
    (tmp_path / "release.yaml").write_text(yaml.safe_dump_all(component("v1", "cluster.test/server:v1")))
    tmp_path.chmod(0o755)
    return tmp_path


def inspected(image: str) -> dict[str, Any]:
    config: dict[str, Any] = json.loads(run(["podman", "image", "inspect", image]))[0]["Config"]
    return config


def check(image: str, source: Path, *options: str) -> str:
    """What the offline check of the manifests prints, in a container without network or anything writable."""
    mounted = f"--volume={source}:/input:ro"
    command = ("check", "--source=/input", "--component=web", "--namespace=web")
    return run(["podman", "run", *_LOCKED, mounted, *options, image, *command])


def test_its_user_is_a_number_and_not_root(image: str) -> None:
    user, _, group = inspected(image)["User"].partition(":")
    assert user.isdigit()
    assert group.isdigit()
    assert int(user) > 0


def test_it_carries_the_labels_that_registries_and_scanners_read(image: str) -> None:
    labels = inspected(image)["Labels"]
    names = {name.removeprefix("org.opencontainers.image.") for name in labels}
    assert {"title", "description", "licenses", "version", "revision"} <= names


@pytest.mark.parametrize("user", ["65532:65532", "1000680000:0", "0:0"])
def test_it_runs_as_any_user(image: str, source: Path, user: str) -> None:
    assert "sha256:" in check(image, source, f"--user={user}")


def test_it_runs_without_a_shell(image: str, source: Path) -> None:
    shells = [f"--volume=/dev/null:{path}" for path in ("/bin/sh", "/bin/bash", "/bin/dash")]
    with pytest.raises(ImageError, match=r"permission denied|exec format"):
        run(["podman", "run", *_LOCKED, *shells, "--entrypoint=/bin/sh", image, "-c", "true"])
    assert "sha256:" in check(image, source, *shells)


def test_all_of_its_code_is_compiled(image: str) -> None:
    program = (
        "import pathlib, sys; from importlib.util import cache_from_source as compiled;"
        "files = list(pathlib.Path(sys.prefix, 'lib').rglob('*.py'));"
        "print(len(files), [str(f) for f in files if not pathlib.Path(compiled(str(f))).exists()])"
    )
    told = run(["podman", "run", *_LOCKED, "--entrypoint=/opt/handoff/bin/python", image, "-c", program])
    number, _, missing = told.strip().partition(" ")
    assert int(number) > 300
    assert missing == "[]"
