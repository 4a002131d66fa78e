"""The processes of the demo, with the settings that each is started with."""

from dataclasses import dataclass
from pathlib import Path

from carimbo.demo.children import ChildPlan
from carimbo.demo.ports import HOST, Ports
from carimbo.settings import names_no_responsible

_EMAIL_FROM = "notas@example.com"
# Whoever tries webhooks out receives them on the same machine.
_RECEIVER_HOSTS = "127.0.0.1,localhost"
# Many states refuse documents of software that nobody answers for.
_RESPONSIBLE = {
    "responsible_tax_id": "44455566000183",
    "responsible_contact": "Suporte da demonstração",
    "responsible_email": "suporte@example.com",
    "responsible_phone": "1133334444",
}


@dataclass(frozen=True)
class DemoLayout:
    """The addresses and folders of a demo."""

    ports: Ports
    folder: Path
    database_url: str

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.ports.api}"

    @property
    def simulator_url(self) -> str:
        return f"https://{HOST}:{self.ports.simulator}"

    @property
    def panel_url(self) -> str:
        return f"http://{HOST}:{self.ports.control}"

    @property
    def simulator_folder(self) -> Path:
        return self.folder / "simulator"

    @property
    def ca_file(self) -> Path:
        return self.simulator_folder / "ca.pem"

    @property
    def email_folder(self) -> Path:
        return self.folder / "emails"

    @property
    def tables_folder(self) -> Path:
        return self.folder / "tables"


def child_plans(layout: DemoLayout, keys: str, clock_offset: int, *, has_tables: bool) -> list[ChildPlan]:
    """Returns the processes in the order of their start, the simulator first.

    `has_tables`: whether the demo's own folder of tables is used, and not that of the environment.
    """
    both = {"log_format": "console"}
    if has_tables:
        both["tables_folder"] = str(layout.tables_folder)
    shared = {
        **both,
        "clock_offset_seconds": str(clock_offset),
        "database_url": layout.database_url,
        "secret_keys": keys,
        "simulator_url": layout.simulator_url,
        "authority_ca_file": str(layout.ca_file),
        "public_url": layout.api_url,
        "webhook_allowed_hosts": _RECEIVER_HOSTS,
        # Instead of whatever server our own environment names.
        "smtp_host": "",
        "email_folder": str(layout.email_folder),
        "email_from": _EMAIL_FROM,
        "api_metrics_port": "0",
        "worker_metrics_port": "0",
        **(_RESPONSIBLE if names_no_responsible() else {}),
    }
    ports = ("--port", str(layout.ports.simulator), "--control-port", str(layout.ports.control))
    simulator = ("simulator", *ports, "--data-dir", str(layout.simulator_folder))
    return [
        # Its clock is that of its panel.
        ChildPlan("simulator", simulator, {**both, "clock_offset_seconds": "0"}),
        ChildPlan("api", ("serve",), {**shared, "host": HOST, "port": str(layout.ports.api)}),
        ChildPlan("worker", ("worker",), shared),
    ]
