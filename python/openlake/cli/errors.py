"""Operating errors end a command with their message and code 1, without a trace."""

import contextlib
from collections.abc import Iterator

import click


@contextlib.contextmanager
def told_plainly(*kinds: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kinds as error:
        raise click.ClickException(str(error)) from error
