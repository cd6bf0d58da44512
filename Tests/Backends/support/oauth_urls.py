"""The routes of `django_oauth_toolkit.py`: the library's own under /o/, and one resource protected in two ways."""

from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from oauth2_provider.decorators import protected_resource
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response


@api_view()
def me(request: Request) -> Response:
    return Response({"user": request.user.get_username()})


@protected_resource()
def plain_me(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"user": request.resource_owner.get_username()})


urlpatterns = [
    path("o/", include("oauth2_provider.urls")),
    path("api/me", me),  # through Django REST framework
    path("plain/me", plain_me),  # through the library's own decorator
]
