"""Authlib as a confidential client: it signs a user in, refreshes, introspects and revokes, by header or by form."""

import json
import sys
from typing import Any

import authlib
import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from support.oauth_client import TIMEOUT


def session(given: dict[str, Any], secret: str) -> OAuth2Session:
    made = OAuth2Session(
        given["client_id"],
        secret,
        token_endpoint_auth_method=given["method"],
        revocation_endpoint_auth_method=given["method"],
        default_timeout=TIMEOUT,
    )
    made.trust_env = False
    return made


def refusal(client: OAuth2Session, url: str, token: str) -> str | None:
    try:
        client.refresh_token(url, token)
    except OAuthError as error:
        return error.error
    return None


def tell(given: dict[str, Any], note: Any) -> None:
    plain = requests.Session()
    plain.trust_env = False
    metadata = plain.get(given["server"] + "/.well-known/oauth-authorization-server", timeout=TIMEOUT).json()
    note("metadata", given["method"] in metadata["token_endpoint_auth_methods_supported"])
    # The issuer is where users find it; the test's server listens somewhere else.
    urls = {
        name: given["server"] + metadata[f"{name}_endpoint"].removeprefix(metadata["issuer"])
        for name in ("token", "revocation", "introspection")
    }

    signed_in = plain.post(
        given["server"] + "/v1/signup",
        json={"email": given["email"], "password": "correct horse"},
        auth=(given["client_id"], given["client_secret"]),
        timeout=TIMEOUT,
    )
    note("sign in", signed_in.status_code == 201)
    first = signed_in.json()

    client = session(given, given["client_secret"])
    token = client.refresh_token(urls["token"], first["refresh_token"])
    note("refresh", token["refresh_token"] != first["refresh_token"])

    def introspect(text: str) -> dict[str, Any]:
        return client.introspect_token(urls["introspection"], token=text).json()

    access = introspect(token["access_token"])
    note("introspect", access["active"] and access["client_id"] == given["client_id"])
    note("introspect", introspect(token["refresh_token"])["active"])
    note("introspect", introspect("nonsense") == {"active": False})

    note("wrong secret", refusal(session(given, "wrong"), urls["token"], token["refresh_token"]) == "invalid_client")
    status = client.revoke_token(urls["revocation"], token["refresh_token"], token_type_hint="refresh_token").status_code
    note("revoke", status == 200)
    note("introspect", introspect(token["access_token"]) == {"active": False})
    note("refresh after revoking", refusal(client, urls["token"], token["refresh_token"]) == "invalid_grant")


if __name__ == "__main__":
    steps: list[dict[str, Any]] = []
    failure = None
    try:
        tell(json.load(sys.stdin), lambda step, ok: steps.append({"step": step, "ok": bool(ok)}))
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
    ok = failure is None and all(step["ok"] for step in steps)
    print(json.dumps({"client": f"Authlib {authlib.__version__}", "ok": ok, "steps": steps, "failure": failure}))
    sys.exit(0 if ok else 1)
