"""What the Sefin knows of who issues: of a taxpayer's registers it has those that the simulator has."""

from cryptography.x509.oid import NameOID

from carimbo.fiscal.tables.municipalities import municipality_of_ibge
from carimbo.simulator.contributors import Contributor, Contributors
from carimbo.simulator.nfse.case import NoteCase

_UNNAMED = "CONTRIBUINTE DO SIMULADOR"


def issuer_of(case: NoteCase) -> Contributor:
    """The issuer as the register of its state has it, or made up around the name of its certificate."""
    city = municipality_of_ibge(case.text("cLocEmi"))
    state = city.state if city else ""
    known = Contributors(case.world.store).of_tax_id(state, case.author)
    if known and known[0].street:
        return known[0]
    return Contributor(
        state=state,
        tax_id=case.author,
        registration="",
        name=_name_of(case),
        street="RUA DO SIMULADOR",
        number="1",
        district="CENTRO",
        zipcode="00000000",
    )


def _name_of(case: NoteCase) -> str:
    """The common name, which ends with a colon and the CNPJ (DOC-ICP-04)."""
    credential = case.signature.credential if case.signature else None
    names = credential.certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME) if credential else []
    return str(names[0].value).partition(":")[0] if names else _UNNAMED
