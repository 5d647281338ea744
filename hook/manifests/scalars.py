"""Plain (unquoted) YAML scalars, read as Go's YAML reader does where that is clear, else refused.

Source of the rules: resolve.go of go-yaml v2, which kubectl uses through sigs.k8s.io/yaml. Refused is what it
reads in a way that people do not mean, or that other YAML readers do not share: `y` and `n` (it says true and
false), numbers with leading zeros (octal, or not), exponents, `.inf` and `.nan`. Times, dates and `12:30:45`
are strings, as they come out of kubectl.
"""

from __future__ import annotations

import re

from hook.manifests.numbers import NotExact, read_decimal, read_integer

Scalar = str | int | float | bool | None


class Ambiguous(ValueError):
    """A scalar that readers of YAML disagree about. Its text tells what to do and never quotes a number."""


_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
}
_YES_OR_NO = frozenset("yYnN")
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("+-.0123456789")
_WORD_STARTS = frozenset("~<tTfFyYnNoO")  # `<`: merge keys, told apart by who reads the key

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"[-+]?0(?:x[0-9a-fA-F]+|b[01]+)")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)\.[0-9]*)")
_LEADING_ZERO = re.compile(r"[-+]?0(?:[0-9]+(?:\.[0-9]*)?|o[0-7]+|O[0-7]+|X[0-9a-fA-F]+|B[01]+)")
_POINT_AND_UNDERSCORE = re.compile(r"\.[0-9_]*_[0-9_]*(?:[eE][-+]?[0-9_]+)?")
_EXPONENT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+")


def is_string(text: str) -> bool:
    """Whether a plain scalar is certainly a string, judged by its first character alone (the usual, quick case)."""
    return text != "" and text[0] not in _NUMBER_STARTS and text[0] not in _WORD_STARTS


def read_plain(text: str) -> Scalar:
    """The value of a plain scalar; raises Ambiguous."""
    if text in _WORDS:
        return _WORDS[text]
    if text in _YES_OR_NO:
        raise Ambiguous(f"{text} is true or false to some readers and text to others; write true or false, or quote it")
    if _NO_NUMBER.fullmatch(text):
        raise Ambiguous("infinity and not-a-number are no JSON; quote it if it is text")
    if text[0] not in _NUMBER_STARTS:
        return text
    if _POINT_AND_UNDERSCORE.fullmatch(text):
        raise Ambiguous("a number with a leading point and underscores; write it out, or quote it if it is text")
    return _number(text, text.replace("_", ""))


def _number(text: str, digits: str) -> Scalar:
    try:
        if _INTEGER.fullmatch(digits):
            return read_integer(digits)
        if _BASED.fullmatch(digits):
            return read_integer(digits, 0)
        if _DECIMAL.fullmatch(digits):
            return read_decimal(digits)
    except NotExact as error:
        raise Ambiguous(str(error)) from None
    if _LEADING_ZERO.fullmatch(digits):
        raise Ambiguous(
            "a number with a leading zero is octal to some readers and decimal to others; "
            "write it in decimal (0644 is 420), or quote it if it is text"
        )
    if _EXPONENT.fullmatch(digits):
        raise Ambiguous("a number with an exponent is text to some readers; write it out, or quote it if it is text")
    return text
