"""What the control plane knows at all times: users, buckets and their owners. The engine has them
durably; the shards have the table compiled from them, and a change is answered once they use it.
"""

import asyncio
import json
import secrets
from dataclasses import dataclass

from openlake._core import BucketInfo
from openlake.config import RootKeys
from openlake.control.engine import Engine
from openlake.control.iam import User, UserStore

SECRETS_KIND = "secret"
LIST_TOKENS = "list-tokens"
# The settings of a bucket, none of which exists in this release.
NEW_BUCKET_CONFIG = json.dumps({"version": 1}).encode()


@dataclass(frozen=True, slots=True)
class Bucket:
    name: str
    owner_id: str
    created_ms: int

    @classmethod
    def of(cls, info: BucketInfo) -> "Bucket":
        return cls(info.name, info.owner, info.created_ms)


class State:
    """Changed only through its methods, one change at a time."""

    def __init__(self, engine: Engine, root_keys: RootKeys) -> None:
        self._engine = engine
        self.users = UserStore(engine, root_keys)
        self.buckets: dict[str, Bucket] = {}
        # The key of continuation tokens that Python issues.
        self.token_key = b""
        self._changing = asyncio.Lock()

    async def load(self) -> None:
        await self.users.load()
        self.buckets = {info.name: Bucket.of(info) for info in await self._engine.list_buckets()}
        self.token_key = await self._load_token_key()
        await self._publish()

    async def _load_token_key(self) -> bytes:
        stored = dict(await self._engine.list_system_records(SECRETS_KIND))
        if LIST_TOKENS not in stored:
            stored[LIST_TOKENS] = secrets.token_bytes(32)
            await self._engine.put_system_record(SECRETS_KIND, LIST_TOKENS, stored[LIST_TOKENS])
        return stored[LIST_TOKENS]

    async def add_user(self, name: str, access_key: str, secret_key: str) -> User:
        async with self._changing:
            user = await self.users.add(name, access_key, secret_key)
            await self._publish()
            return user

    async def create_bucket(self, name: str, owner_id: str) -> None:
        async with self._changing:
            created = await self._engine.create_bucket(name, owner_id, NEW_BUCKET_CONFIG)
            self.buckets[name] = Bucket.of(created)
            await self._publish()

    async def delete_bucket(self, name: str) -> None:
        async with self._changing:
            await self._engine.delete_bucket(name)
            self.buckets.pop(name, None)
            await self._publish()

    async def _publish(self) -> None:
        keys = [
            (user.access_key, user.secret_key, user.user_id, user.is_root)
            for user in self.users.all()
        ]
        owners = [(bucket.name, bucket.owner_id) for bucket in self.buckets.values()]
        await self._engine.set_access(keys, owners)
