"""Open MDF-e that block others: of the same vehicle, of the same issuer, and those that never load."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from carimbo.simulator.family import PRODUCTION, RequestContext
from carimbo.simulator.ledger import DocumentStatus
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mdfe.bases import (
    AIR,
    LOADS_LATER,
    OWN_CARGO,
    PROTOCOL,
    TRACTOR,
    UNLOADING,
    by,
    edited,
    store_event,
    store_mdfe,
)
from unit.simulator.mdfe.breaking import MdfeRuleTester, Violation
from unit.simulator.mdfe.event_scenario import Scenario
from unit.simulator.mdfe.mdfe_client import MdfeClient, inclusion, text_of
from unit.simulator.mdfe.sample_mdfe import CITY_RJ, CITY_SP, key_of, mdfe, unchanged
from unit.simulator.mutating import Edit, both, says
from unit.simulator.rules.edits import grown

LOADING = "infMDFe/ide/infMunCarrega"
BRANCH = "11222333000262"
OTHER_PLATE = says(f"{TRACTOR}/placa", "XYZ9Z99")
BACK = both(
    says("infMDFe/ide/UFIni", "RJ"),
    says("infMDFe/ide/UFFim", "SP"),
    says(f"{LOADING}/cMunCarrega", CITY_RJ[0]),
    says(f"{UNLOADING}/cMunDescarga", CITY_SP[0]),
)
TO_MINAS = both(says("infMDFe/ide/UFFim", "MG"), says(f"{UNLOADING}/cMunDescarga", "3106200"))
DETAIL = f"[chMDFe:{key_of(7)}][nProt:{PROTOCOL}]"


def to_bahia(*states: str) -> Edit:
    """The trip goes by some states."""
    return both(
        says("infMDFe/ide/UFFim", "BA"),
        says(f"{UNLOADING}/cMunDescarga", "2927408"),
        grown(LOADING, *(f"<infPercurso><UFPer>{state}</UFPer></infPercurso>" for state in states)),
    )


def open_before(
    context: RequestContext,
    xml: bytes,
    *,
    edit: Edit = unchanged,
    age: timedelta = timedelta(),
    **changes: object,
) -> None:
    """Stores another MDF-e, authorized some time ago."""
    store_mdfe(context, edited(edit, 7), received_at=context.now - age, **changes)


def of_a_branch(context: RequestContext, xml: bytes) -> None:
    open_before(context, xml, edit=says("infMDFe/emit/CNPJ", BRANCH), protocol="935260000000077")


def two_open(context: RequestContext, xml: bytes) -> None:
    """The newer one is stored first."""
    store_mdfe(context, edited(unchanged, 8), received_at=context.now - timedelta(hours=1), protocol="9")
    open_before(context, xml, age=timedelta(hours=2))


def loaded_never(context: RequestContext, xml: bytes, age: timedelta) -> None:
    open_before(context, xml, edit=both(LOADS_LATER, OTHER_PLATE), age=age)


FIVE_DAYS, MONTH, WEEK = timedelta(days=5), timedelta(days=30), timedelta(hours=168)
A_SECOND = timedelta(seconds=1)

VIOLATIONS = [
    Violation("611", prepare=open_before, detail=DETAIL),
    Violation("611", prepare=of_a_branch, detail="[nProt:935260000000077]"),
    Violation("611", prepare=two_open, detail=DETAIL),
    Violation("662", prepare=partial(open_before, edit=BACK), detail=DETAIL),
    Violation("462", prepare=partial(open_before, edit=TO_MINAS, age=FIVE_DAYS + A_SECOND), detail=DETAIL),
    Violation(
        "462",
        prepare=partial(open_before, edit=to_bahia("RJ", "ES"), age=FIVE_DAYS + A_SECOND),
        detail=DETAIL,
    ),
    Violation("686", prepare=partial(open_before, edit=OTHER_PLATE, age=MONTH + A_SECOND), detail=DETAIL),
    Violation(
        "686",
        base="air",
        prepare=partial(open_before, edit=by(*AIR), age=MONTH + A_SECOND),
        detail=DETAIL,
    ),
    Violation("712", prepare=partial(loaded_never, age=WEEK + A_SECOND), detail=DETAIL),
]


def ended(status: DocumentStatus) -> Callable[[RequestContext, bytes], None]:
    return partial(open_before, status=status, age=MONTH * 2)


def loaded(context: RequestContext, xml: bytes) -> None:
    loaded_never(context, xml, WEEK * 2)
    store_event(context, key_of(7), "110115")


HARMLESS: Mapping[str, Callable[[RequestContext, bytes], object]] = {
    "closed": ended(DocumentStatus.CLOSED),
    "canceled": ended(DocumentStatus.CANCELED),
    "other_vehicle": partial(open_before, edit=OTHER_PLATE, age=MONTH),
    "other_way": partial(open_before, edit=TO_MINAS, age=FIVE_DAYS),
    "own_cargo": partial(open_before, edit=OWN_CARGO),
    "long_way": partial(open_before, edit=to_bahia("RJ", "ES", "MG"), age=MONTH),
    "other_company": partial(open_before, edit=says("infMDFe/emit/CNPJ", "44555666000181"), age=MONTH * 2),
    "other_environment": partial(open_before, environment=PRODUCTION),
    "by_air": partial(open_before, edit=by(*AIR)),
    "loaded_later": loaded,
    "not_loaded_yet": partial(loaded_never, age=WEEK),
}


class TestOpenManifestRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_open_manifest_blocks_the_document(self, violation: Violation, tester: MdfeRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("name", HARMLESS)
    def test_harmless_manifest_does_not_block_the_document(self, name: str, tester: MdfeRuleTester) -> None:
        assert tester.accepts(Violation("611", prepare=HARMLESS[name]))

    def test_branch_is_not_blocked_by_an_old_manifest_of_another_vehicle(
        self, tester: MdfeRuleTester
    ) -> None:
        of_branch = both(OTHER_PLATE, says("infMDFe/emit/CNPJ", BRANCH))
        assert tester.accepts(Violation("686", prepare=partial(open_before, edit=of_branch, age=MONTH * 2)))


class TestScenarios:
    """Whole trips, through the services."""

    def test_vehicle_is_free_after_the_trip_is_closed(self, client: MdfeClient) -> None:
        first = client.authorized(mdfe(client.signer))
        second = mdfe(client.signer, number=2)
        refused = client.send(second)
        assert (refused.code, f"[chMDFe:{first.access_key}][nProt:{first.protocol}]" in refused.message) == (
            "611",
            True,
        )
        assert client.send(mdfe(client.signer, BACK, number=3)).code == "662"
        assert client.close(first).code == "135"
        assert client.authorized(second).status is DocumentStatus.AUTHORIZED

    def test_vehicle_is_free_after_a_cancellation(self, client: MdfeClient) -> None:
        assert client.cancel(client.authorized(mdfe(client.signer))).code == "135"
        assert client.send(mdfe(client.signer, number=2)).code == "100"

    def test_same_document_again_is_a_duplicate(self, client: MdfeClient) -> None:
        document = mdfe(client.signer)
        client.authorized(document)
        assert client.send(document).code == "204"

    def test_environments_do_not_block_each_other(self, client: MdfeClient) -> None:
        client.authorized(mdfe(client.signer))
        in_production = mdfe(client.signer, says("infMDFe/ide/tpAmb", "1"))
        assert client.send(in_production, PRODUCTION).code == "100"

    def test_cargo_that_is_loaded_later_blocks_until_it_is_loaded(self, scenario: Scenario) -> None:
        first = scenario.on_the_way(both(LOADS_LATER, OTHER_PLATE))
        late = replace(scenario.carrier, now=ISSUED_AT + WEEK + A_SECOND)
        second = mdfe(late.signer, says("infMDFe/ide/dhEmi", late.now.isoformat()), number=2)
        assert late.send(second).code == "712"
        assert late.send_event(first, inclusion(first.protocol)).code == "135"
        assert late.send(second).code == "100"


class TestOpenOnes:
    def test_open_manifests_are_listed_until_they_end(self, client: MdfeClient) -> None:
        assert client.open_ones().code == "112"
        first = client.authorized(mdfe(client.signer))
        second = client.authorized(mdfe(client.signer, OTHER_PLATE, number=2))
        answer = client.open_ones()
        assert answer.code == "111"
        assert text_of(answer, "infMDFe/chMDFe") == first.access_key
        assert text_of(answer, "infMDFe/nProt") == first.protocol
        assert answer.reply.body.count(b"<infMDFe>") == 2
        assert client.close(first).code == "135"
        assert text_of(client.open_ones(), "infMDFe/chMDFe") == second.access_key
        assert client.cancel(second).code == "135"
        assert client.open_ones().code == "112"

    def test_branch_sees_the_open_manifests_of_another(self, client: MdfeClient) -> None:
        client.authorized(mdfe(client.signer))
        assert client.open_ones(BRANCH).code == "112"
        assert replace(client, tax_id=BRANCH).open_ones(CNPJ).code == "111"

    def test_other_company_sees_none(self, client: MdfeClient, other: MdfeClient) -> None:
        client.authorized(mdfe(client.signer))
        assert other.open_ones(CNPJ).code == "213"

    def test_environments_have_their_own(self, client: MdfeClient) -> None:
        client.authorized(mdfe(client.signer))
        assert client.open_ones(environment=PRODUCTION).code == "112"
