"""Every action of the audit has a sentence."""

import pytest

from carimbo.service.audit import describe
from carimbo.storage.audit import AuditAction


class TestDescribe:
    @pytest.mark.parametrize("action", AuditAction)
    def test_every_action_has_a_sentence(self, action: AuditAction) -> None:
        sentence = describe(action, "Loja {Modelo}", {})
        assert sentence.endswith(".")
        assert action not in sentence
        assert sentence[0].isupper()
        assert "  " not in sentence

    def test_values_are_shown_in_portuguese(self) -> None:
        sentence = describe(
            AuditAction.CONTINGENCY_CHANGED, "Loja", {"previous": "automatic", "mode": "forced"}
        )
        assert sentence == "Mudou a contingência da empresa Loja: de automática para forçada."

    def test_name_with_braces_is_shown_as_it_is(self) -> None:
        assert describe(AuditAction.CUSTOMER_DELETED, "{0} {name}", {}) == "Excluiu o cliente {0} {name}."

    def test_action_of_a_newer_release_is_shown_by_its_name(self) -> None:
        assert describe("robot.built", "R2", {"previous": 1}) == "robot.built"
