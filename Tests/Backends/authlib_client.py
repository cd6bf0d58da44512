"""Authlib as an ordinary OAuth client of the server whose addresses and tokens it is given."""

from typing import Any

import authlib
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from support.oauth_client import TIMEOUT, Given, play


class AuthlibClient:
    name = f"Authlib {authlib.__version__}"

    def __init__(self, given: Given) -> None:
        self.given = given
        self.session = OAuth2Session(
            given.client_id,
            token=given.token,
            token_endpoint=given.token_url,
            token_endpoint_auth_method="none",
            revocation_endpoint_auth_method="none",
            default_timeout=TIMEOUT,
        )
        self.session.trust_env = False

    @property
    def token(self) -> dict[str, Any]:
        return dict(self.session.token)

    def call(self) -> int:
        return self.session.get(self.given.resource).status_code

    def refresh(self, refresh_token: str) -> str | None:
        try:
            self.session.refresh_token(self.given.token_url, refresh_token)
        except OAuthError as error:
            return error.error
        return None

    def revoke(self, refresh_token: str) -> int:
        return self.session.revoke_token(self.given.revoke_url, refresh_token, token_type_hint="refresh_token").status_code


if __name__ == "__main__":
    play(__doc__, AuthlibClient)
