"""Rules of Sefin that a composed declaration breaks, told before it is sent (Anexo I)."""

from collections.abc import Iterator
from decimal import Decimal

from carimbo.fiscal.document_type import Replaced
from carimbo.fiscal.documents.nfse.iss import Taxation
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME
from carimbo.fiscal.documents.nfse.simples import Assessment, Option
from carimbo.fiscal.documents.nfse.substitution_rules import rules_of_substitution
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.layouts.dps_v1.document import read_note
from carimbo.fiscal.layouts.dps_v1.service import Construction
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.problems import Problem, quoted
from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES, Incidence, ServiceGroup
from carimbo.fiscal.tables.nbs import NBS


def rules_of_note(sums: NoteTotals, request: NfseRequest, replaced: Replaced | None) -> Iterator[Problem]:
    """Tell everything that Sefin would refuse of a declaration and that can be known here."""
    note = sums.note
    yield from _incidence(note, request)
    yield from _codes(note)
    yield from _groups(note)
    yield from _abroad(note, request)
    yield from _sums(sums)
    yield from _benefits(note)
    if replaced:
        yield from rules_of_substitution(note, read_note(replaced.signed))


def _incidence(note: ServiceNote, request: NfseRequest) -> Iterator[Problem]:
    service = NATIONAL_SERVICES[note.service.code.national_code]
    if service.incidence is Incidence.TAKER:
        message = "O ISS deste serviço é do município do tomador, que precisa de endereço."
        for path in request.borrower.address_gaps("borrower.address"):
            yield Problem("E0234", path, message)


def _codes(note: ServiceNote) -> Iterator[Problem]:
    nbs = note.service.code.nbs
    if nbs and nbs not in NBS:
        yield Problem("E0316", "nbs", f"O código {quoted(nbs)} não está na tabela NBS.")


def _groups(note: ServiceNote) -> Iterator[Problem]:
    """Groups that a service demands, and that no other may have."""
    service, site = NATIONAL_SERVICES[note.service.code.national_code], note.service.construction
    # One without any field is not written.
    site = None if site == Construction() else site
    wanted = (
        (ServiceGroup.CONSTRUCTION, "construction", site, "E0370", "E0372"),
        (ServiceGroup.EVENT, "event", note.service.event, "E0390", "E0392"),
    )
    for group, field, value, lacking, surplus in wanted:
        is_wanted = service.required_group is group
        if is_wanted and value is None:
            yield Problem(lacking, field, f"O serviço {service.code} exige {field}.")
        if not is_wanted and value is not None:
            yield Problem(surplus, field, f"O serviço {service.code} não admite {field}.")


def _abroad(note: ServiceNote, request: NfseRequest) -> Iterator[Problem]:
    """A service that crosses the border says how, and which it is for the world."""
    is_with_foreigner = any(party and party.is_foreign for party in (request.borrower, request.intermediary))
    crosses = bool(is_with_foreigner or request.service_country_code or request.result_country_code)
    if crosses and note.service.foreign_trade is None:
        told = "O serviço com o exterior precisa dos dados de comércio exterior."
        yield Problem("E0330", "foreignTrade", told)
    if crosses and note.service.code.nbs is None:
        yield Problem("E0318", "nbs", "O NBS é obrigatório em serviço com o exterior.")
    if request.result_country_code and not is_with_foreigner:
        told = "A exportação precisa de tomador ou intermediário do exterior."
        yield Problem("E0529", "resultCountryCode", told, "Informe o tomador com endereço no exterior.")


def _sums(sums: NoteTotals) -> Iterator[Problem]:
    discounts, price = sums.note.amounts.discounts, sums.amount
    if discounts:
        for code, field, value in (
            ("E0431", "discounts.unconditional", discounts.unconditional),
            ("E0432", "discounts.conditional", discounts.conditional),
        ):
            if value is not None and not 0 < value < price:
                yield Problem(
                    code, field, "O desconto deve ser maior que zero e menor que o valor do serviço."
                )
    own = sums.note.amounts.taxes.federal and sums.note.amounts.taxes.federal.pis_cofins
    if own and own.base is not None and own.base > price:
        message = "A base de PIS e COFINS não pode ser maior que o valor do serviço."
        yield Problem("E0677", "taxes.ownDebit.base", message)
    for code, field, value in _withheld(sums.note):
        if value is not None and value >= price:
            yield Problem(code, f"taxes.{field}.rate", "A retenção deve ser menor que o valor do serviço.")
    if price < sums.taken_off:
        told = "Descontos, deduções e retenções passam do valor do serviço."
        yield Problem("E0428", "amount", told)


def _withheld(note: ServiceNote) -> Iterator[tuple[str, str, Decimal | None]]:
    federal = note.amounts.taxes.federal
    if federal:
        yield "E0699", "inss", federal.inss
        yield "E0700", "ir", federal.ir
        yield "E0701", "csll", federal.csll


def _benefits(note: ServiceNote) -> Iterator[Problem]:
    """What keeps the base from being reduced (E0435-E0441, E0533-E0536)."""
    regime, taxes = note.provider.regime, note.amounts.taxes
    barred = (
        ("E0435", "E0533", taxes.iss.taxation != Taxation.TAXABLE, "de serviço que não é tributável"),
        ("E0436", "E0534", regime.simples == Option.MEI, "de MEI"),
        ("E0438", "E0535", regime.special != NO_SPECIAL_REGIME, "de regime especial"),
        (
            "E0441",
            "E0536",
            regime.simples_assessment == Assessment.ALL and not _is_construction(note),
            "apurado pelo Simples Nacional",
        ),
    )
    for deduction_code, benefit_code, applies, whose in barred:
        if applies and note.amounts.deductions:
            yield Problem(deduction_code, "deductions", f"O ISS {whose} não admite deduções.")
        if applies and taxes.iss.benefit:
            yield Problem(benefit_code, "benefit", f"O ISS {whose} não admite benefício municipal.")


def _is_construction(note: ServiceNote) -> bool:
    """Items whose materials are deducted even within Simples (LC 123/2006, art. 18, § 23)."""
    return note.service.code.national_code.startswith(("0702", "0705"))
