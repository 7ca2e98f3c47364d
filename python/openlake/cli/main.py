"""The root of the command line, and the one place where an operating error becomes a message."""

import click

from openlake import __version__
from openlake.cli.bench import bench
from openlake.cli.doctor import doctor
from openlake.cli.serve import serve
from openlake.cli.user import user


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """OpenLake: an S3 object store for AI."""


@main.command()
def version() -> None:
    """Print the version."""
    click.echo(f"openlake {__version__}")


main.add_command(serve)
main.add_command(doctor)
main.add_command(bench)
main.add_command(user)
