"""A document that is judged, with everything the rules look at."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import ClassVar

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.presented import Presented
from carimbo.simulator.sefaz.dialect import Dialect


@dataclass(frozen=True)
class JudgedDocument(Presented):
    """One document that has passed its XSD; each family makes a class of it with its dialect."""

    dialect: ClassVar[Dialect]

    @cached_property
    def content(self) -> Group:
        """The signed part: `infNFe`."""
        return group_of(next(self.element.iterchildren(self.dialect.tag(self.dialect.content_tag))))

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The document that has the number of this one, under whatever key."""
        number_id = self.dialect.number_id(self.access_key)
        return self.ledger.holder_of_number(self.place.environment, number_id)

    @property
    def known(self) -> StoredDocument | None:
        """The document of the same key that the authorities hold."""
        return self.holder if self.holder and self.holder.access_key == self.access_key else None

    @property
    def access_key(self) -> str:
        """The key as the Id has it."""
        return self.content.attributes.get("Id", "")[len(self.dialect.stem) :]

    @property
    def author(self) -> str:
        """CNPJ or CPF of the issuer."""
        return self.text("emit/CNPJ") or self.text("emit/CPF")

    @property
    def recipient(self) -> str:
        """CNPJ or CPF of the recipient; empty if the document names nobody."""
        return self.text("dest/CNPJ") or self.text("dest/CPF")

    @property
    def model(self) -> str:
        """`55`."""
        return self.text("ide/mod")

    @property
    def series(self) -> int:
        """`serie`."""
        return int(self.text("ide/serie"))

    @property
    def number(self) -> int:
        """`nNF`."""
        return int(self.text(f"ide/{self.dialect.number_tag}"))

    @property
    def emission(self) -> str:
        """`tpEmis`."""
        return self.text("ide/tpEmis")

    @cached_property
    def issued_at(self) -> datetime:
        """`dhEmi`."""
        return datetime.fromisoformat(self.text("ide/dhEmi"))

    @property
    def digest(self) -> str:
        """`DigestValue` of the signature; empty if nobody signed."""
        return self.signature.digest if self.signature else ""

    def text(self, path: str) -> str:
        """Returns a text of the document, `ide/cUF`; empty if it is not there."""
        return self.content.texts.get(path, "")
