"""The declarations that tests begin with."""

import pytest

from unit.simulator.nfse.declaring import BASES
from unit.simulator.nfse.sefin import ServiceRuleTester, xsd_errors


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_base_declaration_is_accepted_and_valid(
        self, name: str, service_tester: ServiceRuleTester
    ) -> None:
        xml = service_tester.base(name)
        assert xsd_errors(xml) == []
        assert service_tester.verdict(xml) == []
