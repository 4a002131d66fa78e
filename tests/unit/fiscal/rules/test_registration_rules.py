"""State registrations that the rules accept."""

from typing import Any

import pytest

from unit.fiscal.rules.breaking import RIO_DE_JANEIRO, Breaking, judge

OF_SAO_PAULO = "110042490114"
OF_RIO_DE_JANEIRO = "78890169"
WRONG = "110042490115"


def is_broken(
    code: str,
    good: str = "simples sale",
    *,
    body: dict[str, Any] | None = None,
    company: dict[str, Any] | None = None,
    document: dict[str, Any] | None = None,
) -> bool:
    judgement = judge(Breaking("", "", good, body or {}, company or {}, document or {}))
    return code in {problem.code for problem in judgement.problems}


class TestIssuersRegistration:
    def test_registration_of_the_issuer_is_optional(self) -> None:
        assert not is_broken("209", company={"stateRegistrations": []})

    def test_registration_of_the_issuer_may_be_a_text_of_exemption(self) -> None:
        assert not is_broken("209", company={"stateRegistrations[0].number": "ISENTO"})

    @pytest.mark.parametrize(("number", "is_wrong"), [("20044", False), ("20040", True)])
    def test_registration_of_the_issuer_may_lack_leading_zeros(self, number: str, is_wrong: bool) -> None:
        of_rio = {"address": RIO_DE_JANEIRO, "stateRegistrations": [{"state": "RJ", "number": number}]}
        assert is_broken("209", company=of_rio) == is_wrong

    def test_registration_in_the_buyers_state_is_not_checked_by_the_companys_state(self) -> None:
        both = [{"state": "SP", "number": OF_SAO_PAULO}, {"state": "RJ", "number": OF_RIO_DE_JANEIRO}]
        assert not is_broken("209", "consumer in another state", company={"stateRegistrations": both})

    @pytest.mark.parametrize("good", ["simples sale", "receipt"])
    def test_registration_of_the_issuer_is_checked_by_its_state_in_every_model(self, good: str) -> None:
        assert is_broken("209", good, company={"stateRegistrations[0].number": OF_RIO_DE_JANEIRO})

    def test_registration_of_zeros_is_refused(self) -> None:
        assert is_broken("209", document={"issuer.state_registration": "000000000000"})


class TestRecipientsRegistration:
    def test_registration_of_a_wrong_length_is_reported_with_the_lengths(self) -> None:
        short = {"recipient.stateRegistration": "11004249011"}
        judgement = judge(Breaking("", "", "simples sale to a contributor", short, {}, {}))
        (message,) = [problem.message for problem in judgement.problems if problem.code == "210"]
        assert message.endswith(" Tem 11 dígitos; a de SP tem 12.")

    def test_registration_of_the_recipient_may_be_a_text_of_exemption(self) -> None:
        exempt = {"recipient.stateRegistration": "ISENTO"}
        assert not is_broken("210", "simples sale to a contributor", body=exempt)

    @pytest.mark.parametrize(("number", "is_wrong"), [(OF_RIO_DE_JANEIRO, False), (OF_SAO_PAULO, True)])
    def test_registration_of_the_recipient_is_checked_by_its_state(self, number: str, is_wrong: bool) -> None:
        there = {"recipient.stateRegistration": number}
        assert is_broken("210", "contributor in another state", body=there) == is_wrong

    def test_registration_of_a_recipient_that_is_no_contributor_is_checked(self) -> None:
        assert is_broken("210", document={"recipient.state_registration": WRONG})

    def test_registration_of_a_recipient_abroad_has_another_rule(self) -> None:
        assert not is_broken("210", "export", document={"recipient.state_registration": WRONG})

    def test_registration_of_a_recipient_without_an_address_is_not_checked(self) -> None:
        nowhere = {"recipient.address": None, "recipient.state_registration": WRONG}
        assert not is_broken("210", document=nowhere)

    def test_registration_of_a_recipient_on_a_receipt_has_another_rule(self) -> None:
        there = {"recipient.state_registration": WRONG}
        assert not is_broken("210", "receipt with delivery", document=there)
