"""Credentials and live tokens for schemathesis: each call gets those that its operation asks for, of a user of its own."""

import base64
import json
import os
import urllib.request
from typing import Any

import schemathesis

ADDRESS = os.environ["FRESHET_ADDRESS"]


CLIENT = f"{os.environ['FRESHET_CLIENT']}:{os.environ['FRESHET_CLIENT_SECRET']}"
BASIC = "Basic " + base64.b64encode(CLIENT.encode()).decode()


def post(path: str, body: dict[str, str], **headers: str) -> dict[str, Any]:
    headers["Content-Type"] = "application/json"
    request = urllib.request.Request(ADDRESS + path, json.dumps(body).encode(), headers, method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
        return json.load(answer)


class Users:
    """A new one for each call: many calls end the session that they are made with."""

    def __init__(self) -> None:
        self.number = 0

    def account(self) -> dict[str, str]:
        self.number += 1
        return {"email": f"user{self.number}@example.com", "password": "correct horse"}

    def grant(self, **headers: str) -> dict[str, Any]:
        return post("/v1/signup", self.account(), **headers)


USERS = Users()


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    """Puts what is true where any text would do, so that answers to good requests are seen, too."""
    path = context.operation.path
    if not isinstance(body, dict):
        return body
    if path == "/v1/signup" and isinstance(body.get("email"), str) and isinstance(body.get("password"), str):
        return body | USERS.account()
    if path == "/v1/login/password" and isinstance(body.get("email"), str) and isinstance(body.get("password"), str):
        account = USERS.account()
        post("/v1/signup", account)
        return body | account
    if path == "/v1/login/code" and isinstance(body.get("email"), str):
        return body | {"email": USERS.account()["email"]}
    if path.startswith("/v1/") and isinstance(body.get("refresh_token"), str):
        token = {"refresh_token": USERS.grant()["refresh_token"]}
        return body | token | ({"intent": "AAAAAAAAAAAAAAAAAAAAAA"} if path == "/v1/refresh" else {})
    for name in ("refresh_token", "token"):
        if path.startswith("/oauth/") and isinstance(body.get(name), str):
            body = {key: value for key, value in body.items() if not key.startswith("client_") and key != "scope"}
            return body | {name: USERS.grant(Authorization=BASIC)["refresh_token"]}
    return body


def wants(scheme: str) -> Any:
    """Matches the operations that name the scheme in their security."""

    def matches(context: Any) -> bool:
        security = context.operation.definition.raw.get("security", [])
        return any(scheme in requirement for requirement in security)

    return matches


@schemathesis.auth(refresh_interval=None).apply_to(wants("accessToken"))
class Bearer:
    def get(self, case: schemathesis.Case, context: Any) -> str:
        return USERS.grant()["access_token"]

    def set(self, case: schemathesis.Case, data: str, context: Any) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(wants("client"))
class Client:
    def get(self, case: schemathesis.Case, context: Any) -> str:
        return BASIC

    def set(self, case: schemathesis.Case, data: str, context: Any) -> None:
        case.headers = case.headers or {}
        case.headers["Authorization"] = data
