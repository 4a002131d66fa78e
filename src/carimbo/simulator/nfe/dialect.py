"""The words of NF-e and NFC-e (MOC 7.0, layout 4.00)."""

from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.nfe.event_types import EVENT_TYPES
from carimbo.simulator.nfe.models import NFCE, NFE
from carimbo.simulator.sefaz.dialect import Detail, Dialect
from carimbo.simulator.soap import Damage

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"

DIALECT = Dialect(
    namespace=NAMESPACE,
    stem="NFe",
    models={"nfe": NFE, "nfce": NFCE},
    statuses=NFE_STATUSES,
    version="4.00",
    versions={
        # Many ask for version 1.35 of the distribution, which differs from 1.01 in nothing but its number.
        "distDFeInt": ("1.01", "1.35"),
        "envEvento": ("1.00",),
        "ConsCad": ("2.00",),
    },
    largest_message=500 * 1024,
    damages={Damage.NOT_ZIPPED: "416", Damage.TOO_LARGE: "214", Damage.MALFORMED: "243"},
    overuse="656",
    request_tag="nfeDadosMsg",
    answer_tag="nfeResultMsg",
    archive_tag="nfeProc",
    status_tag="retConsStatServ",
    content_tag="infNFe",
    number_tag="nNF",
    numeric_code_tag="cNF",
    # What became of an NFC-e that was sent may be unknown while it is issued again offline (MOC 7.0,
    # 2B08-10).
    numbered_by_emission=frozenset({NFCE}),
    event_version="1.00",
    sequence_digits=2,
    wrapped_details=False,
    event_types=EVENT_TYPES,
    details={
        "204": Detail.DOCUMENT,
        "218": Detail.DOCUMENT,
        "539": Detail.OTHER_DOCUMENT,
        "573": Detail.EVENT,
    },
    protocol_digits={"SVAN": "2", "SVRS": "3", "SVCAN": "6", "SVCRS": "7", "AN": "8"},
    named_parties=("dest",),
    free_texts=("xProd", "infCpl", "infAdFisco", "xJust", "xCorrecao"),
)
