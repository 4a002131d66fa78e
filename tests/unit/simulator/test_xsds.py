"""The XSDs that the simulator validates messages with."""

from contextlib import closing
from pathlib import Path

import pytest
from lxml import etree

from carimbo.fiscal.schemas import SchemaUnusable
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import RequestContext
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.message import FORM_RULES
from carimbo.simulator.rules import AuthorityVerdict, first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.trust import TrustedAuthorities
from carimbo.simulator.xml_messages import BUILT_IN_XSDS, Xsds
from nfe_dialect import status_query
from unit.simulator.mutating import AT_SP, context

OTHER = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified"
  targetNamespace="http://www.portalfiscal.inf.br/nfe">
  <xs:element name="consStatServ" type="xs:string"/></xs:schema>"""
QUERY = status_query("2", "35")


def verdict(request_context: RequestContext, xsds: Xsds) -> AuthorityVerdict | None:
    call = ServiceCall(
        dialect=DIALECT,
        root=etree.fromstring(QUERY),
        text=QUERY,
        schema=Schema.NFE_SERVICE_QUERY,
        sender=None,
        service_path=AT_SP,
        context=RequestContext(
            request_context.now, request_context.store, request_context.trust, request_context.controls, xsds
        ),
    )
    return first_broken(FORM_RULES, call)


class TestXsds:
    def test_xsds_of_the_operator_replace_the_built_in_ones(
        self, trust: TrustedAuthorities, tmp_path: Path
    ) -> None:
        (tmp_path / "consStatServ_v4.00.xsd").write_text(OTHER)
        with closing((request_context := context(trust)).store):
            assert verdict(request_context, BUILT_IN_XSDS) is None
            refused = verdict(request_context, Xsds(tmp_path))
        assert refused is not None
        assert refused.code == "215"

    def test_xsds_are_compiled_once(self) -> None:
        xsds = Xsds()
        assert xsds.of(Schema.NFE_SERVICE_QUERY) is xsds.of(Schema.NFE_SERVICE_QUERY)

    def test_missing_xsd_folder_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(SchemaUnusable, match="não existe"):
            Xsds(tmp_path / "nowhere")
