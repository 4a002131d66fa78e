"""NFeInutilizacao4: voids ranges of numbers (MOC 7.0, table 5-12)."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from sqlite3 import IntegrityError

from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.ledger import Ledger, StoredInutilization
from carimbo.simulator.limits import count_use, limit_reached
from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.dialect import NAMESPACE, NFCE, NFE
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import (
    AnsweringAuthority,
    ServiceAnswer,
    next_protocol,
    sample_protocol_for,
)
from carimbo.simulator.sefaz.call import Message, ServiceCall, ServiceQuestion
from carimbo.simulator.sefaz.rules.message import SIGNATURE_RULES
from carimbo.simulator.signatures import XmlSignature, signature_of

SERVICE = "NFeInutilizacao4"
REFUSALS_OF_A_RANGE = 20
"""Within an hour."""
_MAX_NUMBERS = 10_000
_FIRST_YEAR = 6
_SERIES_OF_PEOPLE = range(910, 970)
_INUTILIZED = AuthorityVerdict("102")
_REPEATED = "563"
_REPEATED_FIELDS = ("cUF", "ano", "CNPJ", "mod", "serie", "nNFIni", "nNFFin")


@dataclass(frozen=True)
class JudgedInutilization(ServiceQuestion):
    """One `inutNFe`, which is valid against its XSD."""

    @cached_property
    def content(self) -> Group:
        """`infInut`."""
        return group_of(next(self.call.root.iterchildren("{*}infInut")))

    @cached_property
    def signature(self) -> XmlSignature | None:
        """The signature."""
        return signature_of(self.call.root)

    @cached_property
    def ledger(self) -> Ledger:
        """The documents and ranges that the authorities have stored."""
        return Ledger(self.context.store)

    @property
    def id(self) -> str:
        """The Id, which repeats the range."""
        return self.content.attributes.get("Id", "")

    @property
    def author(self) -> str:
        """CNPJ of the issuer."""
        return self.content.text("CNPJ")

    @cached_property
    def overlapping(self) -> StoredInutilization | None:
        """An earlier voided range that shares a number with this one."""
        return self.ledger.overlapping(self.as_stored())

    @property
    def is_repeated(self) -> bool:
        """Whether exactly this range is voided already."""
        before, stored = self.overlapping, self.as_stored()
        return before is not None and (before.first_number, before.last_number) == (
            stored.first_number,
            stored.last_number,
        )

    def as_stored(self, protocol: str = "") -> StoredInutilization:
        """Returns the range as the ledger stores it."""
        text = self.content.text
        return StoredInutilization(
            environment=self.service_path.environment,
            state_code=text("cUF"),
            issuer=self.author,
            model=text("mod"),
            series=int(text("serie")),
            year=text("ano"),
            first_number=int(text("nNFIni")),
            last_number=int(text("nNFFin")),
            authorizer=self.service_path.authorizer,
            received_at=self.context.now,
            protocol=protocol,
        )


def refused_too_often(inutilization: JudgedInutilization) -> bool:
    """NT 2018.002: the same range was refused 20 times in an hour."""
    return limit_reached(
        inutilization.context, inutilization.author, SERVICE, inutilization.id, REFUSALS_OF_A_RANGE
    )


def state_of_another_authorizer(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I02."""
    state = state_of_ibge(inutilization.content.text("cUF"))
    return state is None or state.code not in states_of(
        inutilization.dialect.model_at(inutilization.service_path), inutilization.service_path.authorizer
    )


def receipts_among_invoices(inutilization: JudgedInutilization) -> bool:
    """The service is that of NF-e."""
    return (
        inutilization.dialect.model_at(inutilization.service_path) == NFE != inutilization.content.text("mod")
    )


def invoices_among_receipts(inutilization: JudgedInutilization) -> bool:
    """The service is that of NFC-e."""
    return (
        inutilization.dialect.model_at(inutilization.service_path)
        == NFCE
        != inutilization.content.text("mod")
    )


def series_of_people(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I02a: a series of issuers with a CPF."""
    return int(inutilization.content.text("serie")) in _SERIES_OF_PEOPLE


def year_to_come(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I02b."""
    return int(inutilization.content.text("ano")) > inutilization.context.now.year % 100


def year_before_all(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I02c."""
    return int(inutilization.content.text("ano")) < _FIRST_YEAR


def issuer_with_wrong_digits(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, C02-10, as for documents."""
    return not is_cnpj(inutilization.author)


def ends_before_it_begins(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I03."""
    return inutilization.as_stored().first_number > inutilization.as_stored().last_number


def too_many_numbers(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I04: 10,000 numbers."""
    return inutilization.as_stored().last_number - inutilization.as_stored().first_number >= _MAX_NUMBERS


def id_differs_from_its_fields(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I04.a."""
    stored = inutilization.as_stored()
    issuer = f"{stored.state_code}{stored.year}{stored.issuer}{stored.model}"
    return (
        inutilization.id != f"ID{issuer}{stored.series:03d}{stored.first_number:09d}{stored.last_number:09d}"
    )


def inutilized_already(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I07."""
    return inutilization.is_repeated


def number_inutilized_already(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I07a."""
    return inutilization.overlapping is not None and not inutilization.is_repeated


def number_in_use(inutilization: JudgedInutilization) -> bool:
    """MOC 7.0, I08."""
    return inutilization.ledger.number_in_use(inutilization.as_stored())


INUTILIZATION_RULES: tuple[RejectionRule[JudgedInutilization], ...] = (
    RejectionRule("656", refused_too_often),
    *SIGNATURE_RULES,
    RejectionRule("250", state_of_another_authorizer),
    RejectionRule("450", receipts_among_invoices),
    RejectionRule("775", invoices_among_receipts),
    RejectionRule("266", series_of_people),
    RejectionRule("453", year_to_come),
    RejectionRule("454", year_before_all),
    RejectionRule("207", issuer_with_wrong_digits),
    RejectionRule("224", ends_before_it_begins),
    RejectionRule("201", too_many_numbers),
    RejectionRule("502", id_differs_from_its_fields),
    RejectionRule("563", inutilized_already),
    RejectionRule("256", number_inutilized_already),
    RejectionRule("241", number_in_use),
)


class InutilizationService:
    """Voids ranges of numbers."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Voids a range; the answer to a repeated one has the protocol of the first (MOC 7.0, 5.3.5)."""
        inutilization = JudgedInutilization(call)
        if refusal := first_broken(INUTILIZATION_RULES, inutilization, call.context.controls.rules_off):
            count_use(call.context, inutilization.author, SERVICE, inutilization.id)
            previous = inutilization.overlapping if refusal.code == _REPEATED else None
            return _answer_with(call, refusal, previous.protocol if previous else "")

        number = next_protocol(call, inutilization.content.text("cUF"))
        # A range that is voided already gets here only if the rule 563 is off.
        with suppress(IntegrityError):
            inutilization.ledger.keep_range(inutilization.as_stored(number))
        return _answer_with(call, _INUTILIZED, number)

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without voiding the range."""
        if verdict.code != _REPEATED:
            return _answer_with(call, verdict)
        state_code = call.root.findtext(f"{{{NAMESPACE}}}infInut/{{{NAMESPACE}}}cUF") or ""
        return _answer_with(call, verdict, sample_protocol_for(call, state_code))

    refuse_message = refuse

    def subject(self, message: Message) -> str:
        """Returns the Id of the range."""
        content = message.root.find(f"{{{NAMESPACE}}}infInut")
        return "" if content is None else content.get("Id", "")


def _answer_with(call: ServiceCall, verdict: AuthorityVerdict, number: str = "") -> ServiceAnswer:
    fields = {
        tag: call.root.findtext(f"{{{NAMESPACE}}}infInut/{{{NAMESPACE}}}{tag}") or ""
        for tag in _REPEATED_FIELDS
    }
    authority = AnsweringAuthority.of(call)
    fields["cUF"] = authority.state(fields["cUF"]).ibge
    return ServiceAnswer(answers.inutilization_answer(authority, verdict, fields, number), verdict.code)
