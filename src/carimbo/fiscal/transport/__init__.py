"""What CT-e, CT-e OS and MDF-e share."""
