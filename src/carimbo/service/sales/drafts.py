"""The documents that a sale needs, made and reviewed before anything of it is stored."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.catalog_sale import SaleBody, SalePart, ServiceNote, SoldLine
from carimbo.fiscal.company import Company
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.goods.payments import NOTHING_PAID_NOW, PaymentBody
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.money import shares, total, written
from carimbo.fiscal.problems import Problem
from carimbo.service.company_settings import product_invoice_type_of
from carimbo.service.contexts import IssuingContext
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal, invalid_body
from carimbo.service.exact_json import read, write
from carimbo.service.problems import require_no_problems
from carimbo.service.readiness import require_complete, require_feature, require_ready
from carimbo.service.sales.body import EmitWhen, SaleLineBody, ServiceNoteBody
from carimbo.service.sales.catalog import WRONG, refuse_wrong_fields
from carimbo.service.sales.division import divided
from carimbo.service.sales.document_types import catalog_sale_of, document_type_for
from carimbo.service.sales.plan import Plan
from carimbo.service.workshop import DocumentSource, is_small
from carimbo.storage.subscriptions import Subscription

_PATH_IN_LINE = re.compile(r"products\[[0-9]*\]\.(?P<path>(?P<field>[a-z][A-Za-z]*)(?:[.\[][A-Za-z0-9\]]+)*)")
_Lines = list[tuple[DocumentType, tuple[SoldLine, ...]]]
_OF_LINES = frozenset(map(to_camel, SaleLineBody.model_fields))
# A line has them only for an item that it puts into the catalog.
_OF_NEW_ITEMS = frozenset({"ncm", "serviceItemCode"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A document of a sale, reviewed."""

    kind: DocumentType
    environment: Environment
    text: str
    """The JSON of its request."""
    review: Review
    recipient: Addressee | None


@dataclass(frozen=True, slots=True)
class _Form:
    """The request of a document, made of a part of a sale."""

    kind: DocumentType
    body: SaleBody
    text: str
    request: Body


async def draft_documents(
    counter: IssuingContext, subscription: Subscription, dossier: Dossier, plan: Plan
) -> list[Draft]:
    """Make the documents of a sale for trial; refuse with everything that is wrong with any of them."""
    lines = _lines(plan, dossier)
    for kind, _ in lines:
        _require_able(counter, subscription, dossier, kind, plan)
    nets = [total(line.total - line.discount + line.shipping for line in own) for _, own in lines]
    forms, reviews = await _trial(counter, dossier, plan, lines, nets)
    if plan.body.payments and all(review.preview for review in reviews):
        amounts = [review.amount for review in reviews]
        _require_paid(plan.body.payments, total(amounts))
        if len(lines) > 1 and amounts != nets:
            # What a document adds to the prices, such as IPI, is known only now.
            forms, reviews = await _trial(counter, dossier, plan, lines, amounts)
    require_no_problems(
        problem for form, review in zip(forms, reviews, strict=True) for problem in _in_sale(form, review)
    )
    return [
        Draft(
            form.kind,
            dossier.environment_of(form.kind),
            form.text,
            review,
            form.kind.issuing.addressee(form.request),
        )
        for form, review in zip(forms, reviews, strict=True)
    ]


async def _trial(
    counter: IssuingContext, dossier: Dossier, plan: Plan, lines: _Lines, amounts: Sequence[Decimal]
) -> tuple[list[_Form], list[Review]]:
    """Makes and reviews the requests of all documents, each paid with its own amount."""
    parts = [
        (kind, _part(plan, own, dossier.company, _payments(plan, amount, is_whole=len(lines) == 1)))
        for (kind, own), amount in zip(lines, amounts, strict=True)
    ]
    forms = _forms(parts, dossier)
    return forms, [await _reviewed(counter, dossier, form, plan.due_at) for form in forms]


def _require_paid(payments: Sequence[PaymentBody], amount: Decimal) -> None:
    """Refuses payments that are not the amount of all documents, unless some of it is paid later."""
    paid = total(payment.amount for payment in payments)
    if paid != amount and not any(payment.method in NOTHING_PAID_NOW for payment in payments):
        message = f"Somam R$ {written(paid)}, e os documentos da venda somam R$ {written(amount)}."
        refuse_wrong_fields([Problem(WRONG, "payments", message)])


def _lines(plan: Plan, dossier: Dossier) -> _Lines:
    """The lines of each document: one for the services, one for the products."""
    body = plan.body
    lines = divided(plan.found.lines, body.discount, body.shipping)
    asked = body.product_invoice_type or product_invoice_type_of(dossier.row)
    return [(document_type_for(item, asked), own) for item, own in lines.items()]


def _part(
    plan: Plan, lines: tuple[SoldLine, ...], seller: Company, payments: tuple[dict[str, Any], ...]
) -> SalePart:
    return SalePart(
        seller=seller,
        customer=plan.found.buyer.facts if plan.found.buyer else None,
        lines=lines,
        payment_method=plan.body.paid_by,
        external_id=plan.body.external_id,
        note=_note(plan.body.nfse, seller) if plan.body.nfse else ServiceNote(),
        payments=payments,
        notes=plan.body.notes,
        day=plan.issued_on,
    )


def _payments(plan: Plan, amount: Decimal, *, is_whole: bool) -> tuple[dict[str, Any], ...]:
    """Returns the payments of a document: its amount by all means in proportion, if the sale has others."""
    given = plan.body.payments
    amounts = tuple(payment.amount for payment in given)
    parts = amounts if is_whole or not any(amounts) else shares(amount, amounts)
    return tuple(
        payment.model_dump(mode="json", by_alias=True, exclude_none=True) | {"amount": part}
        for payment, part in zip(given, parts, strict=True)
    )


def _note(told: ServiceNoteBody, seller: Company) -> ServiceNote:
    competence = told.competence_date
    return ServiceNote(
        discrimination=told.discrimination,
        competence_date=local_day(competence, seller.address.state) if competence else None,
        service_location=told.service_location,
        city_ibge=told.city_ibge,
        property=told.property,
    )


def _require_able(
    counter: IssuingContext, subscription: Subscription, dossier: Dossier, kind: DocumentType, plan: Plan
) -> None:
    """Refuse what the company can't issue; a draft needs no certificate yet."""
    require_feature(subscription, kind)
    environment = dossier.environment_of(kind)
    if plan.body.emit_when is EmitWhen.IMMEDIATELY:
        require_ready(dossier, kind, environment, counter.workshop.clock())
    else:
        require_complete(dossier, kind, environment)


def _forms(parts: Sequence[tuple[DocumentType, SalePart]], dossier: Dossier) -> list[_Form]:
    """The requests of all documents, or a refusal by the fields of the sale that make them wrong."""
    problems: list[Problem] = []
    fields: list[dict[str, Any]] = []
    forms = []
    for kind, part in parts:
        try:
            body = catalog_sale_of(kind).body(part, dossier.settings_of(kind))
            forms.append(_form(kind, body, part.external_id))
        except Incomplete as incomplete:
            problems += _named(kind, incomplete.problems)
        except _Misshapen as misshapen:
            fields += misshapen.fields
    if fields:
        raise Refusal(Code.VALIDATION_ERROR, fields=fields)
    require_no_problems(problems)
    return forms


class _Misshapen(Exception):
    """The request that a sale makes lacks something that every such document has."""

    def __init__(self, fields: list[dict[str, Any]]) -> None:
        super().__init__()
        self.fields = fields


def _form(kind: DocumentType, body: SaleBody, external_id: str | None) -> _Form:
    named = {"externalId": external_id} if external_id else {}
    text = write({**body.json, **named})
    try:
        return _Form(kind, body, text, kind.issuing.request.model_validate(read(text)))
    except ValidationError as invalid:
        raise _Misshapen(_fields_in_sale(kind, body, invalid)) from None


def _fields_in_sale(kind: DocumentType, body: SaleBody, invalid: ValidationError) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = (invalid_body(invalid).details or {})["fields"]
    return [
        {
            "field": body.path_in_sale(one["field"]),
            "error": body.text_in_sale(one["error"]),
            "documentType": kind.name,
        }
        for one in told
    ]


async def _reviewed(counter: IssuingContext, dossier: Dossier, form: _Form, at: datetime | None) -> Review:
    source = DocumentSource(form.kind, form.request, dossier, dossier.environment_of(form.kind))
    return await counter.workshop.review(source, at=at, in_place=is_small(form.text))


def _in_sale(form: _Form, review: Review) -> Iterator[Problem]:
    """The problems of a document, where the sale's own body has them."""
    return _named(form.kind, (_translated(form.body, one) for one in review.problems))


def _translated(body: SaleBody, problem: Problem) -> Problem:
    return replace(
        problem,
        path=body.path_in_sale(problem.path),
        message=body.text_in_sale(problem.message),
        hint=problem.hint and _advice(body.text_in_sale(problem.hint)),
    )


def _advice(hint: str) -> str:
    """Returns a hint that asks for fields where they can be given: in the sale's line, or in the catalog."""

    def place_of(found: re.Match[str]) -> str:
        if found["field"] not in _OF_LINES:
            return f"{found['path']} do item no catálogo"
        if found["field"] in _OF_NEW_ITEMS:
            return f"{found[0]} (se o item já está no catálogo, nele, com PUT …/products/{{id}})"
        return found[0]

    return _PATH_IN_LINE.sub(place_of, hint)


def _named(kind: DocumentType, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Problems with the name of the document that has them."""
    for one in problems:
        yield replace(one, facts=(*one.facts, ("documentType", kind.name)))
