"""MDF-e (model 58): the manifest of a transport."""
