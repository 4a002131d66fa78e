"""Where the simulator listens unless told otherwise."""

DEFAULT_PORT, DEFAULT_CONTROL_PORT = 8443, 8444
