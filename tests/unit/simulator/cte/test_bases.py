"""The accepted documents of the rule tests."""

import pytest

from carimbo.fiscal.schemas.files import Schema
from unit.simulator.cte.bases import BASES, base
from unit.simulator.cte.breaking import CteRuleTester
from unit.simulator.rule_tester import schema_errors


class TestBases:
    @pytest.mark.parametrize("name", BASES)
    def test_base_document_is_accepted_and_valid(self, name: str, tester: CteRuleTester) -> None:
        assert schema_errors(Schema.CTE, base(name, tester.signer)) == []
        assert tester.verdict_on_base(name) is None
