import pytest
from pydantic import ValidationError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.chosen_events import ChosenEvents, names_of, shown_events
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST, name_of, topics_of
from carimbo.service.errors import invalid_body

VERBS = {"authorized": "authorized", "rejected": "rejected", "canceled": "cancelled"}


class TestGroups:
    def test_are_those_of_the_contract(self) -> None:
        told = {group: set(names) for group, names in EVENT_GROUPS.items()}
        assert told == {
            "invoice": {f"{kind}.{verb}" for kind in ("nfse", "nfe") for verb in VERBS.values()},
            "nfce": {f"nfce.{verb}" for verb in VERBS.values()},
            "cte": {f"cte.{verb}" for verb in VERBS.values()},
            "mdfe": {f"mdfe.{verb}" for verb in VERBS.values()},
            "system": {"certificate.expiring"},
        }

    def test_have_each_name_once(self) -> None:
        names = [name for known in EVENT_GROUPS.values() for name in known]
        assert len(names) == len(set(names))


class TestTopics:
    @pytest.mark.parametrize("kind", DOCUMENT_TYPES, ids=lambda kind: kind.name)
    @pytest.mark.parametrize(("status", "verb"), VERBS.items())
    def test_of_a_document_have_a_name(self, kind: DocumentType, status: str, verb: str) -> None:
        assert name_of(f"{kind.name}.{status}") == f"{kind.event_prefix}.{verb}"

    def test_are_all_that_share_a_name(self) -> None:
        assert topics_of(["cte.cancelled"]) == ["cte.canceled", "cteOs.canceled"]
        assert topics_of(["nfe.authorized", "certificate.expiring"]) == [
            "nfe.authorized",
            "certificate.expiring",
        ]

    def test_of_ours_are_names_themselves(self) -> None:
        assert (name_of(TEST), name_of("certificate.expiring")) == (TEST, "certificate.expiring")

    def test_of_nobody_are_none(self) -> None:
        assert topics_of([TEST, "nfe.canceled"]) == []

    def test_lead_back_to_every_name(self) -> None:
        for names in EVENT_GROUPS.values():
            for name in names:
                assert {name_of(topic) for topic in topics_of([name])} == {name}


class TestChoice:
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("nfce.authorized", "O evento nfce.authorized fica no grupo nfce."),
            ("certificate.expiring", "O evento certificate.expiring fica no grupo system."),
        ],
    )
    def test_of_an_event_in_a_wrong_group_is_refused_with_its_group(self, name: str, message: str) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"invoice": ["nfe.rejected", name]})
        details = invalid_body(refused.value).details
        assert details == {"fields": [{"field": "invoice[1]", "error": message}]}

    def test_of_an_event_in_an_unknown_group_is_refused_with_its_group(self) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"nfse": ["nfse.authorized"]})
        (field,) = (invalid_body(refused.value).details or {})["fields"]
        assert field["error"] == "O evento nfse.authorized fica no grupo invoice."

    def test_of_an_unknown_event_is_refused_with_those_of_the_group(self) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"nfce": ["nfce.issued"]})
        (field,) = (invalid_body(refused.value).details or {})["fields"]
        assert field["error"].startswith("Valor inválido: use 'nfce.authorized'")

    def test_is_kept_once_and_shown_by_its_groups(self) -> None:
        told = {"invoice": ["nfe.rejected", "nfe.rejected"], "system": ["certificate.expiring"], "cte": None}
        names = names_of(ChosenEvents.model_validate(told))
        assert names == ["nfe.rejected", "certificate.expiring"]
        shown = shown_events(names).model_dump()
        assert shown == {
            "invoice": ["nfe.rejected"],
            "nfce": [],
            "cte": [],
            "mdfe": [],
            "system": ["certificate.expiring"],
        }
