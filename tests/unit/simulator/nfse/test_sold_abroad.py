"""Services sold to whoever is not from here, or not here: the Sefin takes every note that a sale makes."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.customer import CustomerFacts
from carimbo.simulator.family import World
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.judge import NOTE_RULES
from carimbo.simulator.rule import broken_by
from carimbo.simulator.trust import Trust
from unit.fiscal.documents.nfse_sales import USUAL, json_of, service
from unit.fiscal.documents.nfse_support import ISSUED_AT, NBS, NEW_YORK, declared, said
from unit.fiscal.sold_parts import ABROAD, FIRM, HERE, PERSON
from unit.simulator.mutating import world
from unit.simulator.nfse.declaring import NAMESPACE
from unit.simulator.nfse.sefin import AT_SEFIN

RESIDENT = replace(ABROAD, address=HERE)
CUSTOMERS = {
    "abroad": (ABROAD, "NIF", True),
    "abroad without an id": (replace(ABROAD, foreign_id=None), "cNaoNIF", True),
    "from abroad, here": (RESIDENT, None, False),
    "from abroad, here, without an id": (replace(RESIDENT, foreign_id=None), None, False),
    "from abroad, here, with a CPF": (replace(RESIDENT, document=PERSON.document), "CPF", False),
    "from here, abroad": (replace(PERSON, address=NEW_YORK), "CPF", False),
    "company from here, abroad": (replace(FIRM, address=NEW_YORK), "CNPJ", False),
    "from here, abroad, with an id": (replace(PERSON, address=NEW_YORK, foreign_id="P1"), "NIF", True),
}


@pytest.fixture
def around(trust: Trust) -> Iterator[World]:
    made = world(trust, ISSUED_AT)
    with closing(made.store):
        yield made


class TestNote:
    @pytest.mark.parametrize(("customer", "known_by", "crosses"), CUSTOMERS.values(), ids=CUSTOMERS)
    def test_is_taken(
        self, around: World, customer: CustomerFacts, known_by: str | None, crosses: bool
    ) -> None:
        note = declared(json_of(service(fiscal={"nbs": NBS}), to=customer), settings=USUAL)
        root = etree.Element(f"{{{NAMESPACE}}}DPS")
        root.append(note)
        assert list(broken_by(NOTE_RULES, NoteCase(root, AT_SEFIN, around))) == []
        ids = [tag for tag in ("NIF", "cNaoNIF", "CPF", "CNPJ") if said(note, f"toma/{tag}")]
        assert ids == ([known_by] if known_by else [])
        assert (said(note, "serv/comExt/tpMoeda") is not None) is crosses
