"""Use cases of the service, independent of HTTP and the command line."""
