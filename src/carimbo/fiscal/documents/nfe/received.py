"""How NF-e of other issuers are received."""

from functools import partial

from carimbo.fiscal.documents.nfe.manifestation import MANIFESTATIONS
from carimbo.fiscal.documents.nfe.received_amounts import amounts
from carimbo.fiscal.documents.nfe.received_details import details
from carimbo.fiscal.documents.nfe.received_file import read
from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.distribution import read_distribution
from carimbo.fiscal.received_signatures import check_issuer_signature
from carimbo.fiscal.receiving import Receiving

RECEIVING = Receiving(
    service="nfe",
    collection="received-nfes",
    event_prefix="receivedNfe",
    read_page=partial(read_distribution, NFE_DIALECT),
    read=read,
    imported_schemas={"nfeProc": "procNFe_v4.00.xsd"},
    check_signatures=partial(check_issuer_signature, ("NFe",)),
    responses=MANIFESTATIONS,
    needs_registration=True,
    warned_days=10,
    summarizes=True,
    settled_codes=frozenset({"217", "632", "640", "641", "653", "654"}),
    unknown_nsu_codes=frozenset({"589"}),
    finds_by_key=True,
    details=details,
    amounts=amounts,
    return_draft=return_draft,
)
