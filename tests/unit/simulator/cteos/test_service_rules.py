"""The service: its mode, way, taker and charter, and the documents that it refers to."""

import pytest

from carimbo.simulator.family import RequestContext
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.sefaz.borders import neighbors
from unit.simulator.cte.bases import NORMAL, store_cte
from unit.simulator.cte.sample_cte import CARRIER
from unit.simulator.cteos.bases import (
    GTVE_KEY,
    MODE,
    ORIGINAL_KEY,
    ROAD,
    TICKET_KEY,
    TO_BAHIA,
    VALUABLES,
    component,
    gtve,
    through,
    unsigned,
)
from unit.simulator.cteos.breaking import CteOsRuleTester, OsViolation
from unit.simulator.cteos.sample_cteos import PERMIT, STATE_REGISTRATION, key_of
from unit.simulator.mutating import Edit, both, says, without
from unit.simulator.nfe.event_scenario import altered
from unit.simulator.rules.edits import becomes, filled, grown

MODE_OF_ROAD = f'<infModal versaoModal="4.00"><rodoOS>{PERMIT}</rodoOS></infModal>'
CHARTER = f"{ROAD}/infFretamento"
TICKET, CANCELED, COMPONENT = (
    f"{NORMAL}/infDocRef/chBPe",
    f"{NORMAL}/refCTeCanc",
    f"{NORMAL}/infGTVe/Comp",
)


def authorized(context: RequestContext, xml: bytes) -> None:
    statement = "update documents set status = ?"
    context.store.connection.execute(statement, (DocumentStatus.AUTHORIZED,))


def canceled_of_a_carrier(context: RequestContext, xml: bytes) -> None:
    stored = unsigned(1, both(VALUABLES, says("infCte/emit/CNPJ", CARRIER)))
    store_cte(context, stored, status=DocumentStatus.CANCELED)


def canceled_is_of_people(context: RequestContext, xml: bytes) -> None:
    statement = "update documents set xml = replace(cast(xml as text), '<tpServ>7<', '<tpServ>6<')"
    context.store.connection.execute(statement)


VIOLATIONS = [
    OsViolation("580", edit=says(f"{ROAD}/TAF", "123"), detail="rodoOS/TAF"),
    OsViolation("798", edit=without(MODE)),
    OsViolation("798", base="baggage", edit=without(MODE)),
    OsViolation("829", base="valuables", edit=grown(f"{NORMAL}/infServico", MODE_OF_ROAD)),
    OsViolation("829", edit=says("infCte/ide/modal", "03")),
    OsViolation("751", base="by_air", edit=without("infCte/ide/UFIni")),
    OsViolation("752", base="by_air", edit=without("infCte/ide/cMunFim")),
    OsViolation("753", base="to_bahia", edit=without("infCte/ide/infPercurso")),
    OsViolation("753", base="to_bahia", edit=says("infCte/ide/infPercurso/UFPer", "PR")),
    OsViolation("753", edit=through("SP")),
    OsViolation("753", base="by_air", edit=through("PR")),
    OsViolation(
        "757",
        edit=both(says("infCte/ide/indIEToma", "9"), without("infCte/toma")),
    ),
    OsViolation(
        "757", base="valuables", edit=both(says("infCte/ide/indIEToma", "9"), without("infCte/toma"))
    ),
    OsViolation("839", base="within_the_state", edit=becomes(f"{ROAD}/NroRegEstadual", PERMIT)),
    OsViolation("840", edit=becomes(f"{ROAD}/TAF", STATE_REGISTRATION)),
    OsViolation("841", edit=without(CHARTER)),
    OsViolation("837", edit=without(f"{CHARTER}/dhViagem")),
    OsViolation("838", edit=says(f"{CHARTER}/dhViagem", "2026-11-14T10:00:00-03:00")),
    OsViolation("760", edit=without("infCte/imp/infTribFed")),
    OsViolation("754", base="baggage", edit=without(f"{NORMAL}/infDocRef")),
    OsViolation("891", base="baggage", edit=says(TICKET, key_of(5)), detail="modelo diferente de 63"),
    OsViolation(
        "891", base="baggage", edit=says(TICKET, altered(TICKET_KEY, 4, "13")), detail="mês inválido"
    ),
    OsViolation(
        "815",
        edit=filled(NORMAL, f"<refCTeCanc>{ORIGINAL_KEY}</refCTeCanc>"),
        also_off={"824"},
    ),
    OsViolation(
        "856",
        base="instead_of_canceled",
        edit=says(CANCELED, key_of(1, model="57")),
        detail="modelo diferente de 67",
        also_off={"824"},
    ),
    OsViolation(
        "825", base="instead_of_canceled", edit=says(CANCELED, key_of(code="98765432")), also_off={"824"}
    ),
    OsViolation("824", base="instead_of_canceled", edit=says(CANCELED, key_of(77))),
    OsViolation("826", base="instead_of_canceled", prepare=authorized),
    OsViolation(
        "827",
        base="instead_of_canceled",
        edit=says(CANCELED, key_of(1, CARRIER)),
        prepare=canceled_of_a_carrier,
    ),
    OsViolation("830", base="instead_of_canceled", prepare=canceled_is_of_people),
    OsViolation("881", base="gtves", edit=says("infCte/ide/tpServ", "8"), masked_by={"754", "798"}),
    OsViolation(
        "882", base="gtves", edit=says(f"{NORMAL}/infGTVe/chCTe", key_of(6)), detail="modelo diferente de 64"
    ),
    OsViolation("897", base="baggage", edit=says(TICKET, key_of(7, CARRIER, model="63"))),
    OsViolation("886", base="gtves", edit=says(f"{NORMAL}/infGTVe/chCTe", key_of(6, CARRIER, model="64"))),
    OsViolation(
        "887", base="gtves", edit=filled(NORMAL, gtve(GTVE_KEY, component("2", "0.00"))), detail=GTVE_KEY
    ),
    OsViolation("898", base="gtves", edit=without(f"{NORMAL}/infGTVe/Comp[2]/xComp")),
    OsViolation("899", base="gtves", edit=says(f"{COMPONENT}/vComp", "600.11")),
]


class TestServiceRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: OsViolation, tester: CteOsRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize(
        ("base", "edit"),
        [
            ("people", through("MG")),
            ("within_the_state", through("MG")),
            ("people", both(TO_BAHIA, through("MG"))),
            ("people", both(says("infCte/ide/cMunFim", "9999999"), says("infCte/ide/UFFim", "EX"))),
            ("by_air", TO_BAHIA),
            ("valuables", filled("infCte/ide", "<infPercurso><UFPer>MG</UFPer></infPercurso>")),
            (
                "continuous",
                grown(f"{CHARTER}/tpFretamento", "<dhViagem>2026-11-20T08:00:00-03:00</dhViagem>"),
            ),
            ("gtves", says(f"{COMPONENT}/vComp", "600.10")),
        ],
    )
    def test_other_forms_of_the_service_are_accepted(
        self, base: str, edit: Edit, tester: CteOsRuleTester
    ) -> None:
        service = OsViolation("", base=base, edit=edit)
        assert tester.verdict_on(tester.broken(service), service) is None


class TestBorders:
    def test_every_state_is_a_neighbor_of_its_neighbors(self) -> None:
        borders = {(state, other) for state, others in neighbors().items() for other in others}
        assert {(other, state) for state, other in borders} == borders
        assert all(state != other for state, other in borders)
        assert len(neighbors()) == 27
