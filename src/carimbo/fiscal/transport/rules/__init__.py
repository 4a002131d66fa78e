"""The rules that CT-e and CT-e OS share."""
