"""Calls a server as clients of Firebase Dynamic Links do that others wrote: nothing changes but the base URL and the key.

BASE_URL is the server's, CLIENT_KEY and SERVER_KEY are keys of it. https://go.example.com, https://kith.page.link and
https://kith.app.goo.gl are its domains, and example.com is an allowed target.
"""
import os

from firebase_dynamic_links.client import FirebaseClient
from firebase_dynamic_links.dynamic_links import DynamicLinkBuilder
from firebase_dynamic_links.errors import FirebaseServerError
from google.api_core.client_options import ClientOptions
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from python_firebase_url_shortener.url_shortener import UrlShortener

BASE, CLIENT_KEY, SERVER_KEY = (os.environ[name] for name in ("BASE_URL", "CLIENT_KEY", "SERVER_KEY"))
PARTY, DOMAIN = "https://example.com/party?id=7", "https://go.example.com"


def at_base(url):
    """The URL that a client has built in, at our server."""
    return url.replace("https://firebasedynamiclinks.googleapis.com", f"{BASE}/fdl")


def google(**options):
    """Google's own client for Python, which generates its calls from the API's description."""
    return build("firebasedynamiclinks", "v1", static_discovery=True, cache_discovery=False,
                 client_options=ClientOptions(api_endpoint=f"{BASE}/fdl/"), **options)


def try_google():
    info = {"domainUriPrefix": DOMAIN, "link": PARTY, "androidInfo": {"androidPackageName": "com.other"},
            "navigationInfo": {"enableForcedRedirect": True}}
    with google(developerKey=CLIENT_KEY) as app:
        made = app.shortLinks().create(body={"dynamicLinkInfo": info, "suffix": {"option": "UNGUESSABLE"}}).execute()
        assert len(made["shortLink"]) == len(DOMAIN) + 18 and made["previewLink"] == made["shortLink"] + "?d=1", made
        assert made["warning"][0]["warningCode"] == "NOT_IN_PROJECT_ANDROID_PACKAGE_NAME", made
        found = app.v1().reopenAttribution(body={"requestedLink": made["shortLink"], "bundleId": "x"}).execute()
        assert found["deepLink"] == PARTY, found
        found = app.v1().installAttribution(body={
            "uniqueMatchLinkToCheck": made["shortLink"], "appInstallationTime": "1700000000",
            "device": {"screenResolutionHeight": "844", "languageCode": "en-US"}}).execute()
        assert (found["deepLink"], found["attributionConfidence"]) == (PARTY, "UNIQUE"), found
        for body, status, reason in (
                ({"longDynamicLink": "https://other.page.link/?link=x"}, 400, "Your project does not own Dynamic Links domain"),
                ({"dynamicLinkInfo": dict(info, link="https://evil.example")}, 400, "We could not match param"),
                ({"dynamicLinkInfo": info, "suffix": {"option": "CUSTOM", "customSuffix": "a"}}, 403, "Requests to this API")):
            try:
                app.shortLinks().create(body=body).execute()
                raise AssertionError(body)
            except HttpError as error:
                assert error.resp.status == status and error.reason.startswith(reason), error
    with google(credentials=Credentials(SERVER_KEY)) as backend:
        managed = backend.managedShortLinks().create(
            body={"dynamicLinkInfo": info, "name": "Flyer", "suffix": {"option": "SHORT"}}).execute()["managedShortLink"]
        assert managed["linkName"] == "Flyer" and managed["info"]["navigationInfo"]["enableForcedRedirect"] is True, managed
        stats = backend.v1().getLinkStats(dynamicLink=managed["link"], durationDays=7).execute()
        assert isinstance(stats["linkEventStats"], list), stats


def try_py_fdl():
    client = FirebaseClient(CLIENT_KEY)
    client.url = at_base(client.url)
    link = DynamicLinkBuilder(client).generate_short_link("kith", link=PARTY, st="A party")
    assert link.startswith("https://kith.app.goo.gl/") and len(link) == 41, link
    try:
        client.shorten_link("https://kith.app.goo.gl/nonsense")
        raise AssertionError("shortened nonsense")
    except FirebaseServerError as error:
        assert "Long link is not parsable: https://kith.app.goo.gl/nonsense" in str(error), error


def try_url_shortener():
    shortener = UrlShortener(CLIENT_KEY, "kith")
    shortener.api_url = at_base(shortener.api_url)
    link = shortener.get_short_link("https://example.com/party")
    assert link.startswith("https://kith.page.link/"), link
    refused = shortener.get_short_link("https://evil.example")
    assert refused["error"]["status"] == "INVALID_ARGUMENT", refused


for attempt in (try_google, try_py_fdl, try_url_shortener):
    attempt()
