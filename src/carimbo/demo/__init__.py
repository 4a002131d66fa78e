"""The demo: all processes of the service on this machine, with their own database and a sample company."""
