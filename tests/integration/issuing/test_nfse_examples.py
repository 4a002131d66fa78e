"""All NFS-e examples over HTTP: the simulated authority computes the same amounts."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from golden import FOLDER, Example, examples

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.simulator.program.run import Simulator
from integration.issuing.shop import Shop, accepted, bare_shop, note_of
from integration.issuing.system import System
from support import CNPJ, data_of

REGISTERED = (
    "address", "municipalRegistration", "phone", "pisCofinsRegime", "simplesIssRegime", "simplesRate",
    "taxRegime", "tradeName",
)  # fmt: skip
OF_OTHER_NOTES = ("construction-documents", "replacement", "replacement-by-code")
"""They refer to notes that the authority must have; other tests cover them."""
OF_THE_TURN = ("december-", "january-")
"""They are issued in January 2027, and the services here use the clock of the machine."""
EXAMPLES = [
    example
    for example in examples()
    if example.file.startswith("nfse/")
    and example.is_document
    and example.request.stem not in OF_OTHER_NOTES
    and not example.request.stem.startswith(OF_THE_TURN)
]


async def issuer_of(system: System, simulator: Simulator, file: str, certificate: A1Certificate) -> Shop:
    """Creates the company of an example: an establishment of ours, or itself if its CNPJ has letters."""
    company: dict[str, Any] = json.loads((FOLDER / file).read_text())
    is_ours = company["taxId"].startswith(CNPJ[:8])
    if not is_ours:
        issued = simulator.certificates.issue(company["taxId"], company["legalName"], datetime.now(UTC))
        certificate = A1Certificate.from_bundle(issued.to_pem())
    fields = {name: company[name] for name in REGISTERED if name in company}
    shop = await bare_shop(system, await system.new_caller(), None if is_ours else company["taxId"], **fields)
    await shop.put_settings(nfse=company["settings"]["nfse"])
    await shop.set_certificate(certificate)
    return shop


class TestExample:
    @pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.request.stem)
    async def test_example_is_authorized_with_the_amounts_of_its_dry_run(
        self, system: System, simulator: Simulator, certificate: A1Certificate, example: Example
    ) -> None:
        shop = await issuer_of(system, simulator, example.company, certificate)
        assert example.issued_at is not None
        # Issued on the example's own day: PIS and COFINS end with 2026.
        body = {"issueDate": f"{example.issued_at.date()}"} | json.loads(example.request.read_text())
        # The simulator's municipalities may have other rates than the example.
        trial = data_of(await shop.post("/nfse", body, dryRun="true"))["totals"]
        record = await shop.settled(accepted(await shop.post("/nfse", body)))
        assert (record["status"], record["rejection"]) == ("authorized", None)
        assert Decimal(str(record["amount"])) == example.totals["amount"]
        note = await note_of(shop, record)
        amounts = [Decimal(note.text(name) or 0) for name in ("vISSQN", "vLiq")]
        assert amounts == [Decimal(str(trial[name])) for name in ("issAmount", "netAmount")]
