"""The readers and writers of SEFAZ messages, as NF-e and NFC-e use them."""

from functools import partial

from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz import answers, archived, distribution, event_answers, messages

read_authorization = partial(answers.read_authorization, NFE_DIALECT)
read_receipt = partial(answers.read_receipt, NFE_DIALECT)
read_consult = partial(answers.read_consult, NFE_DIALECT)
read_status = partial(answers.read_status, NFE_DIALECT)
read_event = partial(event_answers.read_event, NFE_DIALECT)
read_registered_event = partial(event_answers.read_registered_event, NFE_DIALECT)
read_distribution = partial(distribution.read_distribution, NFE_DIALECT)
read_archived_event = partial(archived.read_archived_event, NFE_DIALECT)

authorization_lot = partial(messages.document_lot, NFE_DIALECT)
event_lot = partial(messages.event_lot, NFE_DIALECT)
receipt_query = partial(messages.receipt_query, NFE_DIALECT)
key_query = partial(messages.key_query, NFE_DIALECT)
status_query = partial(messages.status_query, NFE_DIALECT)
distribution_after = partial(messages.distribution_after, NFE_DIALECT)
distribution_at = partial(messages.distribution_at, NFE_DIALECT)
distribution_of_key = partial(messages.distribution_of_key, NFE_DIALECT)
authorized_invoice = partial(messages.authorized_document, NFE_DIALECT)
registered_event = partial(messages.registered_event, NFE_DIALECT)
