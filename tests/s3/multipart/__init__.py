"""Multipart uploads from beginning to end."""
