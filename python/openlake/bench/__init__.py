"""Benchmarks: the checkpoint job of `make run`, the drive and object figures of `make bench`."""
