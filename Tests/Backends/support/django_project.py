"""A Django project without files: settings, a database with one user, and the WSGI application."""

import tempfile
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command

from support.serving import PASSWORD, USER
from support.state import State


def project_folder(state: str | None) -> AbstractContextManager[str]:
    """The folder of secret and database: the one that outlives the process, or one that ends with it."""
    return nullcontext(state) if state else tempfile.TemporaryDirectory()


def django_project(folder: str, urls: str, apps: list[str], authentication: str, **more: Any) -> WSGIHandler:
    installed = ["django.contrib.auth", "django.contrib.contenttypes", "rest_framework", *apps]
    settings.configure(
        SECRET_KEY=State(folder).secret,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=urls,
        INSTALLED_APPS=installed,
        MIDDLEWARE=[
            "django.middleware.security.SecurityMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
        ],
        # Tables are made from the models, and passwords hashed cheaply: both as Django advises for tests.
        MIGRATION_MODULES={app.rpartition(".")[2]: None for app in installed},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": f"{folder}/backend.sqlite3",
                "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
            }
        },
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [authentication],
            "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        },
        LOGGING={"version": 1, "disable_existing_loggers": False, "root": {"level": "CRITICAL"}},
        USE_TZ=True,
        **more,
    )
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)

    from django.contrib.auth.models import User

    if not User.objects.filter(username=USER).exists():
        User.objects.create_user(USER, password=PASSWORD)
    return WSGIHandler()
