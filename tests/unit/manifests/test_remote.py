"""URLs of sources."""

from __future__ import annotations

import pytest

from hook.errors import InvalidInput
from hook.manifests.identity import Kind
from hook.manifests.remote import FLUX_GROUP, FluxSource, KeyedSource, is_remote, parse_remote


def test_only_a_url_is_remote() -> None:
    assert [is_remote(spec) for spec in ("configmap://shop/input", "-", "release/", "./a:b/c")] == [True, *[False] * 3]


def test_a_config_map_or_secret_is_named_by_namespace_and_name() -> None:
    assert parse_remote("configmap://shop/input.v1") == KeyedSource(Kind("", "ConfigMap"), "shop", "input.v1")
    assert parse_remote("secret://shop/input") == KeyedSource(Kind("", "Secret"), "shop", "input")


@pytest.mark.parametrize(
    ("url", "kind", "path"),
    [
        ("flux://gitrepository/flux-system/app/deploy/prod", "GitRepository", "deploy/prod"),
        ("flux://ocirepository/flux-system/app", "OCIRepository", ""),
        ("flux://bucket/flux-system/app/./a//b/", "Bucket", "a/b"),
    ],
)
def test_a_flux_source_is_named_by_kind_namespace_name_and_a_path_inside(url: str, kind: str, path: str) -> None:
    assert parse_remote(url) == FluxSource(Kind(FLUX_GROUP, kind), "flux-system", "app", path)


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://example.org/release.yaml", "configmap://NAMESPACE/NAME"),
        ("configmap://shop", "''"),
        ("configmap://Shop/input", "'Shop'"),
        ("configmap://shop/in/put", "'in/put'"),
        ("flux://helmrelease/a/b", "gitrepository"),
        ("flux://gitrepository/a", "''"),
        ("flux://gitrepository/a/b/../../etc", "inside"),
    ],
)
def test_another_url_is_refused_with_what_is_wrong_about_it(url: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_remote(url)
    assert url in caught.value.message
    assert named in caught.value.message


def test_a_source_is_shown_as_it_was_given() -> None:
    for url in ("configmap://shop/input", "flux://bucket/a/b/c/d", "flux://gitrepository/a/b"):
        assert str(parse_remote(url)) == url
