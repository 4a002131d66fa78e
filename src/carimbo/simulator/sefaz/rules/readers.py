"""Rules about who else may read a document (`autXML`), and who wrote its program (`infRespTec`)."""

from collections.abc import Callable

from carimbo.simulator.identifiers import is_cnpj
from carimbo.simulator.sefaz.judged import JudgedDocument, tax_id_of


def wrong_reader(tag: str, is_valid: Callable[[str], bool]) -> Callable[[JudgedDocument], bool]:
    """Returns a rule: a reader has an invalid CNPJ or CPF, which is the element `tag`."""
    return lambda document: any(
        tag in reader.texts and not is_valid(reader.texts[tag]) for reader in document.content.all("autXML")
    )


def reader_named_twice(document: JudgedDocument) -> bool:
    """MOC CT-e, 715; MOC MDF-e, 459."""
    readers = [tax_id_of(reader) for reader in document.content.all("autXML")]
    return len(set(readers)) < len(readers)


def wrong_developer(document: JudgedDocument) -> bool:
    """MOC CT-e, 836; MOC MDF-e, 713."""
    return bool(document.text("infRespTec/CNPJ")) and not is_cnpj(document.text("infRespTec/CNPJ"))
