"""Credentials for schemathesis: each call gets those that its operation asks for, of a user who is signed in."""

import base64
import json
import os
import urllib.request
from typing import Any

import schemathesis

ADDRESS = os.environ["FRESHET_ADDRESS"]


def post(path: str, body: dict[str, str]) -> dict[str, Any]:
    request = urllib.request.Request(
        ADDRESS + path, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
        return json.load(answer)


class User:
    """Signed in anew whenever a call has ended the session."""

    def __init__(self) -> None:
        self.number = 0

    def token(self) -> str:
        self.number += 1
        account = {"email": f"user{self.number}@example.com", "password": "correct horse"}
        return post("/v1/signup", account)["access_token"]


USER = User()


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/v1/(me|sessions|logout-all)")
class Bearer:
    def get(self, case: schemathesis.Case, context: Any) -> str:
        return USER.token()

    def set(self, case: schemathesis.Case, data: str, context: Any) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/(oauth/|v1/ended)")
class Client:
    def get(self, case: schemathesis.Case, context: Any) -> str:
        pair = f"{os.environ['FRESHET_CLIENT']}:{os.environ['FRESHET_CLIENT_SECRET']}"
        return base64.b64encode(pair.encode()).decode()

    def set(self, case: schemathesis.Case, data: str, context: Any) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Basic {data}"
