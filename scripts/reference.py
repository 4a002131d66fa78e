"""Writes docs/reference from the code, so that the pages can't say anything else than the code does."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from event_reference import event_tables
from metrics_reference import metric_tables
from routes_reference import route_tables
from typer.core import TyperGroup

from carimbo.api.errors import STATUS_OF_KIND
from carimbo.cli import app
from carimbo.fiscal.documents.nfse.hints import hint_of as hint_of_note
from carimbo.fiscal.documents.nfse.request_rules import REQUEST_RULES
from carimbo.fiscal.documents.nfse.rules import NOTE_BOOKS
from carimbo.fiscal.goods.hints import hint_of
from carimbo.fiscal.goods.rules.judging import DOCUMENT_BOOKS, ITEM_BOOKS
from carimbo.fiscal.goods.rules.rule import GoodsRuleBook
from carimbo.fiscal.rules import Rule
from carimbo.service.dismissal import DISMISSED, USUAL_REASON
from carimbo.service.errors import Code
from carimbo.service.issuing.unissuable import NO_NUMBER_LEFT
from carimbo.settings import PREFIX, Settings
from carimbo.simulator.control import ROUTES, Route
from carimbo.simulator.controls import Controls
from carimbo.simulator.switches import SWITCHES, switches_of
from carimbo.simulator.triggers import TRIGGERS, Trigger

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
_NOTE = "<!-- Made by `make reference` from the code: change it there. -->\n"
_TRIGGERS_INTRODUCTION = """\
A text that contains `SIMULA:NOME[:ARGUMENTO][:SEMPRE]` makes the simulated authority misbehave,
in the same way every time. It may be the recipient's name, an item's description, a note, a
correction, or the reason of a cancellation or of voided numbers. A note (`infCpl`) is the safest:
in homologation the rules fix the recipient's name, and in NFC-e the first item's description.
In NFS-e it may be the taker's name, the description of the service (`xDescServ`), the note
(`xInfComp`), or the reason of an event or a substitution; questions (GET and HEAD) have no text,
so a trigger acts on what is posted.

A trigger that acts *once* acts on the first call about the same document or event at the same
service, so that a client that recovers well ends with its document authorised; `:SEMPRE` makes it
act on every call. Of several triggers one acts on each call, in the order of the table. What is
written otherwise than here is ignored. The simulator's journal tells which trigger acted on which
request.

A trigger in one document or event of a lot acts on the whole lot: a rejection refuses all of it,
a lost answer is lost for all. It is spent when it has acted on each of them, in whatever lot.

A rejection is one of the document's own: `SIMULA:REJEICAO:539` of NF-e and NFC-e,
`SIMULA:REJEICAO:E0617` of NFS-e, whose Sefin answers 108 and 109 with HTTP 503.

Rejections of what the authority has already tell what they would if that were true, made up: 204
and 218 protocol and moment, 539 the other key as well, 563 and 573 the protocol.
"""


def settings_page() -> str:
    """Every setting with its default and meaning."""
    lines = [
        "# Settings",
        "",
        _NOTE,
        f"Settings are environment variables. A variable that begins with `{PREFIX}` and is not listed here",
        "is refused at start.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        has_none = field.default is None or "Required" in (field.description or "")
        default = "" if has_none else f"`{field.default}`"
        lines.append(f"| `{PREFIX}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    """Every error code with its HTTP status, message and details."""
    lines = [
        "# Error codes",
        "",
        _NOTE,
        "Codes are stable; messages are for people and may be reworded. `details` is null where the table",
        "names none.",
        "",
        "| HTTP | code | message | details |",
        "|---|---|---|---|",
    ]
    for code in sorted(Code, key=lambda code: (STATUS_OF_KIND[code.kind], code.name)):
        details = ", ".join(f"`{name}`" for name in code.example_details)
        lines.append(f"| {STATUS_OF_KIND[code.kind]} | `{code.name}` | {code.message} | {details} |")
    return "\n".join([*lines, *_rejections()]) + "\n"


def _rejections() -> list[str]:
    """Codes that no answer has as its error."""
    messages = {NO_NUMBER_LEFT.code: NO_NUMBER_LEFT.message, DISMISSED: USUAL_REASON}
    return [
        "",
        "`rejection.code` of a document is the authority's own, that of a rule which refused the document",
        "before it was sent (as in `details.rules`), a code of the table above, or one of these:",
        "",
        "| code | message |",
        "|---|---|",
        *(f"| `{code}` | {message} |" for code, message in sorted(messages.items())),
    ]


def commands_page() -> str:
    """Every command with its help and options."""
    lines = ["# Commands", "", _NOTE]
    for path, command in walk_commands(typer.main.get_command(app)):
        if isinstance(command, TyperGroup) and not command.invoke_without_command:
            continue
        lines += [f"## `{path}`", "", (command.help or "").strip(), ""]
        rows = [_parameter(parameter) for parameter in command.params]
        if rows:
            lines += ["| parameter | meaning |", "|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def walk_commands(command: Any, path: str = "carimbo") -> Iterator[tuple[str, Any]]:
    """Yields a command and all commands within it, each with the words that call it."""
    yield path, command
    if isinstance(command, TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from walk_commands(command.get_command(context, name), f"{path} {name}")


def _parameter(parameter: Any) -> str:
    names = parameter.opts if parameter.param_type_name == "option" else [parameter.name]
    return f"| `{'`, `'.join(names)}` | {parameter.help or ''} |"


def rules_page() -> str:
    """Every rule that runs before a document is sent."""
    goods: list[GoodsRuleBook[Any]] = [*DOCUMENT_BOOKS, *ITEM_BOOKS]
    lines = [
        "# Rules",
        "",
        _NOTE,
        "What NF-e (55) and NFC-e (65) are held against before they are sent, by the authorities' own code.",
        "A rule refuses or only warns ([why](../decisions/0016-rules.md)). *Elsewhere*: no request can break",
        "it, only an XML that somebody else made, which is warned of it.",
        "",
        "| code | models | effect | message | hint | source |",
        "|---|---|---|---|---|---|",
        *_by_code((rule, _goods_cells(rule, book.is_for_elsewhere)) for book in goods for rule in book),
        "",
        "What NFS-e are held against, by Sefin's own code or a name of ours. `…` is a value of the document.",
        "",
        "| code | effect | message | hint | source |",
        "|---|---|---|---|---|",
        *_by_code((rule, _note_cells(rule)) for book in (REQUEST_RULES, *NOTE_BOOKS) for rule in book),
    ]
    return "\n".join(lines) + "\n"


def _by_code(rules: Iterable[tuple[Rule[Any], Sequence[str]]]) -> list[str]:
    rows = sorted(rules, key=lambda row: row[0].code.zfill(4))
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for _, cells in rows]


def _goods_cells(rule: Rule[Any], is_for_elsewhere: bool) -> Sequence[str]:
    effect = "elsewhere" if is_for_elsewhere else rule.severity.value
    return rule.code, " ".join(rule.models), effect, rule.message, hint_of(rule.code) or "", rule.source


def _note_cells(rule: Rule[Any]) -> Sequence[str]:
    message, hint = (
        text.replace("{}", "…") for text in (rule.message, rule.hint or hint_of_note(rule.code) or "")
    )
    return rule.code, rule.severity.value, message, hint, rule.source


def triggers_page() -> str:
    """Every word in a document that makes the simulator misbehave."""
    lines = [
        "# Triggers of the simulator",
        "",
        _NOTE,
        _TRIGGERS_INTRODUCTION,
        "| trigger | argument | effect | judged | acts |",
        "|---|---|---|---|---|",
        *map(_trigger, TRIGGERS),
    ]
    return "\n".join(lines) + "\n"


def _trigger(one: Trigger) -> str:
    judged = "yes" if one.judges else "no"
    acts = "always" if one.repeats else "once"
    return f"| `{one.sample}` | {one.argument} | {one.effect} | {judged} | {acts} |"


def control_page() -> str:
    """Every address of the simulator's control API, and every switch."""
    lines = [
        "# Control API of the simulator",
        "",
        _NOTE,
        "The simulator's second port, `http://localhost:8444` unless told otherwise, shows and changes",
        "everything about it. It answers on this machine alone, to whoever calls it by `localhost`,",
        "`127.0.0.1` or `[::1]`. What it takes and answers is JSON (`Content-Type: application/json`),",
        'besides the page, XML and PEM. What can\'t be done is told in `{"error": "…"}`, with status 400',
        "for a wrong parameter or body, 403 for another name, 404 for an unknown address, 405 for another",
        "method and 415 for another type.",
        "",
        "## Addresses",
        "",
    ]
    lines += [line for route in ROUTES for line in _route(route)]
    lines += _switches()
    return "\n".join(lines) + "\n"


def _route(route: Route) -> list[str]:
    lines = [f"### `{route.method} {route.path}`", "", route.about, ""]
    if route.parameters:
        rows = [f"| `{name}` | {meaning} |" for name, meaning in route.parameters.items()]
        lines += ["| parameter | meaning |", "|---|---|", *rows, ""]
    if route.body:
        lines += [f"Body: {route.body}.", ""]
    if route.answers:
        lines += [f"Answer: a list of objects with {', '.join(f'`{name}`' for name in route.answers)}.", ""]
    return lines


def _switches() -> list[str]:
    untouched = switches_of(Controls())
    rows = [
        f"| `{name}` | `{json.dumps(untouched[name])}` | {switch.about} |"
        for name, switch in SWITCHES.items()
    ]
    return [
        "## Switches",
        "",
        "What `GET /controls` shows and `PATCH /controls` changes. `now` can be written too, a moment with",
        "its offset (`2026-01-31T10:00:00-03:00`): the clock is set to it.",
        "",
        "| switch | untouched | meaning |",
        "|---|---|---|",
        *rows,
    ]


def events_page() -> str:
    """Every event that a webhook may listen to, and what is told of it."""
    lines = [
        "# Events",
        "",
        _NOTE,
        "What a [webhook](../howto/webhooks.md) is sent, and `GET /v1/events` lists. The group is the list",
        "of a webhook's `events` that has the name.",
        "",
        *event_tables(),
    ]
    return "\n".join(lines).rstrip() + "\n"


def routes_page() -> str:
    """Every operation of the API, and what it answers."""
    lines = [
        "# Routes",
        "",
        _NOTE,
        "Every operation of the API, by the subject that the contract files it under. Bodies, parameters and",
        "examples are at `/docs` of a running API, and in its `/openapi.yaml`. What is under `/v1` takes the",
        "headers `X-Api-Key` and `X-Api-Secret`, which give access to all of one subscription and to nothing",
        "else; `/api/v1` is the same as `/v1`. [What the error codes mean](errors.md).",
        "",
        *route_tables(),
    ]
    return "\n".join(lines).rstrip() + "\n"


def metrics_page() -> str:
    """Every metric that API and worker show to Prometheus."""
    lines = [
        "# Metrics",
        "",
        _NOTE,
        "What `CARIMBO_API_METRICS_PORT` and `CARIMBO_WORKER_METRICS_PORT` show to Prometheus",
        "([how to watch an installation](../howto/monitoring.md)), besides the `process_` and `python_`",
        "metrics of the process itself. A histogram has samples `_bucket`, `_sum` and `_count`.",
        "",
        *metric_tables(),
    ]
    return "\n".join(lines) + "\n"


PAGES: Mapping[str, Callable[[], str]] = {
    "routes.md": routes_page,
    "settings.md": settings_page,
    "errors.md": errors_page,
    "commands.md": commands_page,
    "events.md": events_page,
    "metrics.md": metrics_page,
    "rules.md": rules_page,
    "triggers.md": triggers_page,
    "simulator-control.md": control_page,
}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
