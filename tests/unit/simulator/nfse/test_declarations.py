"""The declarations that tests begin with."""

import pytest

from unit.simulator.nfse.declaring import BASES
from unit.simulator.nfse.sefin import ServiceCourt, faults


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_each_is_taken_and_of_the_right_form(self, name: str, service_court: ServiceCourt) -> None:
        xml = service_court.base(name)
        assert faults(xml) == []
        assert service_court.verdict(xml) == []
