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
    """The same company as another installation has it, which knows nothing of this one's numbers."""
    tax_id = data_of(await shop.get(""))["taxId"]
    return await toy_shop(floor, await floor.new_caller("unlimited"), certificate, tax_id)


@pytest.mark.parametrize("kind", KINDS)
class TestNumberOfAnother:
    async def test_is_left_to_it_and_the_next_one_is_taken(self, shop: Shop, twin: Shop, kind: str) -> None:
        first = await shop.issue(kind)
        ours = await twin.issue(kind, notes="De outra instalação")
        assert (first["status"], ours["status"]) == ("authorized", "authorized")
        assert (own_number(first), own_number(ours)) == (1, 2)
        assert first["accessKey"] != ours["accessKey"]
        told = [event["type"] for event in await twin.events(ours)]
        assert told.count("numbered") == 2
        assert told[-1] == "authorized"

    async def test_is_left_to_it_though_it_took_its_document_back(
        self, shop: Shop, twin: Shop, kind: str
    ) -> None:
        first = await shop.issue(kind)
        data_of(await cancel(shop, first))
        ours = await twin.issue(kind, notes="De outra instalação")
        assert (ours["status"], own_number(ours)) == ("authorized", 2)

    async def test_again_and_again_is_a_refusal_that_another_number_cures(
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
