"""What the doors that speak HTTP share."""
