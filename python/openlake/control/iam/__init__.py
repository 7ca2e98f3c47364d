"""Who may ask: users and their access keys."""

from openlake.control.iam.users import InvalidUserError, User, UserStore

__all__ = ["InvalidUserError", "User", "UserStore"]
