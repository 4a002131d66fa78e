"""Fixtures for tests of e-mails: those of issuing, and a mail server."""

from collections.abc import AsyncIterator

import pytest

from carimbo.simulator.program.run import Simulator
from integration.conftest import NewDatabase
from integration.issuing.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    shop,
    simulator,
    work,
)
from integration.issuing.system import System, open_system
from smtp_server import SmtpServer, running_smtp_server
from support import LOOPBACK, free_port

__all__ = ["ample_time_for_parameters", "certificate", "new_shop", "shop", "simulator", "work"]


@pytest.fixture(scope="session")
async def mail_server() -> AsyncIterator[SmtpServer]:
    async with running_smtp_server(free_port()) as mail_server:
        yield mail_server


@pytest.fixture(scope="session")
async def system(
    new_migrated_database: NewDatabase, secret_keys: str, simulator: Simulator, mail_server: SmtpServer
) -> AsyncIterator[System]:
    mail = {
        "SMTP_HOST": LOOPBACK,
        "SMTP_PORT": str(mail_server.port),
        "SMTP_SECURITY": "none",
        "SMTP_SECONDS": "2",
        "EMAIL_FROM": "notas@example.com",
        "EMAIL_RETRY_SECONDS": "0.2,0.2,0.2",
    }
    async with new_migrated_database() as url, open_system(url, secret_keys, simulator, **mail) as system:
        yield system
