"""NFS-e and registered events as the authority would return them, for printing."""

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from carimbo.fiscal.identity.access_key import check_digit
from carimbo.fiscal.layouts.dps_v1.issued_note import (
    CbsRate,
    CbsTotal,
    CityRate,
    CityTotal,
    ComputedAmounts,
    ComputedReform,
    Declaration,
    IbsTotal,
    IssuedNote,
    IssuerAddress,
    NoteIssuer,
    ReformBase,
    ReformTotals,
    StateRate,
    StateTotal,
)
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, VERSION, ServiceNote, read_note
from carimbo.fiscal.layouts.layout import to_xml

_PROCESSED = datetime(2026, 11, 14, 10, 0, 2, tzinfo=timezone(timedelta(hours=-3)))
_OUTSIDE_OF_SIMPLES, _TAXED = "1", "1"
_ROOT = f'<NFSe xmlns="{NAMESPACE}" versao="{VERSION}">'
_SIGNATURE = re.compile(r"<Signature.*?</Signature>", re.DOTALL)


def issued(declaration: bytes, **changes: Any) -> bytes:
    """Returns the NFS-e of a declaration, optionally with changed values."""
    return file_of(replace(issued_note(read_note(declaration)), **changes))


def issued_note(note: ServiceNote) -> IssuedNote:
    """Returns the note of a declaration; only taxpayers outside of the Simples get ISS."""
    provider = note.provider
    owner = f"2{provider.cnpj}" if provider.cnpj else f"1{provider.cpf:0>14}"
    first = f"{note.city_code}2{owner}{123:013d}{note.issued_at:%y%m}123456789"
    is_taxed = note.amounts.taxes.iss.taxation == _TAXED
    return IssuedNote(
        id=f"NFS{first}{check_digit(first)}",
        issue_city="São Paulo",
        service_place="São Paulo",
        number=123,
        incidence_city_code="3550308" if is_taxed else None,
        incidence_city="São Paulo" if is_taxed else None,
        national_service="Análise e desenvolvimento de sistemas.",
        application_version="SefinNacional_1.6.0",
        generator="2",
        emission_type="1",
        status="100",
        processed_at=_PROCESSED,
        document_number=456789,
        issuer=_issuer(note),
        amounts=_amounts(note),
        ibs_cbs=_REFORM if note.ibs_cbs else None,
        declaration=Declaration(version=VERSION, note=note),
    )


def file_of(note: IssuedNote) -> bytes:
    """Returns the XML file of a note."""
    return f"{_ROOT}{to_xml(note)}</NFSe>".encode()


def registered(request: str) -> bytes:
    """Returns the registered event of a request."""
    (identifier,) = re.findall('infPedReg Id="PRE([^"]+)"', request)
    registration = (
        "<verAplic>SefinNacional_1.6.0</verAplic><ambGer>2</ambGer><nSeqEvento>1</nSeqEvento>"
        "<dhProc>2026-11-14T12:00:03-03:00</dhProc><nDFSe>456790</nDFSe>"
    )
    inside = f'<infEvento Id="EVT{identifier}001">{registration}{_SIGNATURE.sub("", request)}</infEvento>'
    return f'<evento xmlns="{NAMESPACE}" versao="{VERSION}">{inside}</evento>'.encode()


def _issuer(note: ServiceNote) -> NoteIssuer:
    address = IssuerAddress(
        street="Avenida Paulista",
        number="1000",
        complement="Sala 12",
        district="Bela Vista",
        city_code="3550308",
        state="SP",
        zipcode="01310100",
    )
    return NoteIssuer(
        cnpj=note.provider.cnpj,
        cpf=note.provider.cpf,
        municipal_registration="1234567",
        name="Estúdio Modelo Ltda",
        trade_name="Estúdio Modelo",
        address=address,
        phone="1133334444",
        email="fiscal@example.com",
    )


def _amounts(note: ServiceNote) -> ComputedAmounts:
    price = note.amounts.service.amount
    is_taxed = note.amounts.taxes.iss.taxation == _TAXED
    if note.provider.regime.simples != _OUTSIDE_OF_SIMPLES or not is_taxed:
        return ComputedAmounts(net=price)
    iss = (price * Decimal("0.05")).quantize(Decimal("0.01"))
    return ComputedAmounts(base=price, rate=Decimal(5), iss=iss, withheld=Decimal("12.34"), net=price - 1)


_REFORM = ComputedReform(
    city_code="3518800",
    city="Guarulhos",
    base=ReformBase(
        base=Decimal("913.50"),
        reimbursed=Decimal("3.21"),
        state=StateRate(rate=Decimal("0.1"), reduction=Decimal(60), effective_rate=Decimal("0.04")),
        city=CityRate(rate=Decimal("0.05"), effective_rate=Decimal("0.06")),
        cbs=CbsRate(rate=Decimal("0.9"), reduction=Decimal(61), effective_rate=Decimal("0.36")),
    ),
    totals=ReformTotals(
        total=Decimal("1000.99"),
        ibs=IbsTotal(
            amount=Decimal("0.92"),
            state=StateTotal(amount=Decimal("0.37")),
            city=CityTotal(amount=Decimal("0.55")),
        ),
        cbs=CbsTotal(amount=Decimal("3.29")),
    ),
)
