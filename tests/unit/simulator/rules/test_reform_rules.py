"""IBS and CBS of items: situations, classifications, groups, and the three shares."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import pytest

from carimbo.simulator import family
from carimbo.simulator.calendar import Milestone
from unit.fiscal.goods.support import NORMAL
from unit.simulator.mutating import AT_SP, PRODUCTION, Edit, both, mutated, nfe, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import (
    FIRST_OF_2027,
    LAST_OF_2026,
    OF_2026,
    OF_2027,
    becomes,
    grown,
    issued_at,
    rated,
)

ITEM, TOTALS = "infNFe/det/imposto/IBSCBS", "infNFe/total/IBSCBSTot"
RATED = f"{ITEM}/gIBSCBS"
NO_TOTALS = becomes(TOTALS, "<IBSCBSTot><vBCIBSCBS>0.00</vBCIBSCBS></IBSCBSTot>")
TRANSFER = "<gTransfCred><vIBS>1.00</vIBS><vCBS>1.00</vCBS></gTransfCred>"
ADJUSTMENT = (
    "<gAjusteCompet><competApur>2026-10</competApur><vIBS>1.00</vIBS><vCBS>1.00</vCBS></gAjusteCompet>"
)
FREE_ZONE = (
    "<gCredPresIBSZFM><competApur>2026-10</competApur><tpCredPresIBSZFM>1</tpCredPresIBSZFM>"
    "<vCredPresIBSZFM>1.00</vCredPresIBSZFM></gCredPresIBSZFM>"
)
NO_DEFERRAL = "<gDif><pDif>0.0000</pDif><vDif>0.00</vDif></gDif>"
REFUND = "<gDevTrib><pDevTrib>0.0000</pDevTrib><vDevTrib>0.00</vDevTrib></gDevTrib>"
REGULAR = (
    "<gTribRegular><CSTReg>000</CSTReg><cClassTribReg>000001</cClassTribReg>"
    "<pAliqEfetRegIBSUF>0.1000</pAliqEfetRegIBSUF><vTribRegIBSUF>0.05</vTribRegIBSUF>"
    "<pAliqEfetRegIBSMun>0.0000</pAliqEfetRegIBSMun><vTribRegIBSMun>0.00</vTribRegIBSMun>"
    "<pAliqEfetRegCBS>0.9000</pAliqEfetRegCBS><vTribRegCBS>0.48</vTribRegCBS></gTribRegular>"
)
PURCHASE = (
    "<gTribCompraGov><pAliqIBSUF>0.1000</pAliqIBSUF><vTribIBSUF>0.05</vTribIBSUF>"
    "<pAliqIBSMun>0.0000</pAliqIBSMun><vTribIBSMun>0.00</vTribIBSMun>"
    "<pAliqCBS>0.9000</pAliqCBS><vTribCBS>0.48</vTribCBS></gTribCompraGov>"
)


@dataclass(frozen=True)
class Share:
    """One of the three shares, with its values in the bases and wrong values."""

    group: str
    name: str
    total: str
    """The group of the share in the totals."""
    rate: str
    wrong_rate: str
    """Slightly above the right rate, so that the amount stays right, like the next two."""
    wrong_effective_rate: str
    rate_reduced_by_59: str
    deferred: str
    ibs: str
    """The IBS amount if this share is 5.00."""

    @property
    def path(self) -> str:
        return f"{RATED}/{self.group}"

    @property
    def rate_path(self) -> str:
        return f"{self.path}/p{self.name}"

    def due(self, amount: str, ibs: str) -> Edit:
        """Changes the amount, and everything that depends on it."""
        edits = [says(f"{path}/v{self.name}", amount) for path in (self.path, self.total)]
        if self.group != "gCBS":
            edits += [says(f"{path}/vIBS", ibs) for path in (RATED, f"{TOTALS}/gIBS")]
        return both(*edits)

    def due_at_once(self) -> Edit:
        """Removes the deferral."""
        without_deferral = without(f"{self.path}/gDif")
        if self.deferred == "0.00":
            return without_deferral
        return both(
            without_deferral, says(f"{self.total}/vDif", "0.00"), self.due(self.deferred, self.deferred)
        )


STATE = Share(
    group="gIBSUF",
    name="IBSUF",
    total=f"{TOTALS}/gIBS/gIBSUF",
    rate="0.1000",
    wrong_rate="0.1100",
    wrong_effective_rate="0.0410",
    rate_reduced_by_59="0.0410",
    deferred="2.37",
    ibs="5.00",
)
CITY = Share(
    group="gIBSMun",
    name="IBSMun",
    total=f"{TOTALS}/gIBS/gIBSMun",
    rate="0.0000",
    wrong_rate="0.0100",
    wrong_effective_rate="0.0010",
    rate_reduced_by_59="0.0000",
    deferred="0.00",
    ibs="5.05",
)
CBS = Share(
    group="gCBS",
    name="CBS",
    total=f"{TOTALS}/gCBS",
    rate="0.9000",
    wrong_rate="0.9100",
    wrong_effective_rate="0.3610",
    rate_reduced_by_59="0.3690",
    deferred="21.35",
    ibs="",
)


def each(*codes: str) -> Iterator[tuple[str, Share]]:
    """Pairs codes with the three shares."""
    return zip(codes, (STATE, CITY, CBS), strict=True)


def only(cst: str, tax_class: str, group: str = "") -> Edit:
    """Replaces the group of an item by one without rates."""
    element = f"<IBSCBS><CST>{cst}</CST><cClassTrib>{tax_class}</cClassTrib>{group}</IBSCBS>"
    return both(becomes(ITEM, element), NO_TOTALS)


def reduced(percent: str, rate: str) -> str:
    return f"<gRed><pRedAliq>{percent}</pRedAliq><pAliqEfet>{rate}</pAliqEfet></gRed>"


# In 2026 the rate of the city is zero, so any part of it is right.
IN_2027 = both(issued_at(FIRST_OF_2027), rated(OF_2027))
IN_2026 = both(issued_at(LAST_OF_2026), rated(OF_2026))
WITHOUT_REFORM = both(without(ITEM), without(TOTALS))


def corrects(key: str) -> Edit:
    """Makes a complement of another note, without IBS and CBS."""
    reference = f"<NFref><refNFe>{key}</refNFe></NFref>"
    return both(WITHOUT_REFORM, says("infNFe/ide/finNFe", "2"), grown("infNFe/ide/verProc", reference))


def gives_back(key: str) -> Edit:
    """Makes a return of an item of another note, without IBS and CBS."""
    named = f"<DFeReferenciado><chaveAcesso>{key}</chaveAcesso><nItem>1</nItem></DFeReferenciado>"
    return both(
        WITHOUT_REFORM,
        says("infNFe/ide/finNFe", "4"),
        says("infNFe/det/prod/CFOP", "5202"),
        becomes("infNFe/pag", "<pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag>"),
        grown("infNFe/det/vItem", named),
    )


NOTE_OF_2026 = "35261211222333000181550010000000021123456828"
NOTE_OF_2027 = "35270111222333000181550010000000021123456826"
BEFORE_DEMAND = datetime.fromisoformat("2026-06-30T23:59:00-03:00")

OF_CODES = [
    Violation("1115", "nfe_normal", WITHOUT_REFORM, detail="[nItem:1]"),
    Violation(
        "1115", "nfe_normal", both(issued_at(FIRST_OF_2027), corrects(NOTE_OF_2027)), now=FIRST_OF_2027
    ),
    Violation(
        "1115", "nfe_normal", both(issued_at(FIRST_OF_2027), gives_back(NOTE_OF_2027)), now=FIRST_OF_2027
    ),
    Violation("1020", "nfe_normal", says(f"{ITEM}/CST", "999")),
    Violation("1023", "nfe_normal", says(f"{ITEM}/cClassTrib", "000999")),
    Violation("1024", "nfe_normal", says(f"{ITEM}/cClassTrib", "830001")),
    Violation("1025", "nfe_normal", says(f"{ITEM}/cClassTrib", "000002")),
    Violation("1021", "nfe_normal", both(says(f"{ITEM}/CST", "410"), says(f"{ITEM}/cClassTrib", "410999"))),
    Violation("1022", "nfe_normal", only("000", "000001")),
    Violation("1131", "nfe_normal", only("410", "410999", TRANSFER)),
    Violation("1132", "nfe_normal", only("800", "800001")),
    Violation("1169", "nfe_normal", only("410", "410999", ADJUSTMENT)),
    Violation("1170", "nfe_normal", only("811", "811001")),
    Violation("1134", "nfe_normal", only("410", "410999", FREE_ZONE)),
    Violation("1135", "nfe_normal", only("810", "810001")),
]
OF_RATES = [
    Violation(code, "nfe_normal", says(share.rate_path, share.wrong_rate), detail="[nItem:1]")
    for code, share in each("1026", "1036", "1037")
]
OF_RATES_OF_THE_OTHER_YEAR = [
    Violation(
        code,
        "nfe_normal",
        both(issued_at(moment), rated(right | {share.group: wrong[share.group]})),
        now=moment,
    )
    for moment, right, wrong in ((LAST_OF_2026, OF_2026, OF_2027), (FIRST_OF_2027, OF_2027, OF_2026))
    for code, share in each("1026", "1036", "1037")
]
OF_DEFERRALS = [
    *(
        Violation(code, "nfe_normal", grown(share.rate_path, NO_DEFERRAL))
        for code, share in each("1029", "1083", "1090")
    ),
    *(Violation(code, "nfe_deferred", share.due_at_once()) for code, share in each("1030", "1044", "1061")),
    Violation("1031", "nfe_deferred", says(f"{STATE.path}/gDif/pDif", "50.0000")),
    Violation(
        "1045", "nfe_deferred", both(IN_2027, says(f"{CITY.path}/gDif/pDif", "50.0000")), now=FIRST_OF_2027
    ),
    Violation("1062", "nfe_deferred", says(f"{CBS.path}/gDif/pDif", "50.0000")),
]
OF_REDUCTIONS = [
    *(
        Violation(code, "nfe_normal", grown(share.rate_path, reduced("0.0000", share.rate)))
        for code, share in each("1032", "1007", "1028")
    ),
    *(
        Violation(code, "nfe_public", without(f"{share.path}/gRed"))
        for code, share in each("1033", "1074", "1079")
    ),
    *(
        Violation(
            code, "nfe_reduced", becomes(f"{share.path}/gRed", reduced("59.0000", share.rate_reduced_by_59))
        )
        for code, share in each("1034", "1046", "1063")
    ),
    *(
        Violation(code, "nfe_reduced", says(f"{share.path}/gRed/pAliqEfet", share.wrong_effective_rate))
        for code, share in each("1035", "1047", "1064")
    ),
]
OF_AMOUNTS = [
    *(
        Violation(code, "nfe_normal", share.due("5.00", share.ibs))
        for code, share in each("1041", "1052", "1069")
    ),
    *(
        Violation(code, "nfe_suspended", says(f"{RATED}/gTribRegular/vTribReg{share.name}", "5.00"))
        for code, share in each("1040", "1051", "1068")
    ),
    Violation("1150", "nfe_normal", both(says(f"{RATED}/vIBS", "0.06"), says(f"{TOTALS}/gIBS/vIBS", "0.06"))),
    Violation("1111", "nfe_normal", grown(STATE.rate_path, REFUND)),
    Violation("1112", "nfe_normal", grown(CITY.rate_path, REFUND)),
    Violation("1187", "nfce_normal", grown(CBS.rate_path, REFUND)),
]
OF_OTHER_GROUPS = [
    Violation("1065", "nfe_suspended", without(f"{RATED}/gTribRegular")),
    Violation("1114", "nfe_normal", grown(f"{RATED}/gCBS", REGULAR)),
    Violation("1066", "nfe_suspended", says(f"{RATED}/gTribRegular/CSTReg", "999")),
    Violation("1067", "nfe_suspended", says(f"{RATED}/gTribRegular/cClassTribReg", "000999")),
    Violation("1141", "nfe_public", without(f"{RATED}/gTribCompraGov")),
    Violation("1142", "nfe_public", says(f"{RATED}/gTribCompraGov/vTribCBS", "0.53")),
    Violation("1144", "nfe_normal", grown(f"{RATED}/gCBS", PURCHASE)),
]
VIOLATIONS = [
    *OF_CODES,
    *OF_RATES,
    *OF_RATES_OF_THE_OTHER_YEAR,
    *OF_DEFERRALS,
    *OF_REDUCTIONS,
    *OF_AMOUNTS,
    *OF_OTHER_GROUPS,
]
ALLOWED = [
    Violation("1041", "nfe_normal", STATE.due("0.06", "0.06")),
    Violation("1069", "nfe_normal", CBS.due("0.49", "")),
    Violation("1142", "nfe_public", says(f"{RATED}/gTribCompraGov/vTribCBS", "0.52")),
    Violation("1026", "nfe_normal", IN_2026, now=LAST_OF_2026),
    Violation("1026", "nfe_normal", IN_2027, now=FIRST_OF_2027),
    Violation("1045", "nfe_deferred", IN_2027, now=FIRST_OF_2027),
    Violation("1115", "nfe_normal", both(WITHOUT_REFORM, issued_at(BEFORE_DEMAND)), now=BEFORE_DEMAND),
    Violation(
        "1115", "nfe_normal", both(issued_at(FIRST_OF_2027), corrects(NOTE_OF_2026)), now=FIRST_OF_2027
    ),
    Violation(
        "1115", "nfe_normal", both(issued_at(FIRST_OF_2027), gives_back(NOTE_OF_2026)), now=FIRST_OF_2027
    ),
    Violation("1115", "nfe_normal", both(WITHOUT_REFORM, says("infNFe/emit/CRT", "2"))),
    Violation("1187", "nfe_normal", grown(CBS.rate_path, REFUND)),
]
"""Documents close to breaking a rule, which are accepted."""


class TestReformRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None


class TestPanel:
    def test_production_requires_the_group_from_the_date_of_the_controls(
        self, tester: InvoiceRuleTester
    ) -> None:
        sold = nfe(tester.signer, by=NORMAL, under=PRODUCTION)
        document = mutated(sold, both(WITHOUT_REFORM, issued_at(FIRST_OF_2027)), tester.signer)

        def refusal(moved: dict[Milestone, date]) -> str | None:
            here = AT_SP._replace(environment=family.PRODUCTION)
            verdict = tester.verdict(document, service_path=here, now=FIRST_OF_2027, moved_dates=moved)
            return verdict.code if verdict else None

        demanded = Milestone.GROUP_REQUIRED_IN_PRODUCTION
        assert refusal({}) is None
        assert refusal({demanded: date(2027, 1, 1)}) == "1115"
        assert refusal({demanded: date(2027, 1, 2)}) is None

    def test_cbs_rate_is_that_of_the_controls(self, tester: InvoiceRuleTester) -> None:
        sold = Violation(
            "1037",
            "nfe_normal",
            both(issued_at(FIRST_OF_2027), rated(OF_2027 | {"gCBS": "8.7000"})),
            now=FIRST_OF_2027,
        )
        assert tester.verdict_on(tester.broken(sold), sold, cbs_rate=Decimal("8.7")) is None
