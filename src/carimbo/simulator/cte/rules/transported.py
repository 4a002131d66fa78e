"""Rules about the transported documents, the documents of earlier carriers, and globalized CT-e."""

from collections.abc import Callable, Iterator, Sequence

from carimbo.simulator.cte.dialect import CTE
from carimbo.simulator.cte.judged import PIPELINE, JudgedCte
from carimbo.simulator.cte.rules.parties import HOMOLOGATION_NAME, VARIOUS
from carimbo.simulator.cte.rules.service import INTERMEDIATE, LINKED, has_normal_part
from carimbo.simulator.family import HOMOLOGATION
from carimbo.simulator.group import Group
from carimbo.simulator.identifiers import KEY_ISSUER, tax_id_base
from carimbo.simulator.rules import Finding, RejectionRule
from carimbo.simulator.sefaz.judged import tax_id_of
from carimbo.simulator.sefaz.rules.keys import impossible_references, repeated_key

_INVOICE = "55"
_MAX_DOCUMENTS = 2_000
_ONLY_WITHIN_A_STATE = frozenset({"59", "65"})
"""`tpDoc` of receipts."""
_FEWEST = 5
_WITHOUT_DOCUMENTS = frozenset({INTERMEDIATE, LINKED})


def documents_missing(cte: JudgedCte) -> bool:
    """MOC CT-e, 693."""
    return cte.service_type not in _WITHOUT_DOCUMENTS and not cte.transported.tag


def documents_out_of_place(cte: JudgedCte) -> bool:
    """MOC CT-e, 694."""
    return cte.service_type in _WITHOUT_DOCUMENTS and bool(cte.transported.tag)


def too_many_documents(cte: JudgedCte) -> bool:
    """MOC CT-e, 601."""
    return sum(map(len, cte.transported.groups.values())) > _MAX_DOCUMENTS


def invoice_named_twice(cte: JudgedCte) -> Finding:
    """MOC CT-e, 527."""
    return repeated_key("chNFe", cte.invoice_keys)


def impossible_invoice(cte: JudgedCte) -> Finding:
    """MOC CT-e, 843."""
    return impossible_references(cte, cte.invoice_keys, _INVOICE)


def paper_of_an_issuer_of_invoices(cte: JudgedCte) -> bool:
    """MOC CT-e, 540: a sender that issues NF-e sends no paper to another state."""
    if cte.mode == PIPELINE or not _is_interstate(cte) or not cte.transported.all("infNF"):
        return False
    return cte.ledger.has_issued(cte.service_path.environment, cte.tax_id("rem"), _INVOICE)


def receipt_between_states(cte: JudgedCte) -> bool:
    """MOC CT-e, 813."""
    return _is_interstate(cte) and any(
        document.text("tpDoc") in _ONLY_WITHIN_A_STATE for document in cte.transported.all("infOutros")
    )


def _is_interstate(cte: JudgedCte) -> bool:
    return cte.text("ide/UFIni") != cte.text("ide/UFFim")


DOCUMENT_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("693", documents_missing, has_normal_part),
    RejectionRule("694", documents_out_of_place, has_normal_part),
    RejectionRule("601", too_many_documents),
    RejectionRule("527", invoice_named_twice),
    RejectionRule("843", impossible_invoice),
    RejectionRule("540", paper_of_an_issuer_of_invoices),
    RejectionRule("813", receipt_between_states),
)


def earlier_document_named_twice(cte: JudgedCte) -> Finding:
    """MOC CT-e, 543."""
    return repeated_key("chCTe", [key for _, key in _earlier(cte)])


def impossible_earlier_document(cte: JudgedCte) -> Finding:
    """MOC CT-e, 844."""
    return impossible_references(cte, [key for _, key in _earlier(cte)], CTE)


def earlier_document_of_another_carrier(cte: JudgedCte) -> bool:
    """MOC CT-e, 733."""
    return any(tax_id_of(carrier).zfill(14) != key[KEY_ISSUER] for carrier, key in _earlier(cte))


def taker_is_no_earlier_carrier(cte: JudgedCte) -> bool:
    """MOC CT-e, 745: the taker is of the company of one of the earlier carriers."""
    carriers = _carriers(cte)
    companies = {tax_id_base(carrier.text("CNPJ")) for carrier in carriers if "CNPJ" in carrier.texts}
    return bool(carriers) and tax_id_base(cte.taker.text("CNPJ")) not in companies


def _carriers(cte: JudgedCte) -> Sequence[Group]:
    earlier = cte.normal_part.group("docAnt")
    return earlier.all("emiDocAnt") if earlier else ()


def _earlier(cte: JudgedCte) -> Iterator[tuple[Group, str]]:
    """The electronic documents of earlier carriers: the carrier and the key."""
    for carrier in _carriers(cte):
        for documents in carrier.all("idDocAnt"):
            for document in documents.all("idDocAntEle"):
                yield carrier, document.text("chCTe")


def multimodal_document_named_twice(cte: JudgedCte) -> Finding:
    """MOC CT-e, 714."""
    return repeated_key("chCTeMultimodal", _multimodal_keys(cte))


def impossible_multimodal_document(cte: JudgedCte) -> Finding:
    """MOC CT-e, 845."""
    return impossible_references(cte, _multimodal_keys(cte), CTE)


def taker_is_not_the_multimodal_carrier(cte: JudgedCte) -> bool:
    """MOC CT-e, 667: the taker is of the company that issued the multimodal documents."""
    taker = tax_id_base(cte.taker.text("CNPJ"))
    return any(tax_id_base(key[KEY_ISSUER]) != taker for key in _multimodal_keys(cte))


def _is_linked(cte: JudgedCte) -> bool:
    return cte.service_type == LINKED


def _multimodal_keys(cte: JudgedCte) -> Sequence[str]:
    linked = cte.normal_part.group("infServVinc")
    return [document.text("chCTeMultimodal") for document in linked.all("infCTeMultimodal")] if linked else ()


EARLIER_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("543", earlier_document_named_twice),
    RejectionRule("844", impossible_earlier_document),
    RejectionRule("733", earlier_document_of_another_carrier),
    RejectionRule("745", taker_is_no_earlier_carrier),
    RejectionRule("714", multimodal_document_named_twice, _is_linked),
    RejectionRule("845", impossible_multimodal_document, _is_linked),
    RejectionRule("667", taker_is_not_the_multimodal_carrier, _is_linked),
)


def is_globalized(cte: JudgedCte) -> bool:
    """Returns whether one document is for the goods of several senders or recipients."""
    return bool(cte.text("ide/indGlobalizado"))


def is_not_globalized(cte: JudgedCte) -> bool:
    """Returns whether a document is a usual one."""
    return not is_globalized(cte)


def taker_of_neither_side(cte: JudgedCte) -> bool:
    """MOC CT-e, 722."""
    return cte.taker_role not in ("rem", "dest")


def not_only_invoices(cte: JudgedCte) -> bool:
    """MOC CT-e, 723."""
    return set(cte.transported.groups) != {"infNFe"}


def too_few_senders(cte: JudgedCte) -> bool:
    """MOC CT-e, 724: a recipient who takes the service has goods of at least five senders."""
    return cte.taker_role == "dest" and len(_senders(cte)) < _FEWEST


def several_senders(cte: JudgedCte) -> bool:
    """MOC CT-e, 744: a sender who takes the service sends only its own goods."""
    return cte.taker_role == "rem" and len(_senders(cte)) > 1


def too_few_invoices(cte: JudgedCte) -> bool:
    """MOC CT-e, 737: a sender who takes the service has at least five invoices."""
    return cte.taker_role == "rem" and len(cte.invoice_keys) < _FEWEST


def _senders(cte: JudgedCte) -> set[str]:
    return {key[KEY_ISSUER] for key in cte.invoice_keys}


def _unnamed(party: str, taker: str) -> Callable[[JudgedCte], bool]:
    """MOC CT-e, 725 and 726: the side with several parties has a fixed name, also that of homologation."""

    def is_unnamed(cte: JudgedCte) -> bool:
        fixed = {VARIOUS} | ({HOMOLOGATION_NAME} if cte.text("ide/tpAmb") == HOMOLOGATION else set())
        return cte.taker_role == taker and cte.text(f"{party}/xNome") not in fixed

    return is_unnamed


def _not_the_issuer(party: str, taker: str) -> Callable[[JudgedCte], bool]:
    """MOC CT-e, 727 and 728: the side with several parties has the CNPJ of the issuer."""
    return lambda cte: cte.taker_role == taker and cte.tax_id(party) != cte.author


def several_senders_of_one_document(cte: JudgedCte) -> bool:
    """MOC CT-e, 729."""
    return len(_senders(cte)) > 1


def fixed_name_of_one_party(cte: JudgedCte) -> bool:
    """MOC CT-e, 730."""
    return VARIOUS in (cte.text("rem/xNome"), cte.text("dest/xNome"))


GLOBALIZED_RULES: tuple[RejectionRule[JudgedCte], ...] = (
    RejectionRule("743", _is_interstate, is_globalized),
    RejectionRule("722", taker_of_neither_side, is_globalized),
    RejectionRule("723", not_only_invoices, is_globalized),
    RejectionRule("724", too_few_senders, is_globalized),
    RejectionRule("744", several_senders, is_globalized),
    RejectionRule("737", too_few_invoices, is_globalized),
    RejectionRule("725", _unnamed("rem", "dest"), is_globalized),
    RejectionRule("726", _unnamed("dest", "rem"), is_globalized),
    RejectionRule("727", _not_the_issuer("rem", "dest"), is_globalized),
    RejectionRule("728", _not_the_issuer("dest", "rem"), is_globalized),
    RejectionRule("729", several_senders_of_one_document, is_not_globalized),
    RejectionRule("730", fixed_name_of_one_party, is_not_globalized),
)
