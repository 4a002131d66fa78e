"""Values of received files by their paths: documents of other issuers, and their events.

A file may follow a newer layout, or be damaged, or not be of an authority at all: the rest of it is not read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Self

from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.identity.tax_ids import InvalidTaxId, parse_tax_id
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.receiving import Role, TaxedAmount, UnreadFile
from carimbo.fiscal.xml_reading import UnreadableXml, local_name, read_xml

NAME_LENGTH = 300
"""The longest name of a party, in NFS-e."""
# The longest text of the layouts, the additional information of NF-e.
_MAX_TEXT = 5000
_CST_LENGTH = 3
_TAX_ID = re.compile(r"[0-9A-Z]{12}[0-9]{2}|[0-9]{11}")
# The longest forms of the layouts. `Decimal` alone accepts `NaN`, `1_000` and `1E9`.
_NUMBER = re.compile(r"[0-9]{1,11}(\.[0-9]{1,10})?|[0-9]{12}(\.[0-9]{1,4})?|[0-9]{13}(\.[0-9]{1,2})?")
# Larger sums than the largest amount are not stored.
_MAX_SUM = Decimal(10) ** 13
# Some programs write the bytes of Windows-1252 for a dash. The schemas allow them, and we write none.
_UNPRINTABLE = re.compile("[\x7f-\x9f\xad]")
# The layouts do not allow other centuries either.
_MOMENT = re.compile(
    r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


@dataclass(frozen=True, slots=True)
class ReceivedPart:
    """An element of a received file. Paths are below it, by the tags of the layout: `emit/xNome`, `ICMS/*`.

    A value that is there and can't be read raises `UnreadFile`, also where it may be missing.
    """

    element: etree._Element
    namespace: str

    @classmethod
    def of_file(cls, xml: bytes, namespace: str) -> Self:
        """Returns the root element of a file; raises `UnreadFile`."""
        try:
            root = read_xml(xml)
        except UnreadableXml as error:
            raise UnreadFile(str(error)) from error
        if etree.QName(root).namespace != namespace:
            raise UnreadFile(f"O XML não tem o namespace {namespace}.")
        for element in root.iter("*"):
            if element.text and _UNPRINTABLE.search(element.text):
                element.text = _UNPRINTABLE.sub(" ", element.text)
        return cls(root, namespace)

    @property
    def tag(self) -> str:
        """The tag without its namespace."""
        return local_name(self.element)

    def require_tag(self, *tags: str) -> None:
        """Raises `UnreadFile` unless this is a root with one of the tags."""
        if self.tag not in tags:
            raise UnreadFile(f"O XML começa com {quoted(self.tag)}, e não com {' ou '.join(tags)}.")

    def part(self, path: str) -> Self | None:
        """Returns the first part at a path; None if there is none."""
        element = self.element.find(self._qualified(path))
        return None if element is None else self._at(element)

    def required_part(self, path: str) -> Self:
        """Returns the first part at a path; raises `UnreadFile` if there is none."""
        if (part := self.part(path)) is None:
            raise UnreadFile(f"O XML não tem o grupo {path}.")
        return part

    def parts(self, path: str) -> list[Self]:
        """Returns all parts at a path."""
        return [self._at(element) for element in self.element.findall(self._qualified(path))]

    def text(self, path: str, pattern: re.Pattern[str] | None = None) -> str | None:
        """Returns the text at a path as one line, cut to the limit of the layouts; None if there is none.

        Raises `UnreadFile` if the text does not match the pattern.
        """
        if (part := self.part(path)) is None:
            return None
        # A comment splits the text, and half of a number is another number.
        if len(part.element):
            raise UnreadFile(f"O campo {path} tem elementos ou comentários no lugar do valor.")
        text = " ".join((part.element.text or "").split())[:_MAX_TEXT]
        if text and pattern and not pattern.fullmatch(text):
            raise UnreadFile(f"O campo {path} não tem o formato do leiaute: {quoted(text)}.")
        return text or None

    def required_text(self, path: str, pattern: re.Pattern[str] | None = None) -> str:
        """Returns the text at a path; raises `UnreadFile` if there is none."""
        if (text := self.text(path, pattern)) is None:
            raise _missing(path)
        return text

    def first_text(self, *paths: str) -> str | None:
        """Returns the text at the first path that has one; None if there is none."""
        return next(filter(None, map(self.text, paths)), None)

    def number(self, *paths: str) -> Decimal | None:
        """Returns the exact number at the first path that has one; None if there is none."""
        for path in paths:
            text = self.text(path)
            if text is None:
                continue
            if not _NUMBER.fullmatch(text):
                raise UnreadFile(f"O campo {path} não é um número: {quoted(text)}.")
            return Decimal(text)
        return None

    def required_number(self, path: str) -> Decimal:
        """Returns the number at a path; raises `UnreadFile` if there is none."""
        if (number := self.number(path)) is None:
            raise _missing(path)
        return number

    def required_integer(self, path: str, max_digits: int) -> int:
        """Returns the whole number at a path; raises `UnreadFile` if there is none."""
        return int(self.required_text(path, re.compile(rf"[0-9]{{1,{max_digits}}}")))

    def moment(self, path: str) -> datetime | None:
        """Returns the moment at a path; one without an offset, against the XSD, is in Brasília."""
        text = self.text(path)
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text if _MOMENT.fullmatch(text) else "")
        except ValueError:
            raise UnreadFile(f"O campo {path} não é uma data e hora: {quoted(text)}.") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=BRASILIA)

    def required_moment(self, path: str) -> datetime:
        """Returns the moment at a path; raises `UnreadFile` if there is none."""
        if (moment := self.moment(path)) is None:
            raise _missing(path)
        return moment

    def access_key(self, path: str) -> AccessKey:
        """Returns the access key at a path; raises `UnreadFile` if there is none."""
        return _parse_key(self.required_text(path))

    def key_in_id(self, prefix: str) -> AccessKey:
        """Returns the access key in the Id of this part, behind a prefix as `NFe`; raises `UnreadFile`."""
        return _parse_key(self.element.get("Id", "").removeprefix(prefix))

    def tax_id(self, cnpj: str = "CNPJ", cpf: str = "CPF") -> str | None:
        """Returns the CNPJ or CPF of a party; None for a party abroad, for which a CT-e may have zeros."""
        texts = (self.text(cnpj) or "", self.text(cpf) or "")
        return next((text for text in texts if _TAX_ID.fullmatch(text) and set(text) != {"0"}), None)

    def required_tax_id(self) -> str:
        """Returns the valid CNPJ or CPF of a party; raises `UnreadFile`."""
        try:
            return parse_tax_id(self.tax_id() or "")
        except InvalidTaxId:
            raise UnreadFile(f"O grupo {self.tag} não tem um CNPJ ou CPF válido.") from None

    def cst(self, *paths: str) -> str:
        """Returns the code of a tax at the first path that has one; empty if there is none."""
        return (self.first_text(*paths) or "")[:_CST_LENGTH]

    def _at(self, element: etree._Element) -> Self:
        return type(self)(element, self.namespace)

    def _qualified(self, path: str) -> str:
        return "/".join(f"{{{self.namespace}}}{tag}" for tag in path.split("/"))


def role_of(tax_id: str, parties: Iterable[tuple[Role, Iterable[ReceivedPart]]]) -> Role:
    """Returns the first role that a taxpayer has; another establishment of its company is somebody else."""
    roles = (role for role, group in parties for party in group if party.tax_id() == tax_id)
    return next(roles, Role.OTHER)


def summed(lines: Iterable[TaxedAmount]) -> tuple[TaxedAmount, ...]:
    """Adds up the lines with the same CFOP, tax and CST, in the order of these; raises `UnreadFile`."""
    sums: dict[tuple[str, str, str], tuple[Decimal, Decimal, Decimal]] = {}
    for line in lines:
        code = (line.cfop, line.tax, line.cst)
        items, base, amount = sums.get(code, (ZERO, ZERO, ZERO))
        sums[code] = items + line.items, base + line.base, amount + line.amount
    if any(abs(value) >= _MAX_SUM for values in sums.values() for value in values):
        raise UnreadFile("Os valores do documento são altos demais.")
    return tuple(
        TaxedAmount(cfop=cfop, tax=tax, cst=cst, items=items, base=base, amount=amount)
        for (cfop, tax, cst), (items, base, amount) in sorted(sums.items())
    )


def _missing(path: str) -> UnreadFile:
    return UnreadFile(f"O XML não tem o campo {path}.")


def _parse_key(text: str) -> AccessKey:
    try:
        return AccessKey.parse(text)
    except InvalidAccessKey as error:
        raise UnreadFile(str(error)) from error
