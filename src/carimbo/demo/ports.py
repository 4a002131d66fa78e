"""Where the demo's processes listen."""

from dataclasses import dataclass

from carimbo.simulator.ports import DEFAULT_CONTROL_PORT, DEFAULT_PORT


@dataclass(frozen=True)
class Ports:
    """Where the demo's processes listen."""

    api: int = 8000
    simulator: int = DEFAULT_PORT
    control: int = DEFAULT_CONTROL_PORT

    @property
    def by_option(self) -> dict[str, int]:
        """Each with the option that changes it."""
        return {
            "--port": self.api,
            "--simulator-port": self.simulator,
            "--simulator-control-port": self.control,
        }
