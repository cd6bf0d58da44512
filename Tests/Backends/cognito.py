"""Moto's Cognito with one pool, client and user; moto has no resource, so a small front adds /me, which checks the token.

Moto keeps all in memory and never ends a refresh token: --state and --refresh-seconds change nothing here.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import jwt
from moto.cognitoidp.models import CognitoIdpUserPool
from moto.moto_server.werkzeug_app import create_backend_app
from werkzeug import Request, Response
from werkzeug.exceptions import InternalServerError
from werkzeug.test import Client

from support.serving import PASSWORD, USER, options, serve, spoil

REGION = "us-east-1"


def shorten(access_seconds: int) -> None:
    """Moto's tokens live an hour whatever the client's settings say; this changes the default of the method that signs them."""
    sign = CognitoIdpUserPool.create_jwt

    def create_jwt(
        self: CognitoIdpUserPool,
        client_id: str,
        username: str,
        token_use: str,
        expires_in: int = access_seconds,
        extra_data: dict[str, Any] | None = None,
    ) -> tuple[str, int]:
        return sign(self, client_id, username, token_use, expires_in, extra_data)

    CognitoIdpUserPool.create_jwt = create_jwt  # type: ignore[method-assign]


def prepare(moto: Callable[..., Iterable[bytes]]) -> tuple[str, str, jwt.PyJWK]:
    """Makes pool, client and user; returns the pool's id, the client's id, and the key that signs the pool's tokens."""
    http = Client(moto)

    def call(operation: str, **body: Any) -> dict[str, Any]:
        headers = {"X-Amz-Target": f"AWSCognitoIdentityProviderService.{operation}"}
        answer = http.post("/", headers=headers, data=json.dumps(body), content_type="application/x-amz-json-1.1")
        assert answer.status_code == 200, answer.text
        return json.loads(answer.text or "{}")

    pool = call("CreateUserPool", PoolName="tests")["UserPool"]["Id"]
    flows = ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
    client = call("CreateUserPoolClient", UserPoolId=pool, ClientName="tests", ExplicitAuthFlows=flows)["UserPoolClient"]["ClientId"]
    call("AdminCreateUser", UserPoolId=pool, Username=USER, MessageAction="SUPPRESS")
    call("AdminSetUserPassword", UserPoolId=pool, Username=USER, Password=PASSWORD, Permanent=True)
    keys = json.loads(http.get(f"/{pool}/.well-known/jwks.json").text)
    return pool, client, jwt.PyJWKSet.from_dict(keys).keys[0]


def main() -> None:
    args = options(__doc__).parse_args()
    os.environ["AWS_DEFAULT_REGION"] = REGION
    shorten(args.access_seconds)
    moto = create_backend_app("cognito-idp")
    pool, client, key = prepare(moto)
    issuer = f"https://cognito-idp.{REGION}.amazonaws.com/{pool}"

    def me(request: Request) -> Response:
        try:
            token = request.authorization.token if request.authorization else None
            claims = jwt.decode(token or "", key, algorithms=["RS256"], issuer=issuer)
            if (claims["token_use"], claims["client_id"]) != ("access", client):
                raise jwt.InvalidTokenError
        except jwt.ExpiredSignatureError:
            return Response('{"message":"The incoming token has expired"}', 401, content_type="application/json")
        except jwt.InvalidTokenError:
            return Response('{"message":"Unauthorized"}', 401, content_type="application/json")
        return Response(json.dumps({"user": claims["username"]}), content_type="application/json")

    def front(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/me":
            return me(Request(environ))(environ, start_response)
        try:
            return moto(environ, start_response)
        except NotImplementedError as error:  # moto's own server answers the same, and prints a page
            print(f"cognito: {error}", file=sys.stderr)
            return InternalServerError()(environ, start_response)

    def is_refresh(path: str, body: bytes) -> bool:
        return path == "/" and b"REFRESH_TOKEN" in body

    app = spoil(front, args.garbage, is_refresh)
    serve(app, args.port, "cognito", "/me", client_id=client)


if __name__ == "__main__":
    main()
