"""An API over HTTP with two subscriptions, for requests that are generated from the contract."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import requests
import uvicorn

from carimbo.fiscal.identity.tax_ids import cnpj_check_digits
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.main.api import api_of
from carimbo.main.process import listen
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings
from integration.issuing.shop import ADDRESS, CTE_SETTINGS, NFCE_SETTINGS, NFSE_SETTINGS, REGISTRATION
from support import CNPJ

ISSUING = (
    "createNfe",
    "createNfce",
    "createNfse",
    "createCte",
    "createCteOs",
    "createMdfe",
    "createSale",
)


@dataclass
class Owner:
    """A subscription; requests may rotate its secret and delete its companies."""

    url: str
    api_key: str
    api_secret: str
    pfx: bytes
    company_count: int = 0
    company_id: str = ""
    ready_company_id: str = ""

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Api-Key": self.api_key, "X-Api-Secret": self.api_secret}

    def company_for(self, operation: str) -> str:
        """Returns a company: one to be deleted, one that is ready to issue, or one for all the rest."""
        if operation == "deleteCompany":
            return self._new_company()
        if operation in ISSUING:
            self.ready_company_id = self.ready_company_id or self._ready_company()
            return self.ready_company_id
        self.company_id = self.company_id or self._new_company()
        return self.company_id

    def _new_company(self, **fields: Any) -> str:
        self.company_count += 1
        first = f"{CNPJ[:8]}{self.company_count:04}"
        body = {"taxId": first + cnpj_check_digits(first), "legalName": "Loja Modelo Ltda", **fields}
        return str(self._call("POST", "", json=body)["id"])

    def _ready_company(self) -> str:
        """Creates a company that can issue."""
        company_id = self._new_company(address=ADDRESS, taxRegime="simples", simplesRate=6)
        path = f"/{company_id}"
        self._call("POST", f"{path}/state-registrations", json=REGISTRATION)
        self._call(
            "PUT",
            f"{path}/settings",
            json={"nfce": NFCE_SETTINGS, "nfse": NFSE_SETTINGS, "cte": CTE_SETTINGS},
        )
        self._call("POST", f"{path}/certificate", files={"file": self.pfx}, data={"password": "x"})
        return company_id

    def _call(self, method: str, path: str, **content: Any) -> Any:
        answer = httpx2.request(method, f"{self.url}/v1/companies{path}", headers=self.headers, **content)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]


@dataclass(frozen=True)
class Server:
    """A running API with one owner of many companies and one of a single company."""

    many: Owner
    single: Owner
    guarded: set[str] = field(default_factory=set)
    """The operations that were seen to refuse wrong credentials."""
    session: requests.Session = field(default_factory=requests.Session)
    """Keeps the connection from one request to the next."""

    def owner_for(self, path: str) -> Owner:
        return self.single if path.startswith("/v1/company/") or path == "/v1/company" else self.many


@asynccontextmanager
async def serving(
    settings: Settings, authenticator: Authenticator, certificate: SampleCertificate
) -> AsyncIterator[Server]:
    """Runs an API in a separate thread."""
    listener = listen("127.0.0.1", 0)
    running = uvicorn.Server(
        uvicorn.Config(
            # Minutes, else the server may close the connection while a slow machine makes the next request.
            api_of(settings), log_config=None, access_log=False, ws="none", timeout_keep_alive=600,
        )
    )  # fmt: skip
    thread = threading.Thread(target=running.run, args=([listener],))
    thread.start()
    host, port = listener.getsockname()
    owners = []
    for name in ("Muitas", "Uma"):
        credentials = await create_subscription(authenticator, name, "unlimited")
        pfx = certificate.to_pfx("x")
        owners.append(
            Owner(f"http://{host}:{port}", str(credentials.subscription_id), credentials.secret, pfx)
        )
    owners[1].company_for("")
    server = Server(many=owners[0], single=owners[1])
    try:
        yield server
    finally:
        server.session.close()
        running.should_exit = True
        thread.join()
