from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from carimbo.service.delivery.signature import new_secret, shown_secret, signed_headers

BODY = '{"id":"1","event":"nfe.authorized","data":{"name":"São João"}}'.encode()
OLD, NEW = new_secret(), new_secret()


def headers(*signers: bytes) -> dict[str, str]:
    return dict(signed_headers("evento-1", datetime.now(UTC), BODY, signers))


class TestSignature:
    def test_a_library_of_the_standard_verifies_it(self) -> None:
        assert Webhook(shown_secret(NEW)).verify(BODY, headers(NEW)) is not None

    def test_the_secret_before_is_good_beside_the_new_one(self) -> None:
        both = headers(NEW, OLD)
        for secret in (NEW, OLD):
            Webhook(shown_secret(secret)).verify(BODY, both)

    @pytest.mark.parametrize("altered", ["body", "webhook-id", "webhook-timestamp", "secret"])
    def test_whatever_is_altered_breaks_it(self, altered: str) -> None:
        sent = headers(NEW)
        if altered in sent:
            sent[altered] = str(int(sent[altered]) + 1) if altered == "webhook-timestamp" else "outro"
        body = BODY + b" " if altered == "body" else BODY
        with pytest.raises(WebhookVerificationError):
            Webhook(shown_secret(OLD if altered == "secret" else NEW)).verify(body, sent)

    def test_secrets_are_of_32_bytes_and_never_the_same(self) -> None:
        assert len(OLD) == len(NEW) == 32
        assert OLD != NEW
        assert shown_secret(NEW).startswith("whsec_")
