"""The places of an MDF-e, its route, loading on the way, and the documents that it lists."""

from collections.abc import Callable

import pytest

from carimbo.simulator.family import RequestContext
from carimbo.simulator.ledger import DocumentStatus
from unit.simulator.mdfe.bases import (
    AIR,
    MANIFEST_KEY,
    MODE,
    OWN_CARGO,
    RAIL,
    ROAD,
    UNLOADING,
    WATER,
    by,
    edited,
    store_mdfe,
)
from unit.simulator.mdfe.breaking import MdfeRuleTester, Violation
from unit.simulator.mdfe.sample_mdfe import (
    CITY_RJ,
    CITY_SP,
    CTE_KEY,
    NFE_KEY,
    SECOND_CTE_KEY,
    SECOND_NFE_KEY,
    listed,
    unchanged,
    unloading,
)
from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import becomes, grown

LOADING = "infMDFe/ide/infMunCarrega"
WITHIN_RIO = both(
    says("infMDFe/ide/UFIni", "RJ"),
    says(f"{LOADING}/cMunCarrega", CITY_RJ[0]),
)
NITEROI = ("3303302", "NITEROI")


def another_loading(code: str) -> Edit:
    fields = f"<cMunCarrega>{code}</cMunCarrega><xMunCarrega>OUTRA</xMunCarrega>"
    return grown(LOADING, f"<infMunCarrega>{fields}</infMunCarrega>")


def unloadings(*cities: str) -> Edit:
    return becomes(UNLOADING, *cities)


def route(*states: str) -> Edit:
    return grown(LOADING, *(f"<infPercurso><UFPer>{state}</UFPer></infPercurso>" for state in states))


def to_bahia(*states: str) -> Edit:
    return both(
        says("infMDFe/ide/UFFim", "BA"),
        says(f"{UNLOADING}/cMunDescarga", "2927408"),
        *([route(*states)] if states else []),
    )


def old(key: str) -> str:
    return altered(key, 4, "04")


def listing(tag: str, *keys: str) -> Edit:
    """The city has other documents."""
    return becomes(UNLOADING, unloading(listed(*keys, tag=tag)))


def waybill_with_another_key(context: RequestContext, xml: bytes) -> None:
    store_mdfe(context, edited(OWN_CARGO, 9), access_key=altered(CTE_KEY, 35, "98765432"))


def canceled(key: str) -> Callable[[RequestContext, bytes], None]:
    """Stores a canceled document with a key."""

    def prepare(context: RequestContext, xml: bytes) -> None:
        document = store_mdfe(context, edited(OWN_CARGO, 9), access_key=key, status=DocumentStatus.CANCELED)
        context.store.connection.execute("delete from manifests where access_key = ?", (document.access_key,))

    return prepare


def shipped(edit: Edit) -> Callable[[RequestContext, bytes], None]:
    """Stores the MDF-e of a vehicle on the ship."""

    def prepare(context: RequestContext, xml: bytes) -> None:
        store_mdfe(context, edited(edit, 7))

    return prepare


VIOLATIONS = [
    Violation("456", edit=says(f"{LOADING}/cMunCarrega", "3304557")),
    Violation("456", edit=another_loading("3106200")),
    Violation("405", edit=says(f"{LOADING}/cMunCarrega", "3500000")),
    Violation("685", edit=another_loading(CITY_SP[0])),
    Violation("612", edit=says(f"{UNLOADING}/cMunDescarga", CITY_SP[0])),
    Violation("406", edit=says(f"{UNLOADING}/cMunDescarga", "3300000")),
    Violation("680", edit=unloadings(unloading(listed(CTE_KEY)), unloading(listed(SECOND_CTE_KEY)))),
    Violation(
        "541",
        base="globalized",
        edit=both(says("infMDFe/ide/UFFim", "RJ"), says(f"{UNLOADING}/cMunDescarga", CITY_RJ[0])),
    ),
    Violation("663", edit=to_bahia()),
    Violation("663", edit=to_bahia("RJ")),
    Violation("663", edit=route("SP")),
    Violation("703", base="loads_later", edit=another_loading("3509502")),
    Violation("703", base="loads_later", edit=says(f"{UNLOADING}/cMunDescarga", "3509502")),
    Violation(
        "704",
        base="loads_later",
        edit=both(says("infMDFe/ide/UFFim", "RJ"), says(f"{UNLOADING}/cMunDescarga", CITY_RJ[0])),
        masked_by={"703"},
    ),
    Violation(
        "705",
        base="loads_later",
        edit=by(*RAIL),
    ),
    Violation(
        "707",
        base="loads_later",
        edit=says("infMDFe/ide/tpEmit", "3"),
        also_off={"688", "684", "578", "698"},
    ),
    Violation(
        "706",
        base="loads_later",
        edit=both(
            becomes(UNLOADING, unloading(listed(NFE_KEY, tag="NFe"), city=CITY_SP)),
            becomes("infMDFe/tot/vCarga", "<qNFe>1</qNFe>", "<vCarga>1.00</vCarga>"),
        ),
    ),
    Violation(
        "638",
        edit=both(listing("NFe", NFE_KEY), becomes("infMDFe/tot/qCTe", "<qNFe>1</qNFe>")),
        also_off={"301", "726", "302"},
    ),
    Violation(
        "639",
        base="own_cargo",
        edit=both(listing("CTe", CTE_KEY), becomes("infMDFe/tot/qNFe", "<qCTe>1</qCTe>")),
    ),
    Violation(
        "540",
        base="globalized",
        edit=both(
            becomes(UNLOADING, unloading(listed(CTE_KEY, SECOND_CTE_KEY), city=CITY_SP)),
            becomes("infMDFe/tot/qNFe", "<qCTe>2</qCTe>"),
        ),
    ),
    Violation(
        "616",
        edit=grown(UNLOADING, unloading(city=NITEROI)),
        detail="[cMunDescarga:3303302]",
    ),
    Violation("668", edit=listing("CTe", CTE_KEY, CTE_KEY), detail=CTE_KEY),
    Violation(
        "668",
        edit=unloadings(unloading(listed(CTE_KEY)), unloading(listed(CTE_KEY), city=NITEROI)),
        detail=CTE_KEY,
    ),
    Violation("668", edit=both(WITHIN_RIO, listing("CTe", CTE_KEY, CTE_KEY)), detail=CTE_KEY),
    Violation(
        "669",
        base="own_cargo",
        edit=listing("NFe", NFE_KEY, NFE_KEY),
        detail=NFE_KEY,
    ),
    Violation("601", edit=says(f"{UNLOADING}/infCTe/chCTe", NFE_KEY), detail="modelo diferente de 57"),
    Violation(
        "601", edit=says(f"{UNLOADING}/infCTe/chCTe", altered(CTE_KEY, 4, "13")), detail="mês inválido"
    ),
    Violation("518", edit=says(f"{UNLOADING}/infCTe/chCTe", old(CTE_KEY)), detail=old(CTE_KEY)),
    Violation("672", prepare=waybill_with_another_key, detail="[chCTe:"),
    Violation("673", prepare=canceled(CTE_KEY), detail=CTE_KEY),
    Violation("604", base="own_cargo", edit=says(f"{UNLOADING}/infNFe/chNFe", CTE_KEY), detail="modelo"),
    Violation("519", base="own_cargo", edit=says(f"{UNLOADING}/infNFe/chNFe", old(NFE_KEY))),
    Violation(
        "676",
        base="own_cargo",
        prepare=canceled(altered(NFE_KEY, 35, "98765432")),
        detail="[chNFe:",
    ),
    Violation("677", base="own_cargo", prepare=canceled(SECOND_NFE_KEY), detail=SECOND_NFE_KEY),
    Violation(
        "702",
        base="partial",
        edit=both(
            says("infMDFe/ide/modal", "3"),
            becomes(f"{MODE}/aereo", WATER[1]),
        ),
    ),
    Violation(
        "647",
        base="on_a_ship",
        edit=both(
            says("infMDFe/ide/modal", "2"),
            becomes(f"{MODE}/aquav", AIR[1]),
        ),
    ),
    Violation(
        "648",
        base="on_a_ship",
        edit=both(says("infMDFe/ide/UFFim", "PA"), says(f"{UNLOADING}/cMunDescarga", "1501402")),
    ),
    Violation("649", base="on_a_ship", edit=says(f"{UNLOADING}/infMDFeTransp/chMDFe", CTE_KEY)),
    Violation("520", base="on_a_ship", edit=says(f"{UNLOADING}/infMDFeTransp/chMDFe", old(MANIFEST_KEY))),
    Violation(
        "656",
        base="on_a_ship",
        prepare=canceled(altered(MANIFEST_KEY, 35, "98765432")),
        detail="[chMDFe:",
    ),
    Violation("657", base="on_a_ship", prepare=canceled(MANIFEST_KEY), detail=MANIFEST_KEY),
    Violation("658", base="on_a_ship", prepare=shipped(both(OWN_CARGO, by(*AIR))), detail=MANIFEST_KEY),
    Violation("659", base="on_a_ship", prepare=shipped(unchanged), detail=MANIFEST_KEY),
    Violation("667", edit=says("infMDFe/tot/qCTe", "3")),
    Violation("667", edit=without("infMDFe/tot/qCTe")),
    Violation("667", base="own_cargo", edit=grown("infMDFe/tot/qNFe", "<qMDFe>1</qMDFe>")),
]


class TestPlaceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: MdfeRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("states", [("MG",), ("RJ", "ES"), ("RJ", "MG")])
    def test_route_follows_the_borders(self, states: tuple[str, ...], tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("663", edit=to_bahia(*states)))

    def test_trip_abroad_has_neither_city_nor_national_plate(self, tester: MdfeRuleTester) -> None:
        abroad = both(
            says("infMDFe/ide/UFFim", "EX"),
            says(f"{UNLOADING}/cMunDescarga", "9999999"),
            says(f"{ROAD}/veicTracao/placa", "AB12345"),
        )
        assert tester.accepts(Violation("663", edit=abroad))

    def test_vehicles_of_own_cargo_go_by_ship(self, tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("659", base="on_a_ship", prepare=shipped(OWN_CARGO)))

    def test_same_waybill_in_two_cities_of_the_state_of_loading_is_accepted(
        self, tester: MdfeRuleTester
    ) -> None:
        twice = unloadings(unloading(listed(CTE_KEY)), unloading(listed(CTE_KEY), city=NITEROI))
        assert tester.accepts(Violation("668", edit=both(WITHIN_RIO, twice)))
