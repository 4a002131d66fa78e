"""The signed XML of an NF-e."""

from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.goods.making import goods_maker
from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.nfe_v4 import invoice
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.signed_documents import SignedDocument


def _enclose(_: Invoice, written: WrittenPart, signature: Signature, __: Issuance) -> SignedDocument:
    return invoice.enclose(written, signature)


_MAKER = goods_maker(compose, _enclose)

review = _MAKER.review
issue = _MAKER.issue
