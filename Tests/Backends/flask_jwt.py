"""Flask with Flask-JWT-Extended: login, refresh, a protected resource, and a logout with a block list."""

from datetime import timedelta
from typing import Any

from flask import Flask, Response, jsonify, request
from flask_jwt_extended import (
    JWTManager,
    create_access_token,
    create_refresh_token,
    get_jwt,
    get_jwt_identity,
    jwt_required,
)

from support.serving import PASSWORD, USER, options, serve, spoil
from support.state import State


def make_app(access_seconds: int, refresh_seconds: int, state: State) -> Flask:
    app = Flask(__name__)
    app.config["JWT_SECRET_KEY"] = state.secret
    app.config["JWT_ACCESS_TOKEN_EXPIRES"] = timedelta(seconds=access_seconds)
    app.config["JWT_REFRESH_TOKEN_EXPIRES"] = timedelta(seconds=refresh_seconds)
    jwt = JWTManager(app)

    @jwt.token_in_blocklist_loader
    def is_blocked(_header: dict[str, Any], payload: dict[str, Any]) -> bool:
        return state.is_void(payload["jti"])

    @app.post("/login")
    def login() -> tuple[Response, int] | Response:
        given = request.get_json()
        if (given.get("username"), given.get("password")) != (USER, PASSWORD):
            return jsonify(msg="Bad username or password"), 401
        return jsonify(access_token=create_access_token(USER), refresh_token=create_refresh_token(USER))

    @app.post("/refresh")
    @jwt_required(refresh=True)
    def refresh() -> Response:
        return jsonify(access_token=create_access_token(get_jwt_identity()))

    @app.delete("/logout")
    @jwt_required(verify_type=False)
    def logout() -> Response:
        state.void(get_jwt()["jti"])
        return jsonify(msg=f"{get_jwt()['type'].capitalize()} token revoked")

    @app.get("/api/me")
    @jwt_required()
    def me() -> Response:
        return jsonify(user=get_jwt_identity())

    return app


def main() -> None:
    args = options(__doc__).parse_args()
    app = make_app(args.access_seconds, args.refresh_seconds, State(args.state))
    serve(spoil(app, args.garbage, lambda path, _: path == "/refresh"), args.port, "flask-jwt-extended")


if __name__ == "__main__":
    main()
