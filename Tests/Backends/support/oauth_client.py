"""The story that every OAuth client here plays: automatic refresh, a call, another refresh, revocation, a refusal."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Protocol

TIMEOUT = 30


@dataclass
class Given:
    """What the client starts with."""

    token_url: str
    revoke_url: str
    client_id: str
    refresh_token: str
    access_token: str
    resource: str

    @property
    def token(self) -> dict[str, Any]:
        """The tokens, with a past that makes the library refresh before its first call."""
        tokens = {"access_token": self.access_token, "refresh_token": self.refresh_token, "token_type": "Bearer"}
        return tokens | {"expires_in": -1, "expires_at": 1}


class Client(Protocol):
    """One library, as its own manual uses it."""

    name: str

    @property
    def token(self) -> dict[str, Any]: ...

    def call(self) -> int:
        """Asks for the resource and returns the status; the library refreshes when it thinks it is time."""

    def refresh(self, refresh_token: str) -> str | None:
        """Refreshes, and returns the server's error code or None."""

    def revoke(self, refresh_token: str) -> int:
        """Revokes the refresh token and returns the status."""


def play(description: str | None, make: Callable[[Given], Client]) -> None:
    """Reads options or, without any, JSON from stdin; prints a line of JSON, and exits with 0 if all went well."""
    parser = argparse.ArgumentParser(description=description)
    for field in fields(Given):
        parser.add_argument("--" + field.name.replace("_", "-"), required=len(sys.argv) > 1)
    given = Given(**(vars(parser.parse_args()) if len(sys.argv) > 1 else json.load(sys.stdin)))
    client = make(given)
    steps: list[dict[str, Any]] = []
    failure = None
    try:
        tell(client, given, lambda step, ok, **facts: steps.append({"step": step, "ok": ok, **facts}))
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    ok = failure is None and all(step["ok"] for step in steps)
    print(json.dumps({"client": client.name, "ok": ok, "steps": steps, "failure": failure}))
    sys.exit(0 if ok else 1)


def tell(client: Client, given: Given, note: Callable[..., None]) -> None:
    before = client.token
    status = client.call()
    after = client.token
    note("automatic refresh", after["access_token"] != before["access_token"], rotated=after["refresh_token"] != before["refresh_token"])
    note("call", status == 200, status=status)

    error = client.refresh(after["refresh_token"])
    newest = client.token
    note("refresh", error is None, error=error, rotated=newest["refresh_token"] != after["refresh_token"])
    status = client.call()
    note("call", status == 200, status=status)

    status = client.revoke(newest["refresh_token"])
    note("revoke", status == 200, status=status)
    error = client.refresh(newest["refresh_token"])
    note("refresh after revoking", error == "invalid_grant", error=error)
