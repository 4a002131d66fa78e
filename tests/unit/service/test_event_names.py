import pytest
from pydantic import ValidationError

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.event_names import EVENT_GROUPS, TEST, name_of, topics_of
from carimbo.service.delivery.webhook_bodies import ChosenEvents, chosen_events_record, chosen_names
from carimbo.service.delivery.webhook_form import event_title
from carimbo.service.errors import invalid_body

VERBS = {"authorized": "authorized", "rejected": "rejected", "canceled": "cancelled"}


class TestGroups:
    def test_groups_are_those_of_the_contract(self) -> None:
        groups = {group: set(names) for group, names in EVENT_GROUPS.items()}
        assert groups == {
            "invoice": {
                f"{document_type}.{verb}" for document_type in ("nfse", "nfe") for verb in VERBS.values()
            },
            "nfce": {f"nfce.{verb}" for verb in VERBS.values()},
            "cte": {f"cte.{verb}" for verb in VERBS.values()},
            "mdfe": {"mdfe.closed", "mdfe.expiring", *(f"mdfe.{verb}" for verb in VERBS.values())},
            "received": {
                "receivedNfe.created",
                "receivedNfe.completed",
                "receivedNfe.canceled",
                "receivedNfe.corrected",
                "receivedNfe.manifestDue",
                "receivedCte.created",
                "receivedCte.canceled",
                "receivedCte.corrected",
                "receivedCte.manifestDue",
                "receivedNfse.created",
                "receivedNfse.canceled",
            },
            "system": {"certificate.expiring"},
        }

    def test_every_event_name_is_in_one_group(self) -> None:
        names = [name for group in EVENT_GROUPS.values() for name in group]
        assert len(names) == len(set(names))

    def test_every_event_has_words_of_its_own(self) -> None:
        names = [name for group in EVENT_GROUPS.values() for name in group]
        titles = {name: event_title(name) for name in names if name not in EVENT_GROUPS["received"]}
        assert len(set(titles.values())) == len(titles)
        assert titles["cte.cancelled"] == "CT-e e CT-e OS: cancelamento"
        received = {event_title(name) for name in EVENT_GROUPS["received"]}
        assert len(received) == len(EVENT_GROUPS["received"])
        assert "NF-e: chegada do XML inteiro" in received


class TestTopics:
    @pytest.mark.parametrize("document_type", DOCUMENT_TYPES, ids=lambda document_type: document_type.name)
    @pytest.mark.parametrize(("status", "verb"), VERBS.items())
    def test_topics_of_a_document_have_an_event_name(
        self, document_type: DocumentType, status: str, verb: str
    ) -> None:
        assert name_of(f"{document_type.name}.{status}") == f"{document_type.event_prefix}.{verb}"

    def test_event_name_has_all_its_topics(self) -> None:
        assert topics_of(["cte.cancelled"]) == ["cte.canceled", "cteOs.canceled"]
        assert topics_of(["nfe.authorized", "certificate.expiring"]) == [
            "nfe.authorized",
            "certificate.expiring",
        ]

    def test_system_topics_are_their_own_event_names(self) -> None:
        assert (name_of(TEST), name_of("certificate.expiring")) == (TEST, "certificate.expiring")

    def test_internal_and_unknown_names_have_no_topics(self) -> None:
        assert topics_of([TEST, "nfe.canceled"]) == []

    def test_every_event_name_has_a_topic(self) -> None:
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
    def test_event_in_a_wrong_group_is_refused_with_its_group(self, name: str, message: str) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"invoice": ["nfe.rejected", name]})
        details = invalid_body(refused.value).details
        assert details == {"fields": [{"field": "invoice[1]", "error": message}]}

    def test_event_in_an_unknown_group_is_refused_with_its_group(self) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"nfse": ["nfse.authorized"]})
        (field,) = (invalid_body(refused.value).details or {})["fields"]
        assert field["error"] == "O evento nfse.authorized fica no grupo invoice."

    def test_unknown_event_is_refused_with_the_names_of_the_group(self) -> None:
        with pytest.raises(ValidationError) as refused:
            ChosenEvents.model_validate({"nfce": ["nfce.issued"]})
        (field,) = (invalid_body(refused.value).details or {})["fields"]
        assert field["error"].startswith("Valor inválido: use 'nfce.authorized'")

    def test_repeated_choice_is_stored_once_and_shown_by_group(self) -> None:
        body = {"invoice": ["nfe.rejected", "nfe.rejected"], "system": ["certificate.expiring"], "cte": None}
        names = chosen_names(ChosenEvents.model_validate(body))
        assert names == ["nfe.rejected", "certificate.expiring"]
        shown = chosen_events_record(names).model_dump()
        assert shown == {
            "invoice": ["nfe.rejected"],
            "nfce": [],
            "cte": [],
            "mdfe": [],
            "received": [],
            "system": ["certificate.expiring"],
        }
