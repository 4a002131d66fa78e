"""Rules of Sefin about the composed DPS, checked before it is sent."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.documents.nfse.iss import SimplesAssessment, SimplesOption, Taxation
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.request_rules import ANNEX
from carimbo.fiscal.documents.nfse.settings import NO_SPECIAL_REGIME
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.layouts.dps_v1.amounts import FederalTaxes
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.layouts.dps_v1.service import Construction
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.rules import At, DocumentCheck, RuleBook
from carimbo.fiscal.tables.service_codes import (
    NATIONAL_SERVICES,
    NBS,
    Incidence,
    NationalService,
    ServiceGroup,
)


@dataclass(frozen=True, slots=True)
class NoteInput:
    """The facts that the rules of a DPS use."""

    sums: NoteTotals
    request: NfseRequest
    replaced: ServiceNote | None
    """The note that it replaces."""

    @property
    def note(self) -> ServiceNote:
        """The DPS itself."""
        return self.sums.note

    @property
    def service(self) -> NationalService:
        """Its service in the national list."""
        return NATIONAL_SERVICES[self.note.service.code.national_code]

    @property
    def has_party_abroad(self) -> bool:
        """Whether taker or intermediary is from abroad."""
        parties = (self.request.borrower, self.request.intermediary)
        return any(party and party.is_foreign for party in parties)

    @property
    def crosses_the_border(self) -> bool:
        """Whether a party, the place or the result of the service is abroad."""
        request = self.request
        return bool(self.has_party_abroad or request.service_country_code or request.result_country_code)


NoteCheck = DocumentCheck[NoteInput]

RULES: RuleBook[NoteCheck] = RuleBook()
REPLACEMENT_RULES: RuleBook[NoteCheck] = RuleBook(when=lambda judged: judged.replaced is not None)

NOTE_BOOKS = (RULES, REPLACEMENT_RULES)
"""In the order in which their problems are reported."""


@RULES.rule("E0234", ANNEX, "O ISS deste serviço é do município do tomador, que precisa de endereço.")
def address_of_the_taker(judged: NoteInput) -> list[At]:
    """A service whose ISS is due at the taker's municipality must have the taker's address."""
    if not needs_taker_address(judged.service):
        return []
    return [At(path) for path in judged.request.borrower.address_gaps("borrower.address")]


def needs_taker_address(service: NationalService) -> bool:
    """Returns whether the ISS of a service is due at the taker's municipality."""
    return service.incidence is Incidence.TAKER


@RULES.rule("E0316", ANNEX, "O código {} não está na tabela NBS.")
def known_nbs(judged: NoteInput) -> At | None:
    """The NBS must be in the table."""
    nbs = judged.note.service.code.nbs
    return At("nbs", values=(quoted(nbs),)) if nbs and nbs not in NBS else None


def _has_group(judged: NoteInput, group: ServiceGroup) -> bool:
    if group is ServiceGroup.EVENT:
        return judged.note.service.event is not None
    # A site without any field is not written.
    return judged.note.service.construction not in (None, Construction())


def _group_rules(group: ServiceGroup, field: str, missing_code: str, surplus_code: str) -> None:
    """Declares the rules of a group that some services require and others must not have."""

    @RULES.rule(missing_code, ANNEX, "O serviço {} exige {}.")
    def is_there(judged: NoteInput) -> At | None:
        is_missing = judged.service.required_group is group and not _has_group(judged, group)
        return At(field, values=(judged.service.code, field)) if is_missing else None

    @RULES.rule(surplus_code, ANNEX, "O serviço {} não admite {}.")
    def is_not_there(judged: NoteInput) -> At | None:
        is_surplus = judged.service.required_group is not group and _has_group(judged, group)
        return At(field, values=(judged.service.code, field)) if is_surplus else None


_group_rules(ServiceGroup.CONSTRUCTION, "construction", "E0370", "E0372")
_group_rules(ServiceGroup.EVENT, "event", "E0390", "E0392")


@RULES.rule("E0330", ANNEX, "O serviço com o exterior precisa dos dados de comércio exterior.")
def foreign_trade(judged: NoteInput) -> At | None:
    """A cross-border service must have the data of foreign trade."""
    is_missing = judged.crosses_the_border and judged.note.service.foreign_trade is None
    return At("foreignTrade") if is_missing else None


@RULES.rule("E0318", ANNEX, "O NBS é obrigatório em serviço com o exterior.")
def nbs_of_foreign_trade(judged: NoteInput) -> At | None:
    """A cross-border service must have an NBS."""
    return At("nbs") if judged.crosses_the_border and judged.note.service.code.nbs is None else None


@RULES.rule(
    "E0529",
    ANNEX,
    "A exportação precisa de tomador ou intermediário do exterior.",
    hint="Informe o tomador com endereço no exterior.",
)
def export_has_a_party_abroad(judged: NoteInput) -> At | None:
    """An export must have a party abroad."""
    is_export = judged.request.result_country_code and not judged.has_party_abroad
    return At("resultCountryCode") if is_export else None


def _is_not_below(value: Decimal | None, price: Decimal) -> bool:
    return value is not None and not 0 < value < price


@RULES.rule("E0431", ANNEX, "O desconto deve ser maior que zero e menor que o valor do serviço.")
def unconditional_discount(judged: NoteInput) -> At | None:
    """An unconditional discount must be less than the price."""
    discounts = judged.note.amounts.discounts
    is_wrong = discounts and _is_not_below(discounts.unconditional, judged.sums.amount)
    return At("discounts.unconditional") if is_wrong else None


@RULES.rule("E0432", ANNEX, "O desconto deve ser maior que zero e menor que o valor do serviço.")
def conditional_discount(judged: NoteInput) -> At | None:
    """A conditional discount must be less than the price."""
    discounts = judged.note.amounts.discounts
    is_wrong = discounts and _is_not_below(discounts.conditional, judged.sums.amount)
    return At("discounts.conditional") if is_wrong else None


@RULES.rule("E0677", ANNEX, "A base de PIS e COFINS não pode ser maior que o valor do serviço.")
def base_of_contributions(judged: NoteInput) -> At | None:
    """The base of PIS and COFINS must not exceed the price."""
    federal = judged.note.amounts.taxes.federal
    own = federal and federal.pis_cofins
    is_more = own and own.base is not None and own.base > judged.sums.amount
    return At("taxes.ownDebit.base") if is_more else None


def _withholding_rule(code: str, field: str, amount_of: Callable[[FederalTaxes], Decimal | None]) -> None:
    """Declares the rule that a withholding must be less than the price."""

    @RULES.rule(code, ANNEX, "A retenção deve ser menor que o valor do serviço.")
    def is_a_part(judged: NoteInput) -> At | None:
        federal = judged.note.amounts.taxes.federal
        amount = amount_of(federal) if federal else None
        return At(f"taxes.{field}.rate") if amount is not None and amount >= judged.sums.amount else None


_withholding_rule("E0699", "inss", lambda federal: federal.inss)
_withholding_rule("E0700", "ir", lambda federal: federal.ir)
_withholding_rule("E0701", "csll", lambda federal: federal.csll)


@RULES.rule("E0428", ANNEX, "Descontos, deduções e retenções passam do valor do serviço.")
def parts_of_the_price(judged: NoteInput) -> At | None:
    """All deductions together must not exceed the price."""
    return At("amount") if judged.sums.amount < judged.sums.taken_off else None


def _base_rules(
    deduction_code: str, benefit_code: str, whose: str, applies: Callable[[ServiceNote], bool]
) -> None:
    """Declares the rules of an ISS whose base must not be reduced."""

    @RULES.rule(deduction_code, ANNEX, f"O ISS {whose} não admite deduções.")
    def has_no_deductions(judged: NoteInput) -> At | None:
        return At("deductions") if applies(judged.note) and judged.note.amounts.deductions else None

    @RULES.rule(benefit_code, ANNEX, f"O ISS {whose} não admite benefício municipal.")
    def has_no_benefit(judged: NoteInput) -> At | None:
        return At("benefit") if applies(judged.note) and judged.note.amounts.taxes.iss.benefit else None


def _is_assessed_by_simples(note: ServiceNote) -> bool:
    """Returns whether the ISS is paid in the DAS of Simples; construction may deduct materials anyway.

    LC 123/2006, art. 18, § 23.
    """
    is_construction = note.service.code.national_code.startswith(("0702", "0705"))
    return note.provider.regime.simples_assessment == SimplesAssessment.ALL and not is_construction


_base_rules(
    "E0435",
    "E0533",
    "de serviço que não é tributável",
    lambda note: note.amounts.taxes.iss.taxation != Taxation.TAXABLE,
)
_base_rules("E0436", "E0534", "de MEI", lambda note: note.provider.regime.simples == SimplesOption.MEI)
_base_rules(
    "E0438", "E0535", "de regime especial", lambda note: note.provider.regime.special != NO_SPECIAL_REGIME
)
_base_rules("E0441", "E0536", "apurado pelo Simples Nacional", _is_assessed_by_simples)


@REPLACEMENT_RULES.rule("E0060", ANNEX, "Fora do Simples Nacional a substituição não muda {}.")
def kept_outside_simples(judged: NoteInput) -> list[At]:
    """Outside of Simples a replacement must keep competence, service and place."""
    note, replaced = judged.note, judged.replaced
    if replaced is None or not _is_outside_simples(note):
        return []
    service, earlier_service = note.service, replaced.service
    kept = (
        ("issueDate", "a competência", note.competence, replaced.competence),
        ("federalServiceCode", "o serviço", service.code.national_code, earlier_service.code.national_code),
        (
            "cityServiceCode",
            "o código municipal do serviço",
            service.code.city_code,
            earlier_service.code.city_code,
        ),
        (
            "serviceCityCode",
            "o município da prestação",
            service.place.city_code,
            earlier_service.place.city_code,
        ),
        (
            "serviceCountryCode",
            "o país da prestação",
            service.place.country_code,
            earlier_service.place.country_code,
        ),
    )
    return [At(field, values=(name,)) for field, name, value, earlier in kept if value != earlier]


@REPLACEMENT_RULES.rule("E0061", ANNEX, "No Simples Nacional a substituição não muda {}.")
def kept_in_simples(judged: NoteInput) -> list[At]:
    """In Simples a replacement must keep competence, price and an identified taker."""
    note, replaced = judged.note, judged.replaced
    if replaced is None or _is_outside_simples(note):
        return []
    taker, earlier_taker = _tax_id(note.taker), _tax_id(replaced.taker)
    changes = {
        ("issueDate", "a competência"): note.competence != replaced.competence,
        ("amount", "o valor"): note.amounts.service.amount != replaced.amounts.service.amount,
        ("borrower.taxId", "o tomador"): bool(taker and earlier_taker) and taker != earlier_taker,
    }
    return [At(field, values=(name,)) for (field, name), is_changed in changes.items() if is_changed]


def _is_outside_simples(note: ServiceNote) -> bool:
    return note.provider.regime.simples == SimplesOption.OUTSIDE


def _tax_id(taker: Taker | None) -> str | None:
    return (taker.cnpj or taker.cpf) if taker else None
