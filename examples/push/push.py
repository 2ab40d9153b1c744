#!/usr/bin/env python3
"""Turns Kith's webhooks into pushes by Firebase Cloud Messaging (FCM) and Apple's service (APNs). README.md says how to run it.

It answers a webhook with 204 once every device has its push. Until then Kith keeps the event and sends it again, so this program
needs no queue of its own, and loses nothing when it dies.
"""
import argparse
import asyncio
import dataclasses
import datetime
import hashlib
import hmac
import json
import logging
import os
import pathlib
import re
import sqlite3
import sys
import time
import uuid

import httpx
import hypercorn.asyncio
import jwt
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

# What users are told: the event, who the other person is, and whether it is shown or only sets the number on the icon. Take a
# line out if your app does not want it.
PUSHES = {
    "friend.requested": ("friend", True),
    "invite.used": ("invitee", True),
    "friend.created": ("friend", True),
    "friend.request_ended": ("friend", False),
}
# Somebody who joins by a link makes two events for who invited them. Within so many seconds only the first is told.
JOINING = 60
# As long as Kith tries. Older news is not sent, so whoever redelivers last month's events wakes nobody, and `sent` stays small.
KEEP = 3 * 86400
# Kith waits 15 seconds. A request to FCM takes up to 10, says Google.
PATIENCE, REQUEST_PATIENCE = 13, 10
LARGEST_BODY = 65536
TOKENS = {"apns": re.compile(r"[0-9a-f]{1,1000}"), "fcm": re.compile(r"[\w:.-]{1,4000}", re.ASCII)}

log = logging.getLogger("push")


def now():
    return time.time()


class Later(Exception):
    """A push that may succeed later. Kith sends the event again, after `seconds` at the earliest."""

    def __init__(self, why, seconds=None):
        super().__init__(why)
        self.seconds = seconds


# What is sent

@dataclasses.dataclass
class Message:
    """A push for any device of the user."""
    event: str
    type: str
    badge: int
    expires: int
    # Whose uid; empty if they are gone.
    other: str
    # How the other person is called. None if the push shows nothing.
    name: str | None

    @classmethod
    def of(cls, id, event):
        """Returns None if the user need not hear of the event."""
        if event["audience"] != "user" or event["type"] not in PUSHES:
            return None
        expires = int(datetime.datetime.fromisoformat(event["timestamp"]).timestamp()) + KEEP
        if expires <= now():
            log.info("event %s is older than %d days: not sent", id, KEEP // 86400)
            return None
        role, is_shown = PUSHES[event["type"]]
        # Nobody is named who has deleted their account since.
        other = event["data"].get(role, {})
        name = (other.get("displayName") or other.get("username")) if is_shown else None
        return cls(id, event["type"], event["data"]["badge"], expires, other.get("uid", ""), name)

    @property
    def tag(self):
        """One person has one notification: a newer one replaces it, and so does a push that is sent twice."""
        return "kith-" + hashlib.sha256(self.other.encode()).hexdigest()[:32]

    @property
    def data(self):
        """For the app. FCM takes only text. Of somebody who is gone there is nothing to say."""
        other = {"kith_uid": self.other, "kith_tag": self.tag} if self.other else {}
        return {"kith_type": self.type, "kith_event": self.event, **other, "kith_badge": str(self.badge)}

    def text(self, title_key, title_args, body_key, body_args):
        """Keys of the app's own texts: so the phone translates, and not this program."""
        key = "kith_" + self.type.replace(".", "_")
        return {title_key: key + "_title", title_args: [self.name], body_key: key + "_body", body_args: [self.name]}

    def apns_headers(self):
        # `alert` also if only the number changes: a `background` push cannot change it, and iOS holds many of those back.
        return {"apns-push-type": "alert", "apns-priority": "10" if self.name else "5", "apns-expiration": str(self.expires),
                "apns-collapse-id": self.tag if self.name else "kith-badge"}

    def aps(self):
        if not self.name:
            return {"badge": self.badge}
        alert = self.text("title-loc-key", "title-loc-args", "loc-key", "loc-args")
        return {"alert": alert, "badge": self.badge, "sound": "default"}

    def for_apns(self):
        return {"aps": self.aps(), **self.data}

    def for_fcm(self, token):
        """`apns` is for iPhones whose app uses Firebase. Android has no number to set: launchers count what is shown."""
        android = {"priority": "HIGH" if self.name else "NORMAL", "ttl": f"{max(0, self.expires - int(now()))}s"}
        if self.name:
            android["notification"] = {"tag": self.tag, **self.text(
                "title_loc_key", "title_loc_args", "body_loc_key", "body_loc_args")}
        apns = {"headers": self.apns_headers(), "payload": {"aps": self.aps()}}
        return {"message": {"token": token, "data": self.data, "android": android, "apns": apns}}


# To whom

class Devices:
    """Whose phones there are, and which events each got. If your backend knows the phones already, replace what is here by that."""

    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.executescript("""
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            CREATE TABLE IF NOT EXISTS devices (
                platform TEXT NOT NULL, token TEXT NOT NULL, uid TEXT NOT NULL, added REAL NOT NULL,
                PRIMARY KEY (platform, token));
            CREATE INDEX IF NOT EXISTS devices_uid ON devices (uid);
            CREATE TABLE IF NOT EXISTS sent (
                platform TEXT NOT NULL, token TEXT NOT NULL, event TEXT NOT NULL, at REAL NOT NULL,
                PRIMARY KEY (platform, token, event),
                FOREIGN KEY (platform, token) REFERENCES devices ON DELETE CASCADE);
            CREATE INDEX IF NOT EXISTS sent_at ON sent (at);
            CREATE TABLE IF NOT EXISTS joined (
                uid TEXT NOT NULL, other TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (uid, other));
        """)

    def put(self, uid, platform, token):
        """A phone is of the user who signed in last: nobody else's news may show on it."""
        token = token.lower() if platform == "apns" else token
        if not uid or platform not in TOKENS or not TOKENS[platform].fullmatch(token):
            raise ValueError("a device has a uid, the platform apns or fcm, and a token of that platform")
        self.db.execute("""INSERT INTO devices VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET uid = excluded.uid, added = excluded.added""", (platform, token, uid, now()))

    def remove(self, platform, token, before=None):
        """Leaves a device that came back after the time `before`."""
        token = token.lower() if platform == "apns" else token
        self.db.execute("DELETE FROM devices WHERE platform = ? AND token = ? AND added <= ?",
                        (platform, token, now() if before is None else before))

    def forget(self, uid):
        self.db.execute("DELETE FROM devices WHERE uid = ?", (uid,))
        self.db.execute("DELETE FROM joined WHERE ? IN (uid, other)", (uid,))

    def join(self, uid, other, at):
        """Somebody joined by the link of `uid`."""
        self.db.execute("INSERT OR REPLACE INTO joined VALUES (?, ?, ?)", (uid, other, at))
        self.db.execute("DELETE FROM joined WHERE at < ?", (now() - KEEP,))

    def has_joined(self, uid, other, at):
        return self.db.execute("SELECT 1 FROM joined WHERE uid = ? AND other = ? AND abs(at - ?) <= ?",
                               (uid, other, at, JOINING)).fetchone() is not None

    def of(self, uid):
        return self.db.execute("SELECT platform, token FROM devices WHERE uid = ?", (uid,)).fetchall()

    def has(self, platform, token, event):
        return self.db.execute("SELECT 1 FROM sent WHERE platform = ? AND token = ? AND event = ?",
                               (platform, token, event)).fetchone() is not None

    def note(self, platform, token, event):
        """The device needs the event no more. Does nothing if the device is gone."""
        self.db.execute("INSERT OR IGNORE INTO sent SELECT platform, token, ?, ? FROM devices WHERE platform = ? AND token = ?",
                        (event, now(), platform, token))
        self.db.execute("DELETE FROM sent WHERE at < ?", (now() - KEEP,))


# By whom

@dataclasses.dataclass
class Answer:
    """What a service says, without what must not be in a log."""
    status: int
    reason: str
    asked: int | None = None
    # Since when the device has been gone.
    gone_at: float | None = None

    def later(self, service, usual):
        return Later(f"{service} answers {self.status} {self.reason}", self.asked or usual)


async def post(client, url, **request):
    """Returns the answer and its JSON."""
    try:
        response = await client.post(url, **request)
    except httpx.HTTPError as error:
        raise Later(type(error).__name__) from None
    try:
        body = response.json()
    except ValueError:
        body = {}
    asked = response.headers.get("retry-after", "")
    return Answer(response.status_code, "", int(asked) if asked.isdecimal() else None), body if isinstance(body, dict) else {}


class FCM:
    """https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send"""
    SCOPE = "https://www.googleapis.com/auth/firebase.messaging"

    def __init__(self, account, url):
        self.account = account
        self.url = f"{url}/v1/projects/{account['project_id']}/messages:send"
        self.client = httpx.AsyncClient(http2=True, timeout=REQUEST_PATIENCE)
        self.token, self.until, self.asking = None, 0, asyncio.Lock()

    async def access_token(self, stale=None):
        """One for all requests until five minutes before its end, or until FCM refuses it."""
        async with self.asking:
            if self.token in (None, stale) or now() >= self.until:
                began, target = int(now()), self.account["token_uri"]
                claims = {"iss": self.account["client_email"], "scope": self.SCOPE, "aud": target,
                          "iat": began, "exp": began + 3600}
                assertion = jwt.encode(claims, self.account["private_key"], "RS256", {"kid": self.account["private_key_id"]})
                answer, body = await post(self.client, target, data={
                    "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion})
                if answer.status != 200:
                    answer.reason = word(body.get("error"))
                    raise answer.later("Google's sign-in", 60)
                self.token, self.until = body["access_token"], began + body["expires_in"] - 300
            return self.token

    async def send(self, token, message):
        bearer = await self.access_token()
        answer = await self.post(bearer, token, message)
        if answer.status == 401 and answer.reason != "THIRD_PARTY_AUTH_ERROR":
            answer = await self.post(await self.access_token(stale=bearer), token, message)
        if answer.reason == "UNREGISTERED":
            answer.gone_at = now()
        elif answer.status not in (200, 400) and answer.reason != "SENDER_ID_MISMATCH":
            # Also a 404 without that word: the project is wrong then, and not the phone.
            raise answer.later("FCM", 60 if answer.status == 429 else 10)
        return answer

    async def post(self, bearer, token, message):
        answer, body = await post(self.client, self.url, json=message.for_fcm(token), headers={"authorization": f"Bearer {bearer}"})
        error = body.get("error", {})
        codes = [detail["errorCode"] for detail in error.get("details", []) if "errorCode" in detail]
        answer.reason = word((codes or [error.get("status")])[0])
        return answer


class APNs:
    """https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns"""
    # A 400 or 403 that says nothing of the phone or the message: the settings are wrong, or the connection is old.
    OURS = {"BadTopic", "MissingTopic", "TopicDisallowed", "IdleTimeout"}

    def __init__(self, key, key_id, team_id, topic, url):
        self.key, self.key_id, self.team_id, self.topic, self.url = key, key_id, team_id, topic, url
        # APNs speaks only HTTP/2, and wants few and long connections.
        self.client = httpx.AsyncClient(http1=False, http2=True, timeout=REQUEST_PATIENCE,
                                        limits=httpx.Limits(keepalive_expiry=3600))
        self.token, self.made = None, 0

    def provider_token(self, stale=None):
        """Apple takes a token for 60 minutes, and a new one every 20 minutes at most."""
        age = now() - self.made
        if self.token is None or age >= 40 * 60 or (self.token == stale and age >= 20 * 60):
            self.made = int(now())
            self.token = jwt.encode({"iss": self.team_id, "iat": self.made}, self.key, "ES256", {"kid": self.key_id})
        return self.token

    async def send(self, token, message):
        bearer = self.provider_token()
        answer = await self.post(bearer, token, message)
        if answer.reason == "ExpiredProviderToken":
            answer = await self.post(self.provider_token(stale=bearer), token, message)
        if answer.reason == "BadDeviceToken":
            answer.gone_at = now()
        elif answer.reason in self.OURS or (answer.status not in (200, 400, 410, 413) and answer.reason != "Forbidden"):
            # Apple asks for a pause of 15 minutes after a 5xx.
            raise answer.later("APNs", 900 if answer.status >= 500 else 60)
        return answer

    async def post(self, bearer, token, message):
        id = uuid.uuid5(uuid.NAMESPACE_URL, f"{message.event} {token}")
        answer, body = await post(self.client, f"{self.url}/3/device/{token}", json=message.for_apns(), headers={
            "authorization": f"bearer {bearer}", "apns-topic": self.topic, "apns-id": str(id), **message.apns_headers()})
        answer.reason = word(body.get("reason"))
        if answer.status == 410:
            answer.gone_at = body.get("timestamp", now() * 1000) / 1000
        return answer


def word(text):
    """What may stand in a log: one word of a service."""
    return text if isinstance(text, str) and re.fullmatch(r"\w{1,60}", text, re.ASCII) else ""


# The receiver

class Receiver:
    """An ASGI application."""

    def __init__(self, secret, devices, services, devices_key=None):
        self.webhook, self.devices, self.services, self.devices_key = Webhook(secret), devices, services, devices_key
        self.under_way = set()

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        body, more = b"", True
        while more and len(body) <= LARGEST_BODY:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        status, extra = (413, []) if more else await self.answer(scope["method"], scope["path"], headers, body)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0"), *extra]})
        await send({"type": "http.response.body"})

    async def answer(self, method, path, headers, body):
        if (method, path) == ("POST", "/kith"):
            try:
                event = self.webhook.verify(body, headers)
            # The library raises a ValueError for a signature that it cannot read.
            except (WebhookVerificationError, ValueError) as error:
                log.warning("refused a webhook: %s", error if isinstance(error, WebhookVerificationError) else "unreadable")
                return 401, []
            try:
                await self.take(headers["webhook-id"], event)
            except Later as later:
                log.warning("event %s: %s; Kith will send it again", headers["webhook-id"], later)
                return 503, [(b"retry-after", str(later.seconds).encode())] if later.seconds else []
            return 204, []
        if path == "/devices" and method in ("PUT", "DELETE") and self.devices_key:
            given = headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {self.devices_key}".encode()):
                return 401, []
            try:
                device = json.loads(body)
                names = ("uid", "platform", "token") if method == "PUT" else ("platform", "token")
                (self.devices.put if method == "PUT" else self.devices.remove)(*(str(device[name]) for name in names))
            # A body of brackets alone goes too deep.
            except (ValueError, KeyError, TypeError, RecursionError):
                return 400, []
            return 204, []
        return 404, []

    async def take(self, id, event):
        """Returns once no device needs the event any more."""
        uid = event["data"].get("user", {}).get("uid")
        if event["type"] == "user.deleted":
            self.devices.forget(uid)
        message = Message.of(id, event)
        if not message or not uid:
            return
        at = message.expires - KEEP
        if message.type == "invite.used" and message.other:
            self.devices.join(uid, message.other, at)
        if message.type == "friend.created" and self.devices.has_joined(uid, message.other, at):
            return
        # Somebody redelivers what is just being sent.
        if id in self.under_way:
            raise Later("it is being sent", 5)
        self.under_way.add(id)
        try:
            async with asyncio.timeout(PATIENCE):
                # One that fails does not keep the others from being sent.
                results = await asyncio.gather(*(self.push(platform, token, message) for platform, token in self.devices.of(uid)),
                                               return_exceptions=True)
        except TimeoutError:
            raise Later(f"not sent within {PATIENCE} s") from None
        finally:
            self.under_way.discard(id)
        failures = [result for result in results if result]
        for failure in failures:
            if not isinstance(failure, Later):
                raise failure
        if failures:
            raise max(failures, key=lambda later: later.seconds or 0)

    async def push(self, platform, token, message):
        if platform not in self.services or self.devices.has(platform, token, message.event):
            return
        answer = await self.services[platform].send(token, message)
        if answer.gone_at is not None:
            self.devices.remove(platform, token, before=answer.gone_at)
        self.devices.note(platform, token, message.event)
        log.info("event %s %s to a device of %s: %d %s", message.event, message.type, platform, answer.status, answer.reason)


# Commands

def setting(name, usual=None):
    return os.environ.get(name) or usual or sys.exit(f"push: set {name}")


def services():
    found = {}
    if "FCM_SERVICE_ACCOUNT" in os.environ:
        account = json.loads(pathlib.Path(setting("FCM_SERVICE_ACCOUNT")).read_text())
        found["fcm"] = FCM(account, setting("FCM_URL", "https://fcm.googleapis.com"))
    if "APNS_KEY" in os.environ:
        key = pathlib.Path(setting("APNS_KEY")).read_text()
        found["apns"] = APNs(key, setting("APNS_KEY_ID"), setting("APNS_TEAM_ID"), setting("APNS_TOPIC"),
                             setting("APNS_URL", "https://api.push.apple.com"))
    return found or sys.exit("push: set FCM_SERVICE_ACCOUNT, or APNS_KEY and what belongs to it")


async def serve(devices):
    # The client would log addresses, and APNs has the device's token in them.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    config = hypercorn.Config()
    config.bind = [setting("PUSH_BIND", "127.0.0.1:8090")]
    receiver = Receiver(setting("KITH_WEBHOOK_SECRET"), devices, services(), os.environ.get("PUSH_DEVICES_KEY"))
    log.info("sends by %s", " and ".join(sorted(receiver.services)))
    await hypercorn.asyncio.serve(receiver, config)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="take webhooks")
    add = commands.add_parser("add-device", help="enter a user's device")
    add.add_argument("uid")
    add.add_argument("platform", choices=sorted(TOKENS))
    add.add_argument("token")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    devices = Devices(setting("PUSH_DATABASE", "push.db"))
    if given.command == "add-device":
        devices.put(given.uid, given.platform, given.token)
    else:
        asyncio.run(serve(devices))


if __name__ == "__main__":
    main()
