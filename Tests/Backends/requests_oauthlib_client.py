"""requests-oauthlib as an ordinary OAuth client of the server whose addresses and tokens it is given."""

import os
from typing import Any

import requests_oauthlib
from oauthlib.oauth2 import OAuth2Error
from requests_oauthlib import OAuth2Session

from support.oauth_client import TIMEOUT, Given, play

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # the server is on loopback


class RequestsOAuthlibClient:
    name = f"requests-oauthlib {requests_oauthlib.__version__}"

    def __init__(self, given: Given) -> None:
        self.given = given
        self.session = OAuth2Session(
            given.client_id,
            token=given.token,
            auto_refresh_url=given.token_url,
            auto_refresh_kwargs={"client_id": given.client_id},
            token_updater=lambda token: None,
        )
        self.session.trust_env = False

    @property
    def token(self) -> dict[str, Any]:
        return dict(self.session.token)

    def call(self) -> int:
        return self.session.get(self.given.resource, timeout=TIMEOUT).status_code

    def refresh(self, refresh_token: str) -> str | None:
        try:
            self.session.refresh_token(self.given.token_url, refresh_token, timeout=TIMEOUT)
        except OAuth2Error as error:
            return error.error
        return None

    def revoke(self, refresh_token: str) -> int:
        """The session has no call for this; oauthlib prepares the request."""
        url, headers, body = self.session._client.prepare_token_revocation_request(
            self.given.revoke_url, refresh_token, "refresh_token", client_id=self.given.client_id
        )
        return self.session.post(url, data=body, headers=headers, withhold_token=True, timeout=TIMEOUT).status_code


if __name__ == "__main__":
    play(__doc__, RequestsOAuthlibClient)
