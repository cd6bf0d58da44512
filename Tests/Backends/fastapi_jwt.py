"""FastAPI with PyJWT, in the manner of its tutorial: login with a form, a refresh that rotates, and a protected resource."""

import socket
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import jwt
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response, status
from fastapi.security import OAuth2PasswordBearer, OAuth2PasswordRequestForm
from pydantic import BaseModel

from support.serving import GARBAGE, PASSWORD, USER, Garbage, announce, hear_signals, options, when_stdin_closes
from support.state import State

ALGORITHM = "HS256"


class RefreshRequest(BaseModel):
    refresh_token: str


class Tokens(BaseModel):
    access_token: str
    refresh_token: str
    token_type: str = "bearer"


def unauthorized(detail: str) -> HTTPException:
    return HTTPException(status.HTTP_401_UNAUTHORIZED, detail, headers={"WWW-Authenticate": "Bearer"})


def make_app(access_seconds: int, refresh_seconds: int, state: State, garbage: Garbage) -> FastAPI:
    app = FastAPI()
    secret = state.secret

    def sign(user: str, kind: str, seconds: int) -> str:
        claims = {"sub": user, "type": kind, "jti": uuid.uuid4().hex, "exp": int(time.time()) + seconds}
        return jwt.encode(claims, secret, ALGORITHM)

    def read(token: str, kind: str, complaint: str) -> dict[str, Any]:
        try:
            claims = jwt.decode(token, secret, algorithms=[ALGORITHM])
        except jwt.InvalidTokenError:
            raise unauthorized(complaint) from None
        if claims.get("type") != kind:
            raise unauthorized(complaint)
        return claims

    def issue(user: str) -> Tokens:
        return Tokens(
            access_token=sign(user, "access", access_seconds), refresh_token=sign(user, "refresh", refresh_seconds)
        )

    def current_user(token: Annotated[str, Depends(OAuth2PasswordBearer(tokenUrl="token"))]) -> str:
        return read(token, "access", "Could not validate credentials")["sub"]

    @app.middleware("http")
    async def spoil(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        if request.url.path == "/auth/refresh" and garbage.is_due():
            return Response(GARBAGE, media_type="application/json")
        return await call_next(request)

    @app.post("/token")
    async def login(form: Annotated[OAuth2PasswordRequestForm, Depends()]) -> Tokens:
        if (form.username, form.password) != (USER, PASSWORD):
            raise unauthorized("Incorrect username or password")
        return issue(form.username)

    @app.post("/auth/refresh")
    async def refresh(body: RefreshRequest) -> Tokens:
        claims = read(body.refresh_token, "refresh", "Invalid or expired refresh token")
        if state.is_void(claims["jti"]):  # used once already
            raise unauthorized("Invalid or expired refresh token")
        state.void(claims["jti"])
        return issue(claims["sub"])

    @app.get("/api/me")
    async def me(user: Annotated[str, Depends(current_user)]) -> dict[str, str]:
        return {"user": user}

    return app


def main() -> None:
    args = options(__doc__).parse_args()
    app = make_app(args.access_seconds, args.refresh_seconds, State(args.state), Garbage(args.garbage))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))

    def stop() -> None:
        server.should_exit = True

    hear_signals()
    with socket.create_server(("127.0.0.1", args.port)) as listener:
        when_stdin_closes(stop)
        announce(listener.getsockname()[1], "fastapi")
        server.run(sockets=[listener])


if __name__ == "__main__":
    main()
