"""The blocks of provider, taker, recipient and intermediary."""

from collections.abc import Iterator
from typing import NamedTuple

from carimbo.fiscal.layouts.dps_v1.archived import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import ServiceIbsCbs, ServiceRecipient
from carimbo.fiscal.layouts.dps_v1.issued_note import IssuerAddress
from carimbo.fiscal.layouts.dps_v1.parties import PartyAddress, Provider, ServiceAddress, Taker
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.printing import formats
from carimbo.printing.danfse.grid import COLUMNS, Cell, GridBlock, SentenceBlock, grid_block
from carimbo.printing.danfse.values import (
    ABSENT,
    NO_FOREIGN_ID,
    SIMPLES,
    SIMPLES_ASSESSMENTS,
    in_words,
    joined,
    or_dash,
    zipcode,
)
from carimbo.printing.engine.canvas import Canvas

_PROVIDER_ISSUED = "1"
_IS_TAKER = "0"
_REGISTRATION = "Indicador Municipal (Inscrição)"
_NO_TAKER = "TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
_NO_RECIPIENT = "DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
_RECIPIENT_IS_TAKER = "O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO"
_NO_INTERMEDIARY = "INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"


class _Party(NamedTuple):
    """The printed data of a party."""

    tax_id: str
    registration: str | None
    phone: str | None
    name: str | None
    address: PartyAddress | ServiceAddress | IssuerAddress | None
    email: str | None


def party_pieces(canvas: Canvas, archived: ArchivedServiceNote) -> Iterator[GridBlock | SentenceBlock]:
    """Yields the block of each party, or the sentence that says why it is missing (NT 008, 2.3)."""
    note = archived.note
    yield _provider_block(canvas, archived)
    yield (
        _block(canvas, "TOMADOR / ADQUIRENTE", _party(note.taker)) if note.taker else SentenceBlock(_NO_TAKER)
    )
    yield _recipient(canvas, note.ibs_cbs)
    yield (
        _block(canvas, "INTERMEDIÁRIO DA OPERAÇÃO", _party(note.intermediary))
        if note.intermediary
        else SentenceBlock(_NO_INTERMEDIARY)
    )


def _provider_block(canvas: Canvas, archived: ArchivedServiceNote) -> GridBlock:
    provider = archived.note.provider
    regime = provider.regime
    simples = Cell("Simples Nacional na Data de Competência", in_words(SIMPLES, regime.simples))
    assessment = in_words(SIMPLES_ASSESSMENTS, regime.simples_assessment)
    regimes = (simples, Cell("Regime de Apuração Tributária pelo SN", assessment, COLUMNS - 1))
    return grid_block(canvas, "PRESTADOR / FORNECEDOR", *_rows(_provider(archived)), regimes)


def _provider(archived: ArchivedServiceNote) -> _Party:
    """Returns the provider; if it is the issuer, data that it need not declare comes from the authority."""
    declared, issuer = _party(archived.note.provider), archived.issued.issuer
    if archived.note.issuer != _PROVIDER_ISSUED:
        return declared
    registered = _Party(
        formats.tax_id(issuer.cnpj, issuer.cpf),
        issuer.municipal_registration,
        formats.phone(issuer.phone),
        issuer.name,
        issuer.address,
        issuer.email,
    )
    return _Party._make(first or second for first, second in zip(declared, registered, strict=True))


def _recipient(canvas: Canvas, reform: ServiceIbsCbs | None) -> GridBlock | SentenceBlock:
    if reform and reform.recipient:
        return _block(canvas, "DESTINATÁRIO DA OPERAÇÃO", _party(reform.recipient), registration="")
    return SentenceBlock(
        _RECIPIENT_IS_TAKER if reform and reform.recipient_kind == _IS_TAKER else _NO_RECIPIENT
    )


def _block(canvas: Canvas, title: str, party: _Party, registration: str = _REGISTRATION) -> GridBlock:
    return grid_block(canvas, title, *_rows(party, registration))


def _rows(party: _Party, registration: str = _REGISTRATION) -> tuple[tuple[Cell, ...], ...]:
    city, code = _place(party.address)
    return (
        (
            Cell("CNPJ / CPF / NIF", party.tax_id),
            Cell(registration, or_dash(party.registration) if registration else ""),
            Cell("Telefone", or_dash(party.phone)),
        ),
        (
            Cell("Nome / Nome Empresarial", or_dash(party.name), 2),
            Cell("Município / Sigla UF", city),
            Cell("Código IBGE / CEP", code),
        ),
        (Cell("Endereço", _street(party.address), 2), Cell("E-mail", or_dash(party.email), 2)),
    )


def _party(party: Provider | Taker | ServiceRecipient) -> _Party:
    tax_id = (
        formats.tax_id(party.cnpj, party.cpf)
        or party.foreign_id
        or in_words(NO_FOREIGN_ID, party.no_foreign_id_reason)
    )
    registration = None if isinstance(party, ServiceRecipient) else party.municipal_registration
    # Only Brazilian numbers are formatted with their area code.
    is_abroad = not (party.cnpj or party.cpf) or (party.address and party.address.foreign)
    phone = party.phone if is_abroad else formats.phone(party.phone)
    return _Party(tax_id, registration, phone, party.name, party.address, party.email)


def _street(address: PartyAddress | ServiceAddress | IssuerAddress | None) -> str:
    if address is None:
        return ABSENT
    parts = (address.street, address.number, address.complement, address.district)
    return ", ".join(filter(None, parts))


def _place(address: PartyAddress | ServiceAddress | IssuerAddress | None) -> tuple[str, str]:
    """Returns city and code: municipality and CEP in Brazil; city, region, country and postal code abroad."""
    if isinstance(address, IssuerAddress):
        return _national_place(address.city_code, address.zipcode)
    if address and address.foreign:
        abroad = address.foreign
        return joined(abroad.city, abroad.region, abroad.country_code), abroad.postal_code
    if address and address.national:
        return _national_place(address.national.city_code, address.national.zipcode)
    return ABSENT, ABSENT


def _national_place(city_code: str, digits: str) -> tuple[str, str]:
    city = municipality_of_ibge(city_code)
    return (joined(city.name, city.state) if city else ABSENT), joined(city_code, zipcode(digits))
