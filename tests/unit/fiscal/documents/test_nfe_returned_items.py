"""Returns of a part of a received NF-e: chosen items, and the amounts of a quantity."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.documents.nfe.returned_items import depends_on_quantity
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import Element, layout_of
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.problems import Incomplete
from carimbo.fiscal.receiving import ReturnDraftRequest
from unit.fiscal.documents.received_nfe import example, with_text
from unit.fiscal.documents.returns import buyer, chosen, draft
from unit.fiscal.goods.support import misformed

VALUES_OF_A_UNIT = {"vUnCom", "vUnTrib", "vUnid", "vAliqProd", "vPMC", "vPart", "vEncIni", "vEncFin"}


def item_of(quantity: str, name: str = "beverage-industry", of: str = "3.0000") -> dict[str, Any]:
    """Returns the draft's first item if a quantity of the first item of an example goes back."""
    file = with_text(example(name), "det/prod/qCom", of)
    (item,) = return_draft(file, buyer(), chosen({"number": 1, "quantity": Decimal(quantity)}))["items"]
    return dict(item)


def amounts(group: dict[str, Any], *names: str) -> list[Decimal]:
    return [group[name] for name in names]


class TestAmounts:
    def test_third_of_an_item_has_a_third_of_all_taxes(self) -> None:
        item = item_of("1")
        assert (item["quantity"], item["unitValue"]) == (1, 40)
        assert item["taxableQuantity"] == Decimal("33.3333")
        icms = item["icms"]
        own = amounts(icms, "base", "amount", "fcpBase", "fcpAmount")
        assert own == [Decimal("1333.33"), Decimal("266.67"), Decimal("1333.33"), Decimal("26.67")]
        later = amounts(icms, "stBase", "stAmount", "stFcpBase", "stFcpAmount")
        assert later == [Decimal("1939.47"), Decimal("121.23"), Decimal("1939.47"), Decimal("12.12")]
        assert item["returnedIpi"] == {"returnedShare": Decimal("33.33"), "amount": Decimal("52.00")}
        taxed = item["ibsCbs"]
        assert (taxed["base"], taxed["cbs"]["amount"]) == (Decimal("901.33"), Decimal("8.11"))

    def test_rates_stay_those_of_the_note(self) -> None:
        whole, part = item_of("3"), item_of("1")
        for name in ("rate", "fcpRate", "stRate", "stFcpRate", "stMva"):
            assert part["icms"][name] == whole["icms"][name]

    def test_half_a_cent_is_rounded_up(self) -> None:
        assert item_of("1", of="2.0000")["icms"]["stFcpAmount"] == Decimal("18.19")

    def test_whole_quantity_gives_exactly_the_amounts_of_the_note(self) -> None:
        everything = draft("beverage-industry")
        quantities = [{"number": 1, "quantity": 100}, {"number": 2, "quantity": 500}, {"number": 3}]
        rest = [{"number": number} for number in range(4, len(everything["items"]) + 1)]
        assert draft("beverage-industry", None, *quantities, *rest) == everything

    def test_charges_and_discount_are_divided(self) -> None:
        (item,) = draft("shared-charges", None, {"number": 3, "quantity": 3})["items"]
        whole = draft("shared-charges")["items"][2]
        for name in ("freight", "insurance", "other", "discount"):
            assert (name in item) == (name in whole)
        assert item["freight"] == Decimal("3.84")

    def test_due_tax_stays_the_tax_of_the_operation_without_the_deferred_part(self) -> None:
        (item,) = draft("deferral", None, {"number": 1, "quantity": Decimal("19.998")})["items"]
        operation, deferred, due = amounts(item["icms"], "operationAmount", "deferralAmount", "amount")
        assert due == operation - deferred

    def test_every_amount_and_quantity_of_an_item_is_divided_but_no_rate(self) -> None:
        kept = {element.tag for element in numbers_in(Item) if not depends_on_quantity(element)}
        others = {tag for tag in kept if not tag.startswith(("p", "adRem"))}
        assert others == VALUES_OF_A_UNIT


def numbers_in(group: type, seen: frozenset[type] = frozenset()) -> Iterator[Element]:
    """Yields the declarations of all decimal numbers of a group and its inner groups."""
    for name, element in layout_of(group).elements.items():
        if element.kind == "decimal":
            yield element
        for inner in groups_in(group)[name]:
            if inner not in seen:
                yield from numbers_in(inner, seen | {group})


class TestChoice:
    def test_only_chosen_items_go_back_in_the_order_of_the_note(self) -> None:
        items = draft("fifty-items", None, {"number": 7}, {"number": 2, "quantity": 1})["items"]
        assert [item["referencedItem"]["position"] for item in items] == [2, 7]

    def test_part_of_several_batches_leaves_them_to_a_person(self) -> None:
        whole = draft("medicine")["items"][0]
        (part,) = draft("medicine", None, {"number": 1, "quantity": 10})["items"]
        assert len(whole["batches"]) > 1
        assert "batches" not in part
        assert part["medicine"] == whole["medicine"]

    def test_entrusted_goods_beside_sold_ones_hinder_nothing_if_they_are_not_chosen(self) -> None:
        file = with_text(example("fifty-items"), "det/prod/CFOP", "5915")
        (item,) = return_draft(file, buyer(), chosen({"number": 2}))["items"]
        assert item["referencedItem"]["position"] == 2

    def test_choice_that_does_not_fit_the_note_is_refused(self) -> None:
        choice = ({"number": 1, "quantity": Decimal("2.5")}, {"number": 2}, {"number": 1})
        with pytest.raises(Incomplete) as caught:
            draft("minimal", None, *choice)
        assert {problem.path: problem.message for problem in caught.value.problems} == {
            "items[0].quantity": "Não pode passar da quantidade do item na nota: 2 UN.",
            "items[1].number": "A nota não tem o item 2.",
            "items[2].number": "O item 1 está repetido.",
        }

    @pytest.mark.parametrize("items", [(), ({"number": 1, "quantity": Decimal("0.0001")},)])
    def test_return_of_nothing_is_refused(self, items: tuple[dict[str, Any], ...]) -> None:
        request = ReturnDraftRequest.model_validate({"items": items})
        with pytest.raises(Incomplete) as caught:
            return_draft(example("minimal"), buyer(), request)
        assert [problem.path for problem in caught.value.problems] == ["items"]

    @pytest.mark.parametrize(
        ("item", "path", "message"),
        [
            ({"number": 1, "quantity": 0}, "items[0].quantity", "Deve ser maior que 0."),
            ({"number": 1, "quantity": -1}, "items[0].quantity", "Deve ser maior ou igual a 0."),
            (
                {"number": 1, "quantity": Decimal("0.00001")},
                "items[0].quantity",
                "Deve ter no máximo 4",
            ),
            ({"number": 0}, "items[0].number", "Deve ser maior ou igual a 1."),
            ({"quantity": 1}, "items[0].number", "Campo obrigatório."),
            ({"number": 1, "amount": 1}, "items[0].amount", "Campo desconhecido"),
        ],
    )
    def test_invalid_fields_are_refused(self, item: dict[str, Any], path: str, message: str) -> None:
        with pytest.raises(ValidationError) as caught:
            chosen(item)
        ((field, text),) = misformed(caught.value).items()
        assert field == path
        assert text.startswith(message)
