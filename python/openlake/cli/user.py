"""`openlake user …`: users of a data directory, through the socket of its running server."""

from pathlib import Path

import click

from openlake.cli.errors import told_plainly


@click.group()
def user() -> None:
    """Users and their keys."""


@user.command()
@click.argument("name")
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Data directory.")
@click.option("--access-key", required=True, metavar="K", help="The user's access key.")
@click.option("--secret-key", required=True, metavar="S", help="The user's secret key.")
def add(name: str, data: Path, access_key: str, secret_key: str) -> None:
    """Add the plain user NAME: it may create buckets and do everything in its own."""
    from openlake.control import LocalSocketError, add_user

    with told_plainly(LocalSocketError):
        add_user(data, name, access_key, secret_key)
    click.echo(f"added user {name} with access key {access_key}")
