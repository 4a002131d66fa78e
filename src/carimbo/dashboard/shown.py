"""How pages show values: amounts, moments, tax ids, statuses. Every text is in Portuguese."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from carimbo.dashboard.form_view import with_labels
from carimbo.fiscal.identity.tax_ids import shown_tax_id
from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.fiscal.local_time import in_local_time
from carimbo.fiscal.parties.address import shown_zipcode
from carimbo.fiscal.problems import counted
from carimbo.service.document_types import find_document_type, title_of
from carimbo.service.json_values import json_value
from carimbo.service.people.roles import MemberRole
from carimbo.service.receiving.stream_warnings import ACTIVE, BLOCKED, PARKED, REFUSED, STOPPED, WAITING
from carimbo.service.words import (
    DOCUMENT_STATUSES,
    ENVIRONMENTS,
    PERSON_ROLES,
    STREAM_STATUSES,
    WORK_KINDS,
    actor_name,
    emission_type_name,
    enumeration,
    feature_name,
    month_name,
)

NOTHING = "–"
"""The text of a cell without a value."""
_TEN = 10
# A longer wait is shown in minutes.
_MANY_SECONDS = 120
# Digits with the area code: of a landline and of a mobile phone.
_NATIONAL_PHONES = (10, 11)


@dataclass(frozen=True)
class Badge:
    """A short label with a tone, which the style sheet turns into a colour. The text alone says all."""

    text: str
    tone: str


def badges(words: Mapping[str, str], tones: Mapping[str, str]) -> Mapping[str, Badge]:
    """Returns the badges of stored values, by their words and tones."""
    return {value: Badge(words[value], tone) for value, tone in tones.items()}


_STATUSES = badges(
    DOCUMENT_STATUSES,
    {
        Status.PENDING: "quiet",
        Status.PROCESSING: "busy",
        Status.AUTHORIZED: "good",
        Status.REJECTED: "bad",
        Status.CANCELED: "quiet",
    },
)


def status_badge(status: str) -> Badge:
    """Returns the badge of a document's status."""
    return _STATUSES.get(status, Badge(status, "quiet"))


_ENTRIES: Mapping[str, Badge] = {
    HistoryEntry.CREATED: Badge("Pedido recebido", "quiet"),
    HistoryEntry.CHANGED: Badge("Pedido alterado", "quiet"),
    HistoryEntry.QUEUED: Badge("Na fila", "quiet"),
    HistoryEntry.NUMBERED: Badge("Numerado", "quiet"),
    HistoryEntry.SIGNED: Badge("Assinado", "quiet"),
    HistoryEntry.TRANSMITTED: Badge("Transmitido", "quiet"),
    HistoryEntry.CONSULTED: Badge("Consultado na autoridade", "quiet"),
    HistoryEntry.CONTINGENCY: Badge("Passou à contingência", "warn"),
    HistoryEntry.AUTHORIZED: Badge("Autorizado", "good"),
    HistoryEntry.REJECTED: Badge("Rejeitado", "bad"),
    HistoryEntry.SUBSTITUTION: Badge("Substituído", "quiet"),
}


def history_badge(entry: str, type_name: str) -> Badge:
    """Returns the badge of an entry in the history of a document of a type."""
    document_type = find_document_type(type_name)
    titles = {event.name: event.title for event in document_type.events} if document_type else {}
    return _ENTRIES.get(entry) or Badge(titles.get(entry, entry), "quiet")


def environment_name(environment: str) -> str:
    """Returns the name of an environment."""
    return ENVIRONMENTS.get(environment, environment)


def money(amount: Decimal | float | None) -> str:
    """Returns an amount as `R$ 1.234,56`."""
    return NOTHING if amount is None else f"R$ {decimal(amount, 2)}"


def decimal(value: Decimal | float, places: int) -> str:
    """Returns a number with a decimal comma and points between thousands."""
    text = f"{Decimal(str(value)):,.{places}f}"
    return text.translate(str.maketrans(",.", ".,"))


def number(value: Decimal | float | None) -> str:
    """Returns a number with a decimal comma and no more decimal places than it needs."""
    if value is None:
        return NOTHING
    plain = f"{Decimal(str(value)):,f}"
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return plain.translate(str.maketrans(",.", ".,"))


def unit_price(amount: Decimal | None) -> str:
    """Returns the price of a unit, which may have more than two decimal places: `R$ 0,0333`."""
    is_rounded = amount is not None and round(amount, 2) != amount
    return f"R$ {number(amount)}" if is_rounded else money(amount)


def whole(value: int | None) -> str:
    """Returns a whole number with points between thousands."""
    return NOTHING if value is None else f"{value:,}".replace(",", ".")


def about_size(size: int) -> str:
    """Returns about how large a file is: `cerca de 3 MB`."""
    for unit, text in ((1_000_000_000, "GB"), (1_000_000, "MB")):
        if size >= unit:
            return f"cerca de {number(round(size / unit, 1 if size < _TEN * unit else 0))} {text}"
    return f"cerca de {max(1, round(size / 1000))} kB"


def day(value: date | datetime | None, state: str | None = None) -> str:
    """Returns a day as `19/11/2026`; that of a moment is the day in a state."""
    if value is None:
        return NOTHING
    local = in_local_time(value, state) if isinstance(value, datetime) else value
    return f"{local:%d/%m/%Y}"


def moment(value: datetime | None, state: str | None = None) -> str:
    """Returns a moment as `19/11/2026 14:05`, in the time zone of a state or of Brasília."""
    return NOTHING if value is None else f"{in_local_time(value, state):%d/%m/%Y %H:%M}"


def moment_with_seconds(value: datetime | None, state: str | None = None) -> str:
    """Returns a moment as `19/11/2026 14:05:59`."""
    return NOTHING if value is None else f"{in_local_time(value, state):%d/%m/%Y %H:%M:%S}"


def distance(value: datetime | None, now: datetime) -> str:
    """Returns how long ago or how far away a moment is: `há 3 horas`, `em 2 dias`."""
    if value is None:
        return NOTHING
    seconds = (value - now).total_seconds()
    length = _length(abs(seconds))
    return "agora" if not length else f"em {length}" if seconds > 0 else f"há {length}"


def _length(seconds: float) -> str:
    for size, singular, plural in (
        (86400, "dia", "dias"),
        (3600, "hora", "horas"),
        (60, "minuto", "minutos"),
    ):
        if seconds >= size:
            return counted(int(seconds // size), singular, plural)
    return ""


def counted_text(count: int, singular: str, plural: str) -> str:
    """Returns a number with points between thousands, and its noun."""
    return counted(whole(count), singular, plural)


def waiting_time(seconds: int) -> str:
    """Returns how long to wait, as `28 segundos` or `15 minutos`; never less than the seconds."""
    if seconds < _MANY_SECONDS:
        return counted(seconds, "segundo", "segundos")
    return counted(math.ceil(seconds / 60), "minuto", "minutos")


def tax_id(value: str | None) -> str:
    """Returns a CNPJ or CPF with its punctuation."""
    return shown_tax_id(value) if value else NOTHING


def percent(rate: Decimal | float | None) -> str:
    """Returns a rate as `2%`, with no more decimal places than it needs."""
    return NOTHING if rate is None else f"{number(rate)}%"


def phone(digits: str | None) -> str:
    """Returns a Brazilian phone with its area code; any other number as it is."""
    if digits and digits.isdigit() and len(digits) in _NATIONAL_PHONES:
        return f"({digits[:2]}) {digits[2:-4]}-{digits[-4:]}"
    return digits or NOTHING


def zipcode(digits: str | None) -> str:
    """Returns a CEP with its hyphen; a foreign postal code as it is."""
    return shown_zipcode(digits) if digits else NOTHING


def cnae(digits: str | None) -> str:
    """Returns the code of an activity as `4751-2/01`."""
    return re.sub("^([0-9]{4})([0-9])([0-9]{2})$", r"\1-\2/\3", digits) if digits else NOTHING


def indented_json(value: Any) -> str:
    """Returns JSON for people to read."""
    return json.dumps(json_value(value), ensure_ascii=False, indent=2)


def role_name(role: MemberRole) -> str:
    """Returns the name of a role."""
    return PERSON_ROLES[role]


def has_form(type_name: str) -> bool:
    """Returns whether people issue and correct documents of a type in a form."""
    document_type = find_document_type(type_name)
    return document_type is not None and document_type.form is not None


def in_form_words(text: str, type_name: str) -> str:
    """Returns a message with the labels of the form in place of JSON names, for a type that has a form."""
    document_type = find_document_type(type_name)
    form = document_type.form if document_type else None
    return with_labels(text, form.layout) if form else text


_STREAMS = badges(
    STREAM_STATUSES,
    {ACTIVE: "good", STOPPED: "quiet", WAITING: "warn", BLOCKED: "warn", REFUSED: "bad", PARKED: "bad"},
)


def stream_badge(status: str) -> Badge:
    """Returns the badge of a distribution of received documents."""
    return _STREAMS.get(status, Badge(status, "quiet"))


def work_kind(kind: str) -> str:
    """Returns the name of a kind of work."""
    return WORK_KINDS.get(kind, kind)


FILTERS = {
    "about_size": about_size,
    "actor_name": actor_name,
    "cnae": cnae,
    "counted": counted_text,
    "day": day,
    "decimal": decimal,
    "distance": distance,
    "document_title": title_of,
    "emission_type_name": emission_type_name,
    "enumeration": enumeration,
    "environment_name": environment_name,
    "feature_name": feature_name,
    "has_form": has_form,
    "history_badge": history_badge,
    "in_form_words": in_form_words,
    "moment": moment,
    "moment_with_seconds": moment_with_seconds,
    "waiting_time": waiting_time,
    "month_name": month_name,
    "money": money,
    "number": number,
    "percent": percent,
    "phone": phone,
    "role_name": role_name,
    "status_badge": status_badge,
    "stream_badge": stream_badge,
    "tax_id": tax_id,
    "unit_price": unit_price,
    "whole": whole,
    "work_kind": work_kind,
    "zipcode": zipcode,
}
"""The functions by the names under which templates use them."""
