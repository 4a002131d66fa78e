"""The composition root: builds the API and the worker from settings, storage and use cases.

Each program has its own module, so that it does not import what only another one needs.
"""
