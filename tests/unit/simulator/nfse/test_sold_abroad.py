"""Services for foreign customers or customers abroad: the Sefin accepts each note."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from lxml import etree

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.simulator.family import RequestContext
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rule_sets import NOTE_RULES
from carimbo.simulator.rules import broken_by
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.documents.nfse_sales import USUAL, json_of, service
from unit.fiscal.documents.nfse_support import ISSUED_AT, NBS, NEW_YORK, declared, text_at
from unit.fiscal.sold_parts import ABROAD, FIRM, HERE, PERSON
from unit.simulator.mutating import context
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
def request_context(trust: TrustedAuthorities) -> Iterator[RequestContext]:
    created = context(trust, ISSUED_AT)
    with closing(created.store):
        yield created


class TestNote:
    @pytest.mark.parametrize(("customer", "id_tag", "crosses"), CUSTOMERS.values(), ids=CUSTOMERS)
    def test_note_for_a_foreign_customer_is_accepted(
        self, request_context: RequestContext, customer: CustomerFacts, id_tag: str | None, crosses: bool
    ) -> None:
        note = declared(json_of(service(fiscal={"nbs": NBS}), to=customer), settings=USUAL)
        root = etree.Element(f"{{{NAMESPACE}}}DPS")
        root.append(note)
        assert list(broken_by(NOTE_RULES, JudgedDps(root, AT_SEFIN, request_context))) == []
        ids = [tag for tag in ("NIF", "cNaoNIF", "CPF", "CNPJ") if text_at(note, f"toma/{tag}")]
        assert ids == ([id_tag] if id_tag else [])
        assert (text_at(note, "serv/comExt/tpMoeda") is not None) is crosses
