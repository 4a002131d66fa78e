"""The accepted documents of the rule tests."""

import pytest

from carimbo.fiscal.schemas.files import Schema
from unit.simulator.mdfe.bases import BASES
from unit.simulator.mdfe.breaking import MdfeRuleTester
from unit.simulator.rule_tester import schema_errors


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_base_document_is_accepted_and_valid(self, name: str, tester: MdfeRuleTester) -> None:
        assert schema_errors(Schema.MDFE, tester.base(name)) == []
        assert tester.verdict(tester.base(name)) is None
