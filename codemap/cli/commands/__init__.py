"""One module a command; each has `command`, and is imported when it is used or listed."""
