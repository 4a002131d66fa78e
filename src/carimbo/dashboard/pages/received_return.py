"""The draft of the document that returns received goods, whole or in part."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response

from carimbo.dashboard.action_form import ActionForm, action_page, view_of_problems
from carimbo.dashboard.body_form import read_number
from carimbo.dashboard.filings import filing_problems
from carimbo.dashboard.form_view import FormProblem
from carimbo.dashboard.forms import checked_body, text_of
from carimbo.dashboard.notices import Notice, with_notice
from carimbo.dashboard.pages.received_document import (
    ONE_RECEIVED,
    received_address,
    received_name,
    received_reference,
)
from carimbo.dashboard.rendering import redirect
from carimbo.dashboard.routes import acting, company_page, form_of
from carimbo.dashboard.security import LONG_FORM
from carimbo.dashboard.shown import number
from carimbo.dashboard.submissions import FORM_ID
from carimbo.dashboard.visit import CompanyVisit
from carimbo.fiscal.receiving import ReturnDraftRequest
from carimbo.service.errors import ErrorCode, Refusal, invalid_field
from carimbo.service.people.roles import Capability
from carimbo.service.receiving.drafts import draft_return
from carimbo.service.receiving.queries import read_received
from carimbo.service.receiving.record import ReceivedDetailsRecord

_WHOLE, _PART = "tudo", "itens"
_QUANTITY = "quantidade-"
_NOTHING_CHOSEN = "Informe a quantidade que volta de ao menos um item, ou devolva a nota toda."
_NO_RETURN = "Deste documento não se faz devolução aqui."
_QUANTITY_NAME = re.compile(f"{_QUANTITY}([0-9]{{1,3}})")
_ITEM = re.compile(r"items\[([0-9]+)\]\.(?:number|quantity)")


@dataclass(frozen=True)
class ReturnedRow:
    """An item of the received document in the form."""

    number: int
    description: str
    quantity: str
    """The quantity of the document with its unit."""
    text: str
    """The quantity that goes back, as it was typed."""
    problems: Sequence[FormProblem]

    @property
    def name(self) -> str:
        """The name of its input."""
        return f"{_QUANTITY}{self.number}"


async def return_form(visit: CompanyVisit) -> Response:
    """Asks which goods go back."""
    return await _show(visit, {}, _WHOLE)


async def draft(visit: CompanyVisit) -> Response:
    """Makes the draft of a return, and shows it for a review."""
    sent = await visit.form()
    texts, chosen = _quantities(sent), text_of(sent, "parte")
    rows = [row for row, text in texts.items() if text]
    try:
        if chosen == _PART and not rows:
            raise invalid_field("", _NOTHING_CHOSEN)
        items = [{"number": row, "quantity": read_number(texts[row])} for row in rows]
        request = checked_body(ReturnDraftRequest, {"items": items} if chosen == _PART else {})
        accepted = await draft_return(
            visit.services.issuing,
            visit.membership.subscription,
            visit.company,
            received_reference(visit),
            request,
            f"painel-{text_of(sent, FORM_ID)}",
        )
    except Refusal as refusal:
        sent_rows = rows if chosen == _PART else []
        return await _show(visit, texts, chosen, _by_item(filing_problems(refusal), sent_rows))
    address = f"{visit.company_base}/documentos/{accepted.record.id}"
    return redirect(with_notice(address, Notice.CREATED))


def _quantities(sent: FormData) -> dict[int, str]:
    """Returns the typed quantities by the number of their item."""
    matches = filter(None, map(_QUANTITY_NAME.fullmatch, sent))
    return {int(match[1]): text_of(sent, match[0]) for match in matches}


def _by_item(problems: Sequence[FormProblem], rows: Sequence[int]) -> Mapping[int | None, list[FormProblem]]:
    """Returns problems by the number of their item; None for those that belong to no item.

    A draft that breaks a rule has problems of its own fields, which are not in this form.
    """
    placed: dict[int | None, list[FormProblem]] = {}
    for problem in problems:
        match = _ITEM.fullmatch(problem.path)
        row = rows[int(match[1])] if match and int(match[1]) < len(rows) else None
        placed.setdefault(row, []).append(problem)
    return placed


async def _show(
    visit: CompanyVisit,
    texts: Mapping[int, str],
    chosen: str,
    problems: Mapping[int | None, Sequence[FormProblem]] | None = None,
) -> Response:
    which = received_reference(visit)
    record = await read_received(visit.services.database, which)
    if which.receiving.return_draft is None or record.details is None:
        raise Refusal(ErrorCode.INVALID_STATE, _NO_RETURN)
    placed = problems or {}
    general = [
        replace(each, path="", text=each.text if each.path in ("", "items") else f"{each.path}: {each.text}")
        for each in placed.get(None, ())
    ]
    if any(placed) and not general:
        general = [FormProblem("", "Confira as quantidades marcadas.")]
    action = ActionForm(
        title=f"Devolver: {received_name(record)}",
        sentence=(
            "O carimbo faz o rascunho da nota de devolução, com os tributos desta nota, para você rever e"
            " emitir."
        ),
        button="Fazer o rascunho",
        address=f"{received_address(visit)}/devolucao",
        back=received_address(visit),
        back_label=received_name(record),
        view=view_of_problems(general),
    )
    rows = _rows(record, texts, placed)
    return action_page(visit, action, "received/return.html", rows=rows, chosen=chosen)


def _rows(
    record: ReceivedDetailsRecord,
    texts: Mapping[int, str],
    problems: Mapping[int | None, Sequence[FormProblem]],
) -> list[ReturnedRow]:
    items: Sequence[Mapping[str, Any]] = record.details.items if record.details else ()
    return [
        ReturnedRow(
            number=item["number"],
            description=str(item.get("description") or ""),
            quantity=f"{number(item.get('quantity'))} {item.get('unit') or ''}".strip(),
            text=texts.get(item["number"], ""),
            problems=problems.get(item["number"], ()),
        )
        for item in items
    ]


_RETURN = f"{ONE_RECEIVED}/devolucao"
_ISSUE = Capability.ISSUE_DOCUMENTS
ROUTES = (
    form_of(company_page(_RETURN, _ISSUE, return_form)),
    acting(company_page(_RETURN, _ISSUE, draft), LONG_FORM),
)
