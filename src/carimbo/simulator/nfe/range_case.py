"""Numbers that somebody wants to give up, in front of the judge."""

from dataclasses import dataclass
from functools import cached_property

from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import Ledger, VoidedRange
from carimbo.simulator.sefaz.call import Question
from carimbo.simulator.signature import Signature, signature_of


@dataclass(frozen=True)
class RangeCase(Question):
    """One `inutNFe`, which has passed its XSD."""

    @cached_property
    def asked(self) -> Group:
        """`infInut`."""
        return group_of(next(self.call.root.iterchildren("{*}infInut")))

    @cached_property
    def signature(self) -> Signature | None:
        """The signature."""
        return signature_of(self.call.root)

    @cached_property
    def ledger(self) -> Ledger:
        """What the authorities hold already."""
        return Ledger(self.world.store)

    @property
    def id(self) -> str:
        """The Id, which repeats the range."""
        return self.asked.attributes.get("Id", "")

    @property
    def author(self) -> str:
        """CNPJ of the issuer."""
        return self.asked.text("CNPJ")

    @cached_property
    def overlapping(self) -> VoidedRange | None:
        """A range voided before that shares a number with this one."""
        return self.ledger.overlapping(self.voided())

    @property
    def is_repeated(self) -> bool:
        """Tell whether this very range was voided before."""
        before, asked = self.overlapping, self.voided()
        return before is not None and (before.first_number, before.last_number) == (
            asked.first_number,
            asked.last_number,
        )

    def voided(self, protocol: str = "") -> VoidedRange:
        """The range as the ledger keeps it."""
        text = self.asked.text
        return VoidedRange(
            environment=self.place.environment,
            state_code=text("cUF"),
            issuer=self.author,
            model=text("mod"),
            series=int(text("serie")),
            year=text("ano"),
            first_number=int(text("nNFIni")),
            last_number=int(text("nNFFin")),
            authorizer=self.place.authorizer,
            received_at=self.world.now,
            protocol=protocol,
        )
