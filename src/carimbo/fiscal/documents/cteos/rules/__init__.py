"""The rules of CT-e OS."""
