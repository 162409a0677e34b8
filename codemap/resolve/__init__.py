"""Joining files: what a name denotes, through scopes, imports and classes, asked one name at a time."""
