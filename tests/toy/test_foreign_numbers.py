"""Numbers that another system of the same company has used: the authority says so."""

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.actions import cancel
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop, accepted, own_number
from support import data_of
from toy.codes import OTHER_KEY_CODE, TAKEN_CODE
from toy.shop import KINDS, toy_shop

MOST = 10
TAKEN = {"toy": OTHER_KEY_CODE, "toynote": TAKEN_CODE}


@pytest.fixture
async def twin(floor: Floor, shop: Shop, certificate: A1Certificate) -> Shop:
    """Returns the same company in another installation, which counts its own numbers."""
    tax_id = data_of(await shop.get(""))["taxId"]
    return await toy_shop(floor, await floor.new_caller("unlimited"), certificate, tax_id)


@pytest.mark.parametrize("kind", KINDS)
class TestNumberOfAnotherInstallation:
    async def test_is_skipped_and_the_next_number_is_taken(self, shop: Shop, twin: Shop, kind: str) -> None:
        first = await shop.issue(kind)
        ours = await twin.issue(kind, notes="De outra instalação")
        assert (first["status"], ours["status"]) == ("authorized", "authorized")
        assert (own_number(first), own_number(ours)) == (1, 2)
        assert first["accessKey"] != ours["accessKey"]
        types = [event["type"] for event in await twin.events(ours)]
        assert types.count("numbered") == 2
        assert types[-1] == "authorized"

    async def test_is_skipped_although_its_document_was_canceled(
        self, shop: Shop, twin: Shop, kind: str
    ) -> None:
        first = await shop.issue(kind)
        data_of(await cancel(shop, first))
        ours = await twin.issue(kind, notes="De outra instalação")
        assert (ours["status"], own_number(ours)) == ("authorized", 2)

    async def test_that_is_met_ten_times_is_a_refusal_until_another_number_is_set(
        self, shop: Shop, twin: Shop, kind: str
    ) -> None:
        for _ in range(MOST + 1):
            assert (await shop.issue(kind))["status"] == "authorized"
        refused = await twin.issue(kind, notes="De outra instalação")
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", TAKEN[kind])
        assert own_number(refused) == MOST
        await twin.put_settings(**{kind: {"number": 50}})
        accepted(await twin.emit(refused))
        cured = await twin.settled(refused)
        assert (cured["status"], own_number(cured)) == ("authorized", 50)
