"""The result of a run, as JSON for programs and as text for people."""

from __future__ import annotations

import json
from typing import Any

from hook.report.journal import COUNTS, LISTS, Journal

RESULTS = {
    0: "done",
    1: "failed",
    2: "invalid input",
    3: "refused",
    4: "workload failed",
    5: "rights missing",
    6: "pruning incomplete",
    124: "not ready in time",
    143: "terminated",
}

_TITLES = {
    "leftOut": "left out of the input",
    "handedOver": "handed over to another component",
    "carried": "carried along for the old pods",
    "foreign": "not ours any more, kept",
    "incomplete": "still to be pruned",
}


def as_object(journal: Journal) -> dict[str, Any]:
    """The documented JSON of a run (README, "Result")."""
    return {
        "component": journal.component,
        "generation": journal.generation,
        "version": journal.version,
        "result": journal.result,
        "exitCode": journal.exit_code,
        "message": journal.message,
        "seconds": dict(journal.seconds),
        "counts": {name: journal.counts.get(name, 0) for name in COUNTS},
        **{name: [{"object": subject, "why": why} for subject, why in journal.listed(name)] for name in LISTS},
        "waitingFor": list(journal.waiting_for),
        "requests": dict(journal.requests),
    }


def as_json(journal: Journal) -> str:
    return json.dumps(as_object(journal), indent=2, ensure_ascii=False)


def as_text(journal: Journal) -> str:
    """One line with the outcome, then what a person should know, a line each."""
    counts = ", ".join(f"{journal.counts.get(name, 0)} {name}" for name in COUNTS)
    seconds = sum(journal.seconds.values())
    version = f" {journal.version}" if journal.version else ""
    generation = f" (generation {journal.generation})" if journal.generation else ""
    lines = [f"{journal.component or 'handoff'}{version}{generation}: {journal.result} in {seconds:.1f} s; {counts}"]
    for name in LISTS:
        subjects = journal.listed(name)
        if subjects:
            lines.append(f"{_TITLES.get(name, name)}:")
            lines += [f"  {subject}{': ' + why if why else ''}" for subject, why in subjects]
    if journal.waiting_for:
        lines.append("waiting for:")
        lines += [f"  {item['object']}: {item['state']}, {item['reason']}" for item in journal.waiting_for]
    if journal.message:
        lines.append(journal.message)
    return "\n".join(lines)
