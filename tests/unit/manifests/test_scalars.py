"""Plain scalars: as Go reads them where that is clear, refused where readers of YAML differ."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.scalars import Ambiguous, is_string, read_plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("=", "="),
        ("<<", "<<"),
        ("1.2.3", "1.2.3"),
        ("v1", "v1"),
        ("-", "-"),
        (".", "."),
        ("+", "+"),
        ("0x", "0x"),
        ("0b2", "0b2"),
        ("1e", "1e"),
        ("e3", "e3"),
        ("_1", "_1"),
        ("10m", "10m"),
        ("100Mi", "100Mi"),
        ("yEs", "yEs"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("0", 0),
        ("-0", 0),
        ("+5", 5),
        ("-17", -17),
        ("1_000", 1000),
        ("-_1_", -1),
        ("1_0.5_0", 10.5),
        ("0x1F", 31),
        ("-0x1f", -31),
        ("0b101", 5),
        ("18446744073709551615", 2**64 - 1),
        ("-9223372036854775808", -(2**63)),
        ("1.5", 1.5),
        (".5", 0.5),
        ("-0.25", -0.25),
        ("yes", True),
        ("On", True),
        ("off", False),
        ("NO", False),
        ("True", True),
        ("", None),
        ("~", None),
        ("Null", None),
    ],
)
def test_reads_like_go(text: str, value: Any) -> None:
    found = read_plain(text)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(("text", "value"), [("1.0", 1), ("1.", 1), ("-0.0", 0), ("100.00", 100)])
def test_a_whole_number_with_a_point_is_an_integer_as_go_writes_it(text: str, value: int) -> None:
    found = read_plain(text)
    assert (type(found), found) == (int, value)


@pytest.mark.parametrize("text", ["y", "Y", "n", "N"])
def test_y_and_n_are_refused(text: str) -> None:
    with pytest.raises(Ambiguous, match="quote it"):
        read_plain(text)


@pytest.mark.parametrize("text", ["0644", "00", "0800", "-010", "0o777", "0O7", "0X1F", "0B1", "01.5", "0_7"])
def test_leading_zeros_are_refused_without_showing_the_number(text: str) -> None:
    with pytest.raises(Ambiguous, match="leading zero") as caught:
        read_plain(text)
    assert text not in str(caught.value).replace("(0644 is 420)", "")


@pytest.mark.parametrize("text", ["1e3", "1E3", "1.5e+3", "-1e-3", ".5e1", "012e5"])
def test_exponents_are_refused(text: str) -> None:
    with pytest.raises(Ambiguous, match="exponent"):
        read_plain(text)


@pytest.mark.parametrize("text", ["._5", ".5_", ".2_0", ".3_0e0"])
def test_underscores_behind_a_leading_point_are_refused(text: str) -> None:
    with pytest.raises(Ambiguous, match="underscores"):
        read_plain(text)


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN"])
def test_what_is_not_finite_is_refused(text: str) -> None:
    with pytest.raises(Ambiguous, match="no JSON"):
        read_plain(text)


@pytest.mark.parametrize("text", ["18446744073709551616", "-9223372036854775809", "1" * 5000, "0x1" + "0" * 16])
def test_integers_beyond_64_bits_are_refused(text: str) -> None:
    with pytest.raises(Ambiguous, match="64 bits"):
        read_plain(text)


def test_decimals_too_large_for_a_double_are_refused() -> None:
    with pytest.raises(Ambiguous, match="too large"):
        read_plain("1" * 500 + ".0")


@pytest.mark.parametrize("text", ["y", "<<", "~", "", "1", ".5", "-1", "on", "False", "null"])
def test_the_quick_look_never_takes_anything_else_for_a_string(text: str) -> None:
    assert not is_string(text)


@pytest.mark.parametrize("text", ["apps/v1", "Deployment", "controller", "=", "*", "x"])
def test_the_quick_look_knows_ordinary_strings(text: str) -> None:
    assert is_string(text)
    assert read_plain(text) == text
