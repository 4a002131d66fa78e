from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from carimbo.service.delivery.webhook_headers import new_secret, secret_text, signed_headers

BODY = '{"id":"1","event":"nfe.authorized","data":{"name":"São João"}}'.encode()
OLD, NEW = new_secret(), new_secret()


def headers(*signers: bytes) -> dict[str, str]:
    return dict(signed_headers("evento-1", datetime.now(UTC), BODY, signers))


class TestSignature:
    def test_signature_is_verified_by_a_library_of_the_standard(self) -> None:
        assert Webhook(secret_text(NEW)).verify(BODY, headers(NEW)) is not None

    def test_previous_secret_is_valid_beside_the_new_one(self) -> None:
        both = headers(NEW, OLD)
        for secret in (NEW, OLD):
            Webhook(secret_text(secret)).verify(BODY, both)

    @pytest.mark.parametrize("altered", ["body", "webhook-id", "webhook-timestamp", "secret"])
    def test_any_change_invalidates_the_signature(self, altered: str) -> None:
        sent = headers(NEW)
        if altered in sent:
            sent[altered] = str(int(sent[altered]) + 1) if altered == "webhook-timestamp" else "outro"
        body = BODY + b" " if altered == "body" else BODY
        with pytest.raises(WebhookVerificationError):
            Webhook(secret_text(OLD if altered == "secret" else NEW)).verify(body, sent)

    def test_secrets_have_32_bytes_and_are_never_the_same(self) -> None:
        assert len(OLD) == len(NEW) == 32
        assert OLD != NEW
        assert secret_text(NEW).startswith("whsec_")
