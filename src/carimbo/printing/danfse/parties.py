"""Who gives the service and who takes it, for whom it is, and who stands between."""

from collections.abc import Iterator
from typing import NamedTuple

from carimbo.fiscal.layouts.dps_v1.addresses import Address, PartyAddress
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import IbsCbs, Recipient
from carimbo.fiscal.layouts.dps_v1.issued_note import IssuerAddress
from carimbo.fiscal.layouts.dps_v1.nfse import ArchivedServiceNote
from carimbo.fiscal.layouts.dps_v1.parties import Provider, Taker
from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.printing import formats
from carimbo.printing.canvas import Canvas
from carimbo.printing.danfse.grid import COLUMNS, Block, Cell, Strip, block
from carimbo.printing.danfse.values import ABSENT, joined, told, zipcode
from carimbo.printing.danfse.words import NO_FOREIGN_ID, SIMPLES, SIMPLES_ASSESSMENTS, in_words

_PROVIDER_ISSUED = "1"
_IS_TAKER = "0"
_REGISTRATION = "Indicador Municipal (Inscrição)"
_NO_TAKER = "TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
_NO_RECIPIENT = "DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"
_RECIPIENT_IS_TAKER = "O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO"
_NO_INTERMEDIARY = "INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"


class _Party(NamedTuple):
    """What the form tells of anyone."""

    tax_id: str
    registration: str | None
    phone: str | None
    name: str | None
    address: PartyAddress | Address | IssuerAddress | None
    email: str | None


def party_pieces(canvas: Canvas, archived: ArchivedServiceNote) -> Iterator[Block | Strip]:
    """Each party, or the sentence that says why it is not there (NT 008, 2.3)."""
    note = archived.note
    yield _provider_block(canvas, archived)
    yield (_block(canvas, "TOMADOR / ADQUIRENTE", _party(note.taker)) if note.taker else Strip(_NO_TAKER))
    yield _recipient(canvas, note.ibs_cbs)
    yield (
        _block(canvas, "INTERMEDIÁRIO DA OPERAÇÃO", _party(note.intermediary))
        if note.intermediary
        else Strip(_NO_INTERMEDIARY)
    )


def _provider_block(canvas: Canvas, archived: ArchivedServiceNote) -> Block:
    provider = archived.note.provider
    regime = provider.regime
    simples = Cell("Simples Nacional na Data de Competência", in_words(SIMPLES, regime.simples))
    assessment = in_words(SIMPLES_ASSESSMENTS, regime.simples_assessment)
    regimes = (simples, Cell("Regime de Apuração Tributária pelo SN", assessment, COLUMNS - 1))
    return block(canvas, "PRESTADOR / FORNECEDOR", *_rows(_provider(archived)), regimes)


def _provider(archived: ArchivedServiceNote) -> _Party:
    """A provider who issues declares neither name nor address: the authority has them registered."""
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


def _recipient(canvas: Canvas, reform: IbsCbs | None) -> Block | Strip:
    if reform and reform.recipient:
        return _block(canvas, "DESTINATÁRIO DA OPERAÇÃO", _party(reform.recipient), registration="")
    return Strip(_RECIPIENT_IS_TAKER if reform and reform.recipient_kind == _IS_TAKER else _NO_RECIPIENT)


def _block(canvas: Canvas, title: str, party: _Party, registration: str = _REGISTRATION) -> Block:
    return block(canvas, title, *_rows(party, registration))


def _rows(party: _Party, registration: str = _REGISTRATION) -> tuple[tuple[Cell, ...], ...]:
    city, code = _place(party.address)
    return (
        (
            Cell("CNPJ / CPF / NIF", party.tax_id),
            Cell(registration, told(party.registration) if registration else ""),
            Cell("Telefone", told(party.phone)),
        ),
        (
            Cell("Nome / Nome Empresarial", told(party.name), 2),
            Cell("Município / Sigla UF", city),
            Cell("Código IBGE / CEP", code),
        ),
        (Cell("Endereço", _street(party.address), 2), Cell("E-mail", told(party.email), 2)),
    )


def _party(of: Provider | Taker | Recipient) -> _Party:
    registration = None if isinstance(of, Recipient) else of.municipal_registration
    return _Party(_tax_id(of), registration, _phone(of), of.name, of.address, of.email)


def _tax_id(of: Provider | Taker | Recipient) -> str:
    return (
        formats.tax_id(of.cnpj, of.cpf) or of.foreign_id or in_words(NO_FOREIGN_ID, of.no_foreign_id_reason)
    )


def _phone(of: Provider | Taker | Recipient) -> str | None:
    """A number of Brazil with its area; one of elsewhere is told as it is."""
    is_abroad = not (of.cnpj or of.cpf) or (of.address and of.address.foreign)
    return of.phone if is_abroad else formats.phone(of.phone)


def _street(address: PartyAddress | Address | IssuerAddress | None) -> str:
    if address is None:
        return ABSENT
    parts = (address.street, address.number, address.complement, address.district)
    return ", ".join(filter(None, parts))


def _place(address: PartyAddress | Address | IssuerAddress | None) -> tuple[str, str]:
    """City and code: by municipality and CEP in Brazil, by city, region and country abroad."""
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
