"""The accepted documents of the rule tests."""

import pytest

from carimbo.fiscal.schemas.files import Schema
from unit.simulator.cteos.bases import BASES
from unit.simulator.cteos.breaking import CteOsRuleTester
from unit.simulator.rule_tester import schema_errors


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_base_document_is_accepted_and_valid(self, name: str, tester: CteOsRuleTester) -> None:
        assert schema_errors(Schema.CTE_OS, tester.base(name)) == []
        assert tester.verdict_on_base(name) is None
