"""The XSDs that the simulator holds messages against."""

from contextlib import closing
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.schemas import SchemaUnusable
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import World
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.message import FORM_RULES
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.trust import Trust
from carimbo.simulator.xsds import BUILT_IN, Xsds
from nfe_dialect import status_query
from unit.simulator.mutating import AT_SP, world

OTHER = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://www.portalfiscal.inf.br/nfe">
  <xs:element name="consStatServ" type="xs:string"/></xs:schema>"""
QUERY = status_query("2", "35")


def verdict(around: World, xsds: Xsds) -> Refusal | None:
    call = Call(
        dialect=DIALECT,
        root=etree.fromstring(QUERY),
        text=QUERY,
        schema=Schema.NFE_SERVICE_QUERY,
        sender=None,
        place=AT_SP,
        world=World(around.now, around.store, around.trust, around.controls, xsds),
    )
    return first_broken(FORM_RULES, call)


class TestXsds:
    def test_of_the_operator_win(self, trust: Trust, tmp_path: Path) -> None:
        (tmp_path / "consStatServ_v4.00.xsd").write_text(OTHER)
        with closing((around := world(trust)).store):
            assert verdict(around, BUILT_IN) is None
            refused = verdict(around, Xsds(tmp_path))
        assert refused is not None
        assert refused.code == "215"

    def test_are_compiled_once(self) -> None:
        xsds = Xsds()
        assert xsds.of(Schema.NFE_SERVICE_QUERY) is xsds.of(Schema.NFE_SERVICE_QUERY)

    def test_of_a_folder_that_is_not_there_are_told(self, tmp_path: Path) -> None:
        with pytest.raises(SchemaUnusable, match="não existe"):
            Xsds(tmp_path / "nowhere")
