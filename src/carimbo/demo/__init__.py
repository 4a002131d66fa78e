"""Everything on this machine: a database of its own, a sample company, and every process of the service."""
