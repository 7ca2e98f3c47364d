"""The control plane: registry, users, admin address, keys, and its distance from the hot path."""
