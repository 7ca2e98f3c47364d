"""`openlake serve`: settings in, server up, a snippet to paste, until SIGTERM or Ctrl-C."""

import os
from pathlib import Path

import click

from openlake.cli.errors import told_plainly
from openlake.cli.snippet import snippet
from openlake.config import ConfigError, Settings, load_settings, this_hardware, tuned


@click.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="Data directory.")
@click.option("--listen", metavar="HOST:PORT", help="Address of S3.  [default: 127.0.0.1:9000]")
@click.option(
    "--admin",
    metavar="HOST:PORT",
    help="Address of /readyz, /healthz and /metrics.  [default: 127.0.0.1:9001]",
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Settings in TOML; the environment (OPENLAKE_SERVER_…) and flags win over it.",
)
@click.option(
    "--cores", type=int, metavar="N", help="Shards, a pinned thread each.  [default: all]"
)
def serve(
    data: Path,
    listen: str | None,
    admin: str | None,
    config_file: Path | None,
    cores: int | None,
) -> None:
    """Serve S3 from a data directory.

    The root user's keys come from OPENLAKE_ROOT_ACCESS_KEY and OPENLAKE_ROOT_SECRET_KEY, or are
    generated once, kept in the data directory and shown once.
    """
    flags = {"server": {"listen": listen, "admin": admin, "cores": cores}}
    with told_plainly(ConfigError):
        settings = tuned(load_settings(data, config_file, os.environ, flags), this_hardware())
        require_keys_beyond_loopback(settings)
    from openlake.control import ServeError, Started, serve_until_stopped

    def announce(started: Started) -> None:
        click.echo(snippet(started, settings.server.region))

    with told_plainly(ServeError):
        serve_until_stopped(settings, announce)


def require_keys_beyond_loopback(settings: Settings) -> None:
    if settings.root_keys is None and not settings.listen.is_loopback:
        raise ConfigError(
            f"--listen {settings.listen}: beyond loopback the root user's keys must be chosen: set "
            "OPENLAKE_ROOT_ACCESS_KEY and OPENLAKE_ROOT_SECRET_KEY, or listen on 127.0.0.1"
        )
