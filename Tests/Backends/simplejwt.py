"""Django REST framework with SimpleJWT: default settings, or rotation with a blacklist (--rotate)."""

from datetime import timedelta

from support.django_project import django_project, project_folder
from support.serving import options, serve, spoil


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--rotate", action="store_true", help="ROTATE_REFRESH_TOKENS and BLACKLIST_AFTER_ROTATION")
    args = parser.parse_args()

    jwt = {
        "ACCESS_TOKEN_LIFETIME": timedelta(seconds=args.access_seconds),
        "REFRESH_TOKEN_LIFETIME": timedelta(seconds=args.refresh_seconds),
    }
    apps = ["rest_framework_simplejwt"]
    if args.rotate:
        jwt |= {"ROTATE_REFRESH_TOKENS": True, "BLACKLIST_AFTER_ROTATION": True}
        apps.append("rest_framework_simplejwt.token_blacklist")

    with project_folder(args.state) as folder:
        authentication = "rest_framework_simplejwt.authentication.JWTAuthentication"
        app = django_project(folder, "support.simplejwt_urls", apps, authentication, SIMPLE_JWT=jwt)
        app = spoil(app, args.garbage, lambda path, _: path == "/api/token/refresh/")
        serve(app, args.port, "simplejwt")


if __name__ == "__main__":
    main()
