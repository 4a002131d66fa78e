"""Code that the API and the dashboard share."""
