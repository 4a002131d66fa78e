"""Request bodies: types of their fields, how JSON is read, and validation messages in Portuguese."""
