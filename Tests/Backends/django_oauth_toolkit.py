"""Django OAuth Toolkit: an authorization server with rotation and reuse protection, one public client, and a resource."""

from urllib.parse import parse_qs

from support.django_project import django_project, project_folder
from support.serving import options, serve, spoil

CLIENT_ID = "freshet-tests"


def is_refresh(path: str, body: bytes) -> bool:
    return path == "/o/token/" and parse_qs(body).get(b"grant_type") == [b"refresh_token"]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--grace-seconds", type=int, default=0, help="how long a used refresh token is taken again")
    args = parser.parse_args()
    provider = {
        "ACCESS_TOKEN_EXPIRE_SECONDS": args.access_seconds,
        "REFRESH_TOKEN_EXPIRE_SECONDS": args.refresh_seconds,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": args.grace_seconds,
    }
    with project_folder(args.state) as folder:
        authentication = "oauth2_provider.contrib.rest_framework.OAuth2Authentication"
        app = django_project(folder, "support.oauth_urls", ["oauth2_provider"], authentication, OAUTH2_PROVIDER=provider)

        from oauth2_provider.models import Application

        Application.objects.get_or_create(
            client_id=CLIENT_ID,
            defaults={
                "name": "Tests",
                "client_type": Application.CLIENT_PUBLIC,
                "authorization_grant_type": Application.GRANT_PASSWORD,
            },
        )
        serve(spoil(app, args.garbage, is_refresh), args.port, "django-oauth-toolkit", client_id=CLIENT_ID)


if __name__ == "__main__":
    main()
