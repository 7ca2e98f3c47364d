"""Servers side by side under the same loads."""
