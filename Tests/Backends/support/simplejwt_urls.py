"""The routes of `simplejwt.py`, as the library's guide has them."""

from django.apps import apps
from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework_simplejwt.views import TokenBlacklistView, TokenObtainPairView, TokenRefreshView


@api_view()
def me(request: Request) -> Response:
    return Response({"user": request.user.get_username()})


urlpatterns = [
    path("api/token/", TokenObtainPairView.as_view()),
    path("api/token/refresh/", TokenRefreshView.as_view()),
    path("api/me", me),
]
if apps.is_installed("rest_framework_simplejwt.token_blacklist"):
    urlpatterns.append(path("api/token/blacklist/", TokenBlacklistView.as_view()))
