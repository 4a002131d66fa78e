"""Every example of an NFS-e over HTTP: an authority that computes by itself comes to the same amounts."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from golden import FOLDER, Example, examples

from carimbo.fiscal.certificate import A1Certificate
from carimbo.simulator.run import Simulator
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop, accepted, bare_shop, note_of
from support import CNPJ, data_of

REGISTERED = (
    "address", "municipalRegistration", "phone", "pisCofinsRegime", "simplesIssRegime", "simplesRate",
    "taxRegime", "tradeName",
)  # fmt: skip
OF_OTHER_NOTES = ("construction-documents", "replacement", "replacement-by-code")
"""They refer to notes that the authority has to have, and are told of elsewhere."""
OF_THE_TURN = ("december-", "january-")
"""They are issued in January 2027, and the services here run by the clock of the machine."""
EXAMPLES = [
    one
    for one in examples()
    if one.file.startswith("nfse/")
    and one.is_document
    and one.request.stem not in OF_OTHER_NOTES
    and not one.request.stem.startswith(OF_THE_TURN)
]


async def issuer_of(floor: Floor, simulator: Simulator, file: str, certificate: A1Certificate) -> Shop:
    """The company of an example: an establishment of ours, or itself where its number has letters."""
    company: dict[str, Any] = json.loads((FOLDER / file).read_text())
    is_ours = company["taxId"].startswith(CNPJ[:8])
    if not is_ours:
        issued = simulator.certificates.issue(company["taxId"], company["legalName"], datetime.now(UTC))
        certificate = A1Certificate.from_bundle(issued.to_pem())
    told = {name: company[name] for name in REGISTERED if name in company}
    shop = await bare_shop(floor, await floor.new_caller(), None if is_ours else company["taxId"], **told)
    await shop.put_settings(nfse=company["settings"]["nfse"])
    await shop.certify(certificate)
    return shop


class TestExample:
    @pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.request.stem)
    async def test_is_authorized_with_the_amounts_of_its_trial(
        self, floor: Floor, simulator: Simulator, certificate: A1Certificate, example: Example
    ) -> None:
        shop = await issuer_of(floor, simulator, example.company, certificate)
        assert example.issued_at is not None
        # Of the example's own day: PIS and COFINS end with 2026.
        body = {"issueDate": f"{example.issued_at.date()}"} | json.loads(example.request.read_text())
        # Of the rates that the simulator's municipalities tell, which may not be the example's.
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))["totals"]
        record = await shop.settled(accepted(await shop.post("/nfse", body)))
        assert (record["status"], record["rejection"]) == ("authorized", None)
        assert Decimal(str(record["amount"])) == example.totals["amount"]
        note = await note_of(shop, record)
        told = [Decimal(note.text(name) or 0) for name in ("vISSQN", "vLiq")]
        assert told == [Decimal(str(trial[name])) for name in ("issAmount", "netAmount")]
