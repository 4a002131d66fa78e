"""A question about the open MDF-e of an issuer (`consMDFeNaoEnc`)."""

from dataclasses import dataclass

from carimbo.simulator.sefaz.call import ServiceQuestion


@dataclass(frozen=True)
class OpenQuestion(ServiceQuestion):
    """One `consMDFeNaoEnc`, which is valid against its XSD."""

    @property
    def issuer(self) -> str:
        """CNPJ or CPF whose open MDF-e are asked for."""
        return self.call.text_at("CNPJ") or self.call.text_at("CPF")
