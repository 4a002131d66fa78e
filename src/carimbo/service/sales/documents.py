"""Drafts the documents of a sale and reviews them before anything is stored."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.catalog.sale import SaleDocumentBody, SalePart, ServiceNoteFacts, SoldLine
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.payments import NOTHING_PAID_NOW, PaymentBody
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.local_time import local_day
from carimbo.fiscal.money import format_amount, split_amount, total
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import Addressee
from carimbo.fiscal.problems import Incomplete, Problem
from carimbo.service.companies.company_checks import require_complete, require_feature, require_ready
from carimbo.service.companies.company_settings import product_invoice_type_of
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import catalog_sale_of, document_type_for
from carimbo.service.documents.builder import DocumentSource, is_small
from carimbo.service.errors import ErrorCode, Refusal, invalid_body, require_no_problems
from carimbo.service.json_values import read_exact_json, write_json
from carimbo.service.sales.body import EmitWhen, SaleLineBody, ServiceNoteBody
from carimbo.service.sales.catalog import INVALID_FIELD, refuse_invalid_fields
from carimbo.service.sales.division import divide_lines
from carimbo.service.sales.plan import SalePlan
from carimbo.storage.subscriptions import Subscription

_PATH_IN_LINE = re.compile(r"products\[[0-9]*\]\.(?P<path>(?P<field>[a-z][A-Za-z]*)(?:[.\[][A-Za-z0-9\]]+)*)")
_Lines = list[tuple[DocumentType, tuple[SoldLine, ...]]]
_OF_LINES = frozenset(map(to_camel, SaleLineBody.model_fields))
IF_IN_CATALOG = " (se o item já está no catálogo, nele, com PUT …/products/{id})"
"""Follows the name of a field that a line of a sale has only for a new item."""
# A line has these fields only for a new item.
_OF_NEW_ITEMS = frozenset({"ncm", "serviceItemCode"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A reviewed document of a sale."""

    document_type: DocumentType
    environment: Environment
    text: str
    """The JSON of its request."""
    review: Review
    recipient: Addressee | None


@dataclass(frozen=True, slots=True)
class _DocumentRequest:
    """The request of a document that a part of a sale becomes."""

    document_type: DocumentType
    body: SaleDocumentBody
    text: str
    request: Body


async def draft_documents(
    context: IssuingContext, subscription: Subscription, snapshot: CompanySnapshot, plan: SalePlan
) -> list[Draft]:
    """Reviews the documents of a sale; refuses with the problems of all of them."""
    requested = plan.body.product_invoice_type or product_invoice_type_of(snapshot.row)
    divided = divide_lines(plan.resolved.lines, plan.body.discount, plan.body.shipping)
    # One document for the services, one for the products.
    lines = [(document_type_for(item_type, requested), own) for item_type, own in divided.items()]
    for document_type, _ in lines:
        _require_able(context, subscription, snapshot, document_type, plan)

    nets = [total(line.total - line.discount + line.shipping for line in own) for _, own in lines]
    requests, reviews = await _trial(context, snapshot, plan, lines, nets)
    if plan.body.payments and all(review.preview for review in reviews):
        amounts = [review.amount for review in reviews]
        _require_paid(plan.body.payments, total(amounts))
        if len(lines) > 1 and amounts != nets:
            # Amounts that a document adds to the prices, such as IPI, are known only after the first review.
            requests, reviews = await _trial(context, snapshot, plan, lines, amounts)
    reviewed = list(zip(requests, reviews, strict=True))
    require_no_problems(
        problem for request, review in reviewed for problem in _problems_in_sale(request, review)
    )
    return [
        Draft(
            request.document_type,
            snapshot.environment_of(request.document_type),
            request.text,
            review,
            request.document_type.issuing.addressee(request.request),
        )
        for request, review in reviewed
    ]


async def _trial(
    context: IssuingContext,
    snapshot: CompanySnapshot,
    plan: SalePlan,
    lines: _Lines,
    amounts: Sequence[Decimal],
) -> tuple[list[_DocumentRequest], list[Review]]:
    """Returns the requests of all documents and their reviews; payments are divided by the amounts."""
    parts = []
    for (document_type, own), amount in zip(lines, amounts, strict=True):
        payments = _payments(plan, amount, is_whole=len(lines) == 1)
        parts.append((document_type, _part(plan, own, snapshot.company, payments)))

    requests = _document_requests(parts, snapshot)
    reviews = []
    for request in requests:
        environment = snapshot.environment_of(request.document_type)
        source = DocumentSource(request.document_type, request.request, snapshot, environment)
        in_place = is_small(request.text)
        reviews.append(await context.builder.review(source, at=plan.due_at, in_place=in_place))
    return requests, reviews


def _require_paid(payments: Sequence[PaymentBody], amount: Decimal) -> None:
    """Refuses payments that do not add up to the amount of all documents, unless some is paid later."""
    paid = total(payment.amount for payment in payments)
    if paid != amount and not any(payment.method in NOTHING_PAID_NOW for payment in payments):
        message = (
            f"Somam R$ {format_amount(paid)}, e os documentos da venda somam R$ {format_amount(amount)}."
        )
        refuse_invalid_fields([Problem(INVALID_FIELD, "payments", message)])


def _part(
    plan: SalePlan, lines: tuple[SoldLine, ...], seller: Company, payments: tuple[dict[str, Any], ...]
) -> SalePart:
    return SalePart(
        seller=seller,
        customer=plan.resolved.buyer.facts if plan.resolved.buyer else None,
        lines=lines,
        payment_method=plan.body.paid_by,
        external_id=plan.body.external_id,
        note=_note(plan.body.nfse, seller) if plan.body.nfse else ServiceNoteFacts(),
        payments=payments,
        notes=plan.body.notes,
        day=plan.issued_on,
    )


def _payments(plan: SalePlan, amount: Decimal, *, is_whole: bool) -> tuple[dict[str, Any], ...]:
    """Returns the payments of a document; if the sale has several documents, its proportional share."""
    payments = plan.body.payments
    amounts = tuple(payment.amount for payment in payments)
    parts = amounts if is_whole or not any(amounts) else split_amount(amount, amounts)
    return tuple(
        payment.model_dump(mode="json", by_alias=True, exclude_none=True) | {"amount": part}
        for payment, part in zip(payments, parts, strict=True)
    )


def _note(body: ServiceNoteBody, seller: Company) -> ServiceNoteFacts:
    competence = body.competence_date
    return ServiceNoteFacts(
        discrimination=body.discrimination,
        competence_date=local_day(competence, seller.address.state) if competence else None,
        service_location=body.service_location,
        city_ibge=body.city_ibge,
        property=body.property,
    )


def _require_able(
    context: IssuingContext,
    subscription: Subscription,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    plan: SalePlan,
) -> None:
    """Refuses a type that the company can't issue; a draft needs no certificate yet."""
    require_feature(subscription, document_type)
    environment = snapshot.environment_of(document_type)
    if plan.body.emit_when is EmitWhen.IMMEDIATELY:
        require_ready(snapshot, document_type, environment, context.builder.clock())
    else:
        require_complete(snapshot, document_type, environment)


def _document_requests(
    parts: Sequence[tuple[DocumentType, SalePart]], snapshot: CompanySnapshot
) -> list[_DocumentRequest]:
    """Returns the requests of all documents; refuses with the fields of the sale that make them invalid."""
    problems: list[Problem] = []
    fields: list[dict[str, Any]] = []
    requests = []
    for document_type, part in parts:
        try:
            body = catalog_sale_of(document_type).body(part, snapshot.settings_of(document_type))
        except Incomplete as incomplete:
            problems += _with_document_type(document_type, incomplete.problems)
            continue

        external_id = {"externalId": part.external_id} if part.external_id else {}
        text = write_json({**body.json, **external_id})
        try:
            request = document_type.issuing.request.model_validate(read_exact_json(text))
            requests.append(_DocumentRequest(document_type, body, text, request))
        except ValidationError as invalid:
            fields += _fields_in_sale(document_type, body, invalid)
    if fields:
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)
    require_no_problems(problems)
    return requests


def _fields_in_sale(
    document_type: DocumentType, body: SaleDocumentBody, invalid: ValidationError
) -> list[dict[str, Any]]:
    errors: list[dict[str, Any]] = (invalid_body(invalid).details or {})["fields"]
    return [
        {
            "field": body.path_in_sale(error["field"]),
            "error": body.text_in_sale(error["error"]),
            "documentType": document_type.name,
        }
        for error in errors
    ]


def _problems_in_sale(request: _DocumentRequest, review: Review) -> Iterator[Problem]:
    """Yields the problems of a document with paths and texts of the sale's body."""
    body = request.body
    translated = (
        replace(
            problem,
            path=body.path_in_sale(problem.path),
            message=body.text_in_sale(problem.message),
            hint=problem.hint and _hint_in_sale(body.text_in_sale(problem.hint)),
        )
        for problem in review.problems
    )
    return _with_document_type(request.document_type, translated)


def _hint_in_sale(hint: str) -> str:
    """Returns a hint that names the place where a field can be set: the sale's line, or the catalog."""

    def place_of(match: re.Match[str]) -> str:
        if match["field"] not in _OF_LINES:
            return f"{match['path']} do item no catálogo"
        if match["field"] in _OF_NEW_ITEMS:
            return match[0] + IF_IN_CATALOG
        return match[0]

    return _PATH_IN_LINE.sub(place_of, hint)


def _with_document_type(document_type: DocumentType, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Yields problems with the name of their document type."""
    for problem in problems:
        yield replace(problem, facts=(*problem.facts, ("documentType", document_type.name)))
