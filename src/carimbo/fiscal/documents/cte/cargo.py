"""Cargo, documents and previous documents of a CT-e as groups of the layout."""

from typing import Any

from carimbo.fiscal.documents.cte.cargo_body import (
    USUAL_MEASURE,
    CargoBody,
    CargoDocumentsBody,
    PreviousDocumentsBody,
    UnitsBody,
)
from carimbo.fiscal.layouts.cte_v4 import cargo as layout
from carimbo.fiscal.layouts.cte_v4.service import (
    PreviousDocuments,
    PreviousIssuer,
    PreviousPaper,
    PreviousTransport,
    PreviousWaybill,
)
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.parties.recipient import shortened_name, split_tax_id
from carimbo.fiscal.problems import MISSING_FIELD, SCHEMA_PROBLEM, Findings, Incomplete, Problem
from carimbo.fiscal.transport.units import cargo_unit, transport_unit

_SOURCE = "MOC CT-e 4.00, grupo infCTeNorm"


def cargo_group(body: CargoBody) -> layout.Cargo:
    """Returns the cargo; raises `Incomplete` without product or quantities."""
    missing = [
        Problem(MISSING_FIELD, f"cargo.{name}", "Campo obrigatório.")
        for name, value in (
            ("predominantProduct", body.predominant_product),
            ("quantities", body.quantities),
        )
        if not value
    ]
    if missing:
        raise Incomplete(*missing)
    return layout.Cargo(
        amount=body.amount,
        predominant_product=body.predominant_product or "",
        other_characteristics=body.other_characteristics,
        quantities=tuple(
            layout.CargoQuantity(
                unit=quantity.unit.code,
                measure_type=quantity.measure_type or USUAL_MEASURE[quantity.unit],
                quantity=quantity.quantity,
            )
            for quantity in body.quantities
        ),
        insured_amount=body.insured_amount,
    )


def documents_group(body: CargoDocumentsBody | None, findings: Findings) -> layout.CargoDocuments | None:
    """Returns the documents of the cargo; None if there are none."""
    if body is None:
        return None
    lists = {"nfes": body.nfes, "others": body.others, "dces": body.dces, "papers": body.papers}
    given = [name for name, documents in lists.items() if documents]
    if not given:
        return None
    if len(given) > 1:
        message = f"Informe uma só lista de documentos, não {' e '.join(given)}: o CT-e leva um tipo só."
        raise Incomplete(Problem(SCHEMA_PROBLEM, "documents", message, source=_SOURCE))
    return layout.CargoDocuments(
        papers=tuple(
            layout.CarriedPaperInvoice(
                **{name: value for name, value in dict(paper).items() if name not in _UNIT_FIELDS},
                **_units(paper, f"documents.papers[{position}]", findings),
            )
            for position, paper in enumerate(body.papers)
        ),
        nfes=tuple(
            layout.CarriedInvoice(
                access_key=nfe.access_key,
                suframa_pin=nfe.suframa_pin,
                expected_delivery_date=nfe.expected_delivery_date,
                **_units(nfe, f"documents.nfes[{position}]", findings),
            )
            for position, nfe in enumerate(body.nfes)
        ),
        others=tuple(
            layout.OtherCargoDocument(
                type=other.type.code,
                description=other.description,
                number=other.number,
                issue_date=other.issue_date,
                amount=other.amount,
                expected_delivery_date=other.expected_delivery_date,
                **_units(other, f"documents.others[{position}]", findings),
            )
            for position, other in enumerate(body.others)
        ),
        dces=tuple(layout.ContentDeclaration(access_key=dce.access_key) for dce in body.dces),
    )


_UNIT_FIELDS = ("transport_units", "cargo_units")


def _units(body: UnitsBody, path: str, findings: Findings) -> dict[str, Any]:
    """Returns the units of a document: of transport, or of cargo."""
    if not body.transport_units and not body.cargo_units:
        return {}
    if body.transport_units and body.cargo_units:
        message = "Não se usa com transportUnits: as unidades de carga vão dentro das de transporte."
        findings.add_problem(Problem(SCHEMA_PROBLEM, f"{path}.cargoUnits", message, source=_SOURCE))
    return {
        "transport_units": tuple(map(transport_unit, body.transport_units)),
        "cargo_units": tuple(map(cargo_unit, body.cargo_units)),
    }


def previous_group(bodies: tuple[PreviousDocumentsBody, ...]) -> PreviousTransport | None:
    """Returns the documents of earlier carriers; None if there are none."""
    if not bodies:
        return None
    missing = [
        Problem(
            SCHEMA_PROBLEM,
            f"previousDocuments[{position}]",
            "Informe accessKeys ou papers: um emitente anterior tem ao menos um documento.",
            source=_SOURCE,
        )
        for position, body in enumerate(bodies)
        if not body.access_keys and not body.papers
    ]
    if missing:
        raise Incomplete(*missing)
    return PreviousTransport(issuers=tuple(map(_previous_issuer, bodies)))


def _previous_issuer(body: PreviousDocumentsBody) -> PreviousIssuer:
    issuer, (cnpj, cpf) = body.issuer, split_tax_id(body.issuer.tax_id)
    papers = tuple(PreviousPaper(**{**given_values(paper), "type": paper.type.code}) for paper in body.papers)
    keys = tuple(PreviousWaybill(access_key=key) for key in body.access_keys)
    # The layout takes registration and state only together.
    has_registration = issuer.state_registration and issuer.state
    return PreviousIssuer(
        cnpj=cnpj,
        cpf=cpf,
        state_registration=issuer.state_registration if has_registration else None,
        state=issuer.state if has_registration else None,
        name=shortened_name(issuer.name),
        documents=(
            *((PreviousDocuments(papers=papers),) if papers else ()),
            *((PreviousDocuments(access_keys=keys),) if keys else ()),
        ),
    )
