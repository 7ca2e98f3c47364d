"""Operating errors end a command with their message and code 1, without a trace."""

import contextlib
from collections.abc import Iterator

import click

# As a shell reports a command that SIGINT ended.
INTERRUPTED_EXIT = 130


@contextlib.contextmanager
def told_plainly(*kinds: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kinds as error:
        raise click.ClickException(str(error)) from error
