"""The composition root: puts settings, storage, use cases and doors together.

A module a program, so that none loads what only another needs.
"""
