"""`python -m openlake`: the same as the command `openlake`."""

from openlake.cli import main

if __name__ == "__main__":
    main()
