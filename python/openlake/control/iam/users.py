"""Users as system records of the engine. A user has a canonical id, which owns buckets, and one
access key; the root user's key comes from its configuration and is not in the record.
"""

import json
import re
import secrets
from dataclasses import asdict, dataclass, field

from openlake.config import RootKeys
from openlake.config.load import ACCESS_KEY, SECRET_KEY_CHARACTERS
from openlake.control.engine import Engine

KIND = "user"
ROOT = "root"
RECORD_VERSION = 1
USER_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+=,-]{0,63}")


class InvalidUserError(ValueError):
    """A user that cannot be added; the message says why."""


@dataclass(frozen=True, slots=True)
class User:
    name: str
    # 64 hexadecimal digits, as S3's canonical user ids.
    user_id: str
    access_key: str
    secret_key: str = field(repr=False)

    @property
    def is_root(self) -> bool:
        return self.name == ROOT

    def encode(self) -> bytes:
        record = {"version": RECORD_VERSION, **asdict(self)}
        if self.is_root:
            del record["access_key"], record["secret_key"]
        return json.dumps(record).encode()


class UserStore:
    """Every user, in memory and in the engine. `load` comes before all else."""

    def __init__(self, engine: Engine, root_keys: RootKeys) -> None:
        self._engine = engine
        self._root_keys = root_keys
        self._by_id: dict[str, User] = {}

    async def load(self) -> None:
        records = dict(await self._engine.list_system_records(KIND))
        if ROOT not in records:
            records[ROOT] = await self._create_root()
        users = [self._decoded(value) for value in records.values()]
        for user in users:
            if not user.is_root and user.access_key == self._root_keys.access_key:
                raise InvalidUserError(
                    f"the root user's access key {user.access_key} is that of user {user.name}; "
                    "choose another in OPENLAKE_ROOT_ACCESS_KEY"
                )
        self._by_id = {user.user_id: user for user in users}

    async def _create_root(self) -> bytes:
        keys = self._root_keys
        value = User(ROOT, new_user_id(), keys.access_key, keys.secret_key).encode()
        await self._engine.put_system_record(KIND, ROOT, value)
        return value

    def _decoded(self, value: bytes) -> User:
        record = json.loads(value)
        if record["version"] != RECORD_VERSION:
            raise InvalidUserError(
                f"the record of user {record.get('name')} has version {record['version']}, which "
                "this release does not know; run the release that wrote it"
            )
        if record["name"] == ROOT:
            keys = self._root_keys
            return User(ROOT, record["user_id"], keys.access_key, keys.secret_key)
        names = ("name", "user_id", "access_key", "secret_key")
        return User(*(record[name] for name in names))

    async def add(self, name: str, access_key: str, secret_key: str) -> User:
        """A plain user, once its record is durable. One at a time: `State` sees to it."""
        self._check(name, access_key, secret_key)
        user = User(name, new_user_id(), access_key, secret_key)
        await self._engine.put_system_record(KIND, name, user.encode())
        self._by_id[user.user_id] = user
        return user

    def _check(self, name: str, access_key: str, secret_key: str) -> None:
        if not USER_NAME.fullmatch(name):
            raise InvalidUserError(
                f"{name!r} is not a user's name: 1 to 64 of letters, digits and _ . @ + = , -"
            )
        if not ACCESS_KEY.fullmatch(access_key):
            raise InvalidUserError("an access key has 3 to 128 of A-Z, a-z, 0-9, '.', '_', '-'")
        if len(secret_key) not in SECRET_KEY_CHARACTERS:
            raise InvalidUserError("a secret key has 8 to 128 characters")
        for user in self._by_id.values():
            if user.name == name:
                raise InvalidUserError(f"there is a user {name} already")
            if user.access_key == access_key:
                raise InvalidUserError(f"access key {access_key} belongs to user {user.name}")

    def by_id(self, user_id: str) -> User | None:
        return self._by_id.get(user_id)

    def all(self) -> list[User]:
        return list(self._by_id.values())


def new_user_id() -> str:
    return secrets.token_hex(32)
