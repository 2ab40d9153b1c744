#!/usr/bin/env python3
"""Tests push.py against local fakes of FCM and APNs, which check signatures, headers and bodies as the real ones do.

Run by `make check-push`. Everything is on 127.0.0.1, over TLS with a certificate made here.
"""
import asyncio
import contextlib
import datetime
import ipaddress
import json
import logging
import os
import pathlib
import re
import signal
import socket
import sqlite3
import sys
import tempfile
import time
import unittest
import unittest.mock
import urllib.parse
import uuid

import httpx
import hypercorn.asyncio
import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from standardwebhooks.webhooks import Webhook

sys.dont_write_bytecode = True
import push  # noqa: E402

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RSA, ELLIPTIC = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())
HERE = pathlib.Path(__file__).resolve().parent
PHONE, IPHONE, IPAD = "fcm-phone:APA91b_1-x", "0a" * 32, "0b" * 32
BY_FCM, BY_APNS = ("fcm", PHONE), ("apns", IPHONE)
UNREGISTERED = {"error": {"code": 404, "status": "NOT_FOUND", "message": "Requested entity was not found.", "details": [
    {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED"}]}}


def error(status, code=None):
    """As FCM writes it."""
    return {"error": {"status": status, "message": "?", "details": [{"@type": "x"}, {"errorCode": code}] if code else []}}


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def certificate(folder):
    """Writes a certificate of 127.0.0.1 that signs itself, and lets the clients of this process trust it."""
    key, name = ELLIPTIC, x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fakes")])
    today = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(1).not_valid_before(today - datetime.timedelta(days=1))
            .not_valid_after(today + datetime.timedelta(days=9))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_text(pem(key))
    os.environ["SSL_CERT_FILE"] = str(folder / "cert.pem")


@contextlib.asynccontextmanager
async def served(app, folder=None):
    """The URL of an application; over TLS, if there is a folder with a certificate."""
    config, end = hypercorn.Config(), asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config.bind, config.errorlog, config.graceful_timeout = [f"fd://{listener.fileno()}"], None, 0.1
        if folder:
            config.certfile, config.keyfile = str(folder / "cert.pem"), str(folder / "key.pem")
        server = asyncio.create_task(hypercorn.asyncio.serve(app, config, shutdown_trigger=end.wait))
        try:
            yield f"http{'s' if folder else ''}://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            end.set()
            await server
            listener.detach()


class Fake:
    """A service that finds fault with what a real one would refuse."""

    def __init__(self):
        # What the next requests for a device are answered: status, JSON, headers. Then 200.
        self.answers, self.sent, self.faults, self.slow = {}, [], [], {}

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        headers = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        try:
            assert len(dict(headers)) == len(headers), "a header twice"
            status, answer, extra = await self.take(scope, dict(headers), body)
        except (AssertionError, jwt.InvalidTokenError, ValueError, KeyError) as fault:
            self.faults.append(repr(fault))
            status, answer, extra = 400, {"reason": "Fault"}, {}
        pairs = [(name.encode(), value.encode()) for name, value in extra.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode() if answer is not None else b""})

    async def answer(self, token, request):
        """Keeps the request, and answers as the test wants."""
        self.sent.append((token, request))
        if token in self.slow:
            await self.slow[token].wait()
        prepared = self.answers.get(token, [])
        return prepared.pop(0) if prepared else (200, self.fine, {})

    def of(self, token):
        return [request for sent, request in self.sent if sent == token]


class FakeFCM(Fake):
    fine = {"name": "projects/demo/messages/1"}

    def __init__(self):
        super().__init__()
        self.key, self.tokens, self.refused, self.sign_in = RSA, {}, set(), None

    def account(self, url):
        return {"type": "service_account", "project_id": "demo", "private_key_id": "key-1", "private_key": pem(self.key),
                "client_email": "push@demo.iam.gserviceaccount.com", "token_uri": f"{url}/token"}

    async def take(self, scope, headers, body):
        assert scope["method"] == "POST", scope["method"]
        if scope["path"] == "/token":
            return self.grant(headers, body)
        assert scope["path"] == "/v1/projects/demo/messages:send", scope["path"]
        assert headers["content-type"] == "application/json", headers
        kind, _, bearer = headers["authorization"].partition(" ")
        assert kind == "Bearer" and bearer in self.tokens, "an unknown access token"
        if bearer in self.refused or push.now() >= self.tokens[bearer]:
            return 401, error("UNAUTHENTICATED"), {}
        request = json.loads(body)
        assert set(request) == {"message"} and len(body) <= 4096, request
        assert all(isinstance(value, str) for value in request["message"]["data"].values()), "data is text"
        assert not any(re.match(r"from$|message_type$|google|gcm", name) for name in request["message"]["data"]), "reserved"
        return await self.answer(request["message"]["token"], request["message"])

    def grant(self, headers, body):
        assert headers["content-type"] == "application/x-www-form-urlencoded", headers
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        assert set(form) == {"grant_type", "assertion"} and form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer", form
        if self.sign_in:
            return self.sign_in
        assert jwt.get_unverified_header(form["assertion"]) == {"alg": "RS256", "typ": "JWT", "kid": "key-1"}
        claims = jwt.decode(form["assertion"], self.key.public_key(), ["RS256"], audience=self.audience, options={
            "verify_exp": False, "verify_iat": False})
        assert set(claims) == {"iss", "scope", "aud", "iat", "exp"}, claims
        assert claims["iss"] == "push@demo.iam.gserviceaccount.com", claims
        assert claims["scope"] == "https://www.googleapis.com/auth/firebase.messaging", claims
        assert abs(claims["iat"] - push.now()) < 30 and claims["exp"] - claims["iat"] == 3600, claims
        token = f"ya29.{len(self.tokens)}"
        self.tokens[token] = push.now() + 3600
        return 200, {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}, {}


class FakeAPNs(Fake):
    fine = None
    HEADERS = {"authorization", "apns-topic", "apns-id", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"}

    def __init__(self):
        super().__init__()
        self.key, self.expired = ELLIPTIC, set()
        # By connection, when each came first.
        self.tokens = {}

    @property
    def different(self):
        """How many provider tokens came."""
        return len(set().union(*self.tokens.values()))

    async def take(self, scope, headers, body):
        assert scope["http_version"] == "2" and scope["scheme"] == "https", "not HTTP/2"
        path = re.fullmatch(r"/3/device/([0-9a-f]+)", scope["path"])
        assert scope["method"] == "POST" and path, scope["path"]
        kind, _, bearer = headers["authorization"].partition(" ")
        assert kind == "bearer", headers
        assert jwt.get_unverified_header(bearer) == {"alg": "ES256", "typ": "JWT", "kid": "ABC123DEFG"}
        claims = jwt.decode(bearer, self.key.public_key(), ["ES256"], options={"verify_iat": False})
        assert set(claims) == {"iss", "iat"} and claims["iss"] == "DEF123GHIJ" and isinstance(claims["iat"], int), claims
        if bearer in self.expired or not -5 < push.now() - claims["iat"] < 3600:
            return 403, {"reason": "ExpiredProviderToken"}, {}
        # Apple counts new tokens by connection.
        times = self.tokens.setdefault(scope["client"], {})
        if bearer not in times:
            assert not times or push.now() - max(times.values()) >= 1200, "TooManyProviderTokenUpdates"
            times[bearer] = push.now()
        assert {name for name in headers if name == "authorization" or name.startswith("apns-")} == self.HEADERS, headers
        assert headers["apns-topic"] == "com.example.app", headers
        assert str(uuid.UUID(headers["apns-id"])) == headers["apns-id"], headers
        assert headers["apns-priority"] in ("10", "5") and int(headers["apns-expiration"]) > push.now(), headers
        assert len(headers["apns-collapse-id"]) <= 64 and len(body) <= 4096, headers
        request = json.loads(body)
        # What cannot set a number.
        assert headers["apns-push-type"] == "alert" and "content-available" not in request["aps"], headers
        return await self.answer(path[1], ({name: headers[name] for name in self.HEADERS - {"authorization"}}, request))


def setUpModule():
    # It finds that a test makes certificates slowly.
    logging.getLogger("asyncio").setLevel(logging.ERROR)


class WithFakes(unittest.IsolatedAsyncioTestCase):
    """Both fakes and a receiver, with three devices of two users."""

    async def asyncSetUp(self):
        asyncio.get_running_loop().set_debug(False)
        stack = contextlib.AsyncExitStack()
        self.addAsyncCleanup(stack.aclose)
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificate(self.folder)
        self.ahead, real = 0, push.now
        push.now = lambda: time.time() + self.ahead
        stack.callback(setattr, push, "now", real)
        self.fcm, self.apns = FakeFCM(), FakeAPNs()
        self.fcm_url = await stack.enter_async_context(served(self.fcm, self.folder))
        self.apns_url = await stack.enter_async_context(served(self.apns, self.folder))
        self.fcm.audience = f"{self.fcm_url}/token"
        self.database = self.folder / "push.db"
        self.start()
        stack.push_async_callback(self.stop)
        self.url = await stack.enter_async_context(served(self.serve))
        self.client = await stack.enter_async_context(httpx.AsyncClient(timeout=30))
        self.push_log = stack.enter_context(self.assertLogs("push", "INFO"))
        # Without a line, `assertLogs` fails.
        push.log.info("a test begins")
        self.devices.put("u-1", *BY_FCM)
        self.devices.put("u-1", *BY_APNS)
        self.devices.put("u-9", "apns", IPAD)

    async def asyncTearDown(self):
        self.assertEqual([], self.fcm.faults + self.apns.faults)

    async def stop(self):
        for service in self.receiver.services.values():
            await service.client.aclose()
        self.devices.db.close()

    def start(self):
        """Makes the receiver, on the database that is there."""
        self.devices = push.Devices(self.database)
        services = {"fcm": push.FCM(self.fcm.account(self.fcm_url), self.fcm_url),
                    "apns": push.APNs(pem(self.apns.key), "ABC123DEFG", "DEF123GHIJ", "com.example.app", self.apns_url)}
        self.receiver = push.Receiver(SECRET, self.devices, services, "devices-key")

    async def serve(self, *given):
        await self.receiver(*given)

    def event(self, type="friend.requested", id="1795563499098256", audience="user", at=0, **data):
        at = datetime.datetime.fromtimestamp(time.time() + self.ahead + at, datetime.timezone.utc)
        facts = {"user": {"uid": "u-1", "username": "alice"}, "badge": 2, "friend": {"uid": "u-2", "username": "bob"}, **data}
        return {"id": id, "type": type, "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "audience": audience, "data": {name: fact for name, fact in facts.items() if fact is not None}}

    def signed(self, event, secret=SECRET, at=0):
        """As Kith sends it."""
        body = json.dumps(event, separators=(",", ":"))
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=at)
        return body.encode(), {
            "content-type": "application/json", "webhook-id": event["id"], "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(secret).sign(event["id"], at, body)}

    async def post(self, body, headers, url=None):
        answer = await self.client.post(f"{url or self.url}/kith", content=body, headers=headers)
        self.assertEqual(b"", answer.content)
        return answer

    async def deliver(self, event, expected=204, retry_after=None):
        answer = await self.post(*self.signed(event))
        self.assertEqual((expected, retry_after), (answer.status_code, answer.headers.get("retry-after")))

    async def wait_until(self, condition):
        async with asyncio.timeout(30):
            while not condition():
                await asyncio.sleep(0.01)

    def counts(self):
        return len(self.fcm.sent), len(self.apns.sent)


class PushTests(WithFakes):
    # What is sent

    async def test_a_request_is_shown_with_the_number_and_the_app_s_own_texts(self):
        event = self.event(friend={"uid": "u-2", "username": "bob", "displayName": "Bob B."})
        await self.deliver(event)
        expires = int(datetime.datetime.fromisoformat(event["timestamp"]).timestamp()) + 3 * 86400
        tag = "kith-1fe2696cbaaf13d5dcd4d466fcfd3331"
        data = {"kith_type": "friend.requested", "kith_event": event["id"], "kith_uid": "u-2", "kith_tag": tag, "kith_badge": "2"}
        aps = {"badge": 2, "sound": "default", "alert": {
            "title-loc-key": "kith_friend_requested_title", "title-loc-args": ["Bob B."],
            "loc-key": "kith_friend_requested_body", "loc-args": ["Bob B."]}}
        headers = {"apns-push-type": "alert", "apns-priority": "10", "apns-expiration": str(expires), "apns-collapse-id": tag}
        id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{event['id']} {IPHONE}"))
        own = {"apns-topic": "com.example.app", "apns-id": id}
        self.assertEqual([(IPHONE, ({**headers, **own}, {"aps": aps, **data}))], self.apns.sent)
        ttl = self.fcm.of(PHONE)[0]["android"].pop("ttl")
        self.assertRegex(ttl, r"^2591\d\ds$|^259200s$")
        self.assertEqual([(PHONE, {"token": PHONE, "data": data, "apns": {"headers": headers, "payload": {"aps": aps}}, "android": {
            "priority": "HIGH", "notification": {
                "tag": tag, "title_loc_key": "kith_friend_requested_title", "title_loc_args": ["Bob B."],
                "body_loc_key": "kith_friend_requested_body", "body_loc_args": ["Bob B."]}}})], self.fcm.sent)

    async def test_who_joined_and_who_is_a_friend_now_is_shown(self):
        await self.deliver(self.event("invite.used", "1", friend=None, invitee={"uid": "u-3", "username": "carol"}, code="abc"))
        await self.deliver(self.event("friend.created", "2", at=90, friend={"uid": "u-3", "username": "carol"}))
        alerts = [request["aps"]["alert"] for _, request in self.apns.of(IPHONE)]
        self.assertEqual([("kith_invite_used_body", ["carol"]), ("kith_friend_created_body", ["carol"])],
                         [(alert["loc-key"], alert["loc-args"]) for alert in alerts])
        self.assertEqual(["kith_invite_used_title", "kith_friend_created_title"],
                         [message["android"]["notification"]["title_loc_key"] for message in self.fcm.of(PHONE)])
        # One person has one notification.
        self.assertEqual(1, len({headers["apns-collapse-id"] for headers, _ in self.apns.of(IPHONE)}))

    async def test_who_joined_by_the_link_is_told_once_and_not_as_a_friend_a_moment_later(self):
        carol = {"uid": "u-3", "username": "carol"}
        await self.deliver(self.event("invite.used", "1", friend=None, invitee=carol))
        # Also after a restart.
        await self.stop()
        self.start()
        await self.deliver(self.event("friend.created", "2", friend=carol))
        self.assertEqual((1, 1), self.counts())
        await self.deliver(self.event("friend.created", "3", friend={"uid": "u-4", "username": "dan"}))
        self.assertEqual((2, 2), self.counts())
        # Whoever is deleted is forgotten, whichever of the two it is.
        await self.deliver(self.event("user.deleted", "4", audience="backend", friend=None, user={"uid": "u-3"}))
        self.assertEqual([], self.devices.db.execute("SELECT * FROM joined").fetchall())

    async def test_the_end_of_a_request_of_somebody_who_is_gone_names_nobody(self):
        await self.deliver(self.event("friend.request_ended", friend=None, badge=0))
        (_, body), = self.apns.of(IPHONE)
        self.assertEqual(0, body["aps"]["badge"])
        for data in (body, self.fcm.of(PHONE)[0]["data"]):
            self.assertFalse({"kith_uid", "kith_tag"} & set(data), data)

    async def test_a_request_that_ended_only_sets_the_number(self):
        await self.deliver(self.event("friend.request_ended", friend={"uid": "u-2"}, badge=0))
        (headers, body), = self.apns.of(IPHONE)
        self.assertEqual(("alert", "5", "kith-badge", {"badge": 0}), (
            headers["apns-push-type"], headers["apns-priority"], headers["apns-collapse-id"], body["aps"]))
        message, = self.fcm.of(PHONE)
        self.assertEqual(({"priority": "NORMAL"}, "0", "5", {"badge": 0}), (
            {name: value for name, value in message["android"].items() if name != "ttl"}, message["data"]["kith_badge"],
            message["apns"]["headers"]["apns-priority"], message["apns"]["payload"]["aps"]))
        # By this the app takes the notification down.
        self.assertEqual("kith-1fe2696cbaaf13d5dcd4d466fcfd3331", message["data"]["kith_tag"])

    async def test_nobody_is_named_who_is_gone(self):
        await self.deliver(self.event(friend=None, badge=1))
        self.assertEqual({"badge": 1}, self.apns.of(IPHONE)[0][1]["aps"])
        self.assertNotIn("notification", self.fcm.of(PHONE)[0]["android"])

    async def test_what_is_not_for_the_user_s_eyes_is_not_sent(self):
        for number, event in enumerate([
                self.event("friend.requested", audience="backend"), self.event("install.claimed", audience="backend"),
                self.event("invite.created"), self.event("friend.ended"), self.event("something.new"), self.event(user=None),
                self.event(user={"uid": "u-without-phone"}), self.event(at=-3 * 86400 - 60)]):
            with self.subTest(number):
                await self.deliver({**event, "id": str(number)})
        self.assertEqual((0, 0), self.counts())
        await self.deliver(self.event(at=-3 * 86400 + 60))
        self.assertEqual((1, 1), self.counts())

    async def test_the_examples_in_the_documents(self):
        document = HERE.parent.parent / "docs" / "events.json"
        types = json.loads(document.read_text())["$defs"] if document.exists() else {}
        examples = {name: made for name, type in types.items() for made in type.get("examples", []) if made}
        if not examples:
            self.skipTest("docs/events.json has no examples here")
        for number, (name, example) in enumerate(examples.items()):
            with self.subTest(name):
                if "user" in example["data"]:
                    self.devices.put(example["data"]["user"]["uid"], *BY_APNS)
                before, now = len(self.apns.sent), self.event()["timestamp"]
                await self.deliver({**example, "id": str(number), "timestamp": now})
                shown = ["alert" in body["aps"] for _, (_, body) in self.apns.sent[before:]]
                self.assertEqual({"friend.requested": [True], "friend.created": [True], "invite.used": [True],
                                  "friend.request_ended": [False]}.get(name, []), shown)

    async def test_each_gets_only_their_own(self):
        await self.deliver(self.event(user={"uid": "u-9"}))
        self.assertEqual(([], [IPAD]), ([token for token, _ in self.fcm.sent], [token for token, _ in self.apns.sent]))

    async def test_a_user_who_leaves_takes_their_devices_along(self):
        await self.deliver(self.event(id="1"))
        await self.deliver(self.event("user.deleted", "2", audience="backend", user={"uid": "u-1"}, friend=None))
        self.assertEqual(([], [("apns", IPAD)]), (self.devices.of("u-1"), self.devices.of("u-9")))
        await self.deliver(self.event(id="3"))
        self.assertEqual((1, 1), self.counts())

    # Whom it believes

    async def test_forged_old_and_unsigned_webhooks_are_refused(self):
        body, headers = self.signed(self.event())
        without = {name: value for name, value in headers.items() if name != "webhook-signature"}
        cases = {
            "a secret of somebody else": self.signed(self.event(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"),
            "old": self.signed(self.event(), at=-301), "from the future": self.signed(self.event(), at=360),
            "unsigned": (body, without), "nothing at all": (body, {}), "another body": (body.replace(b"alice", b"mallory"), headers),
            "another id": (body, {**headers, "webhook-id": "2"}), "no comma": (body, {**headers, "webhook-signature": "v1"}),
            "no base64": (body, {**headers, "webhook-signature": "v1,%"}), "no UTF-8": (b"\xff", headers),
            "another version": (body, {**headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}),
        }
        for name, case in cases.items():
            with self.subTest(name):
                self.assertEqual(401, (await self.post(*case)).status_code)
        self.assertEqual((0, 0), self.counts())
        self.assertEqual(413, (await self.post(b"x" * 70_000, headers)).status_code)
        self.assertEqual(404, (await self.client.get(self.url + "/kith")).status_code)
        # So it was not refused for another reason.
        self.assertEqual(204, (await self.post(body, headers)).status_code)
        self.assertEqual((1, 1), self.counts())

    async def test_two_signatures_while_the_secret_changes(self):
        body, headers = self.signed(self.event())
        other = self.signed(self.event(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX")[1]["webhook-signature"]
        headers["webhook-signature"] = f"{other} {headers['webhook-signature']}"
        self.assertEqual(204, (await self.post(body, headers)).status_code)
        self.assertEqual((1, 1), self.counts())

    # Once for each device

    async def test_a_duplicate_sends_nothing_twice_also_after_a_restart(self):
        event = self.event()
        for _ in range(2):
            await self.deliver(event)
            await self.deliver(event)
            await self.stop()
            self.start()
        self.assertEqual((1, 1), self.counts())
        await self.deliver(self.event(id="2"))
        self.assertEqual((2, 2), self.counts())

    async def test_after_a_failure_only_the_devices_that_missed_it_get_it(self):
        self.fcm.answers[PHONE] = [(503, error("UNAVAILABLE", "UNAVAILABLE"), {"retry-after": "77"}), (200, {}, {})]
        event = self.event()
        await self.deliver(event, 503, "77")
        self.assertEqual((1, 1), self.counts())
        await self.deliver(event)
        self.assertEqual((2, 1), self.counts())
        await self.deliver(event)
        self.assertEqual((2, 1), self.counts())

    async def test_a_push_that_is_sent_twice_has_the_same_ids(self):
        self.devices.put("u-1", "apns", IPAD)
        self.apns.answers[IPHONE] = self.apns.answers[IPAD] = [(500, {"reason": "InternalServerError"}, {})] * 2
        event = self.event()
        await self.deliver(event, 503, "900")
        await self.deliver(event)
        for name, devices in (("apns-id", 2), ("apns-collapse-id", 1)):
            found = [{headers[name] for headers, _ in self.apns.of(token)} for token in (IPHONE, IPAD)]
            self.assertEqual([1, 1], [len(ids) for ids in found])
            self.assertEqual(devices, len(set.union(*found)))

    async def test_what_is_just_being_sent_is_not_sent_again(self):
        self.apns.slow[IPHONE] = asyncio.Event()
        first = asyncio.create_task(self.deliver(self.event()))
        await self.wait_until(lambda: self.apns.sent)
        await self.deliver(self.event(), 503, "5")
        self.apns.slow[IPHONE].set()
        await first
        self.assertEqual((1, 1), self.counts())

    async def test_many_at_once(self):
        for number in range(64):
            self.devices.put(f"many-{number}", "apns", f"{number:064x}")
        await asyncio.gather(*(self.deliver(self.event(id=str(number), user={"uid": f"many-{number}"})) for number in range(64)))
        self.assertEqual({f"{number:064x}" for number in range(64)}, {token for token, _ in self.apns.sent})
        self.assertEqual((0, 64), self.counts())
        # On one connection, with one token.
        self.assertEqual((1, 1), (len(self.apns.tokens), self.apns.different))

    async def test_what_was_sent_is_forgotten_when_it_is_too_old_to_be_sent(self):
        await self.deliver(self.event(id="1"))
        self.ahead = 3 * 86400 + 60
        await self.deliver(self.event(id="2"))
        rows = sqlite3.connect(self.database).execute("SELECT DISTINCT event FROM sent").fetchall()
        self.assertEqual([("2",)], rows)

    # What services answer

    async def test_a_dead_device_is_removed_and_the_others_are_not(self):
        gone = {"reason": "Unregistered", "timestamp": int((time.time() + 1) * 1000)}
        cases = [(BY_FCM, 404, UNREGISTERED), (BY_APNS, 410, gone), (BY_APNS, 410, {"reason": "ExpiredToken"}),
                 (BY_APNS, 400, {"reason": "BadDeviceToken"})]
        for number, (device, status, body) in enumerate(cases):
            with self.subTest(body):
                fake = self.fcm if device == BY_FCM else self.apns
                fake.answers[device[1]] = [(status, body, {})]
                before = self.counts()
                await self.deliver(self.event(id=f"{number}-1"))
                self.assertEqual({BY_FCM, BY_APNS} - {device}, set(self.devices.of("u-1")))
                await self.deliver(self.event(id=f"{number}-2"))
                self.assertEqual(3, sum(self.counts()) - sum(before))
                self.devices.put("u-1", *device)

    async def test_a_device_that_came_back_stays(self):
        self.apns.answers[IPHONE] = [(410, {"reason": "Unregistered", "timestamp": int((time.time() - 60) * 1000)}, {})]
        await self.deliver(self.event())
        self.assertIn(BY_APNS, self.devices.of("u-1"))
        await self.deliver(self.event())
        self.assertEqual((1, 1), self.counts())

    async def test_what_is_tried_again_and_what_is_not(self):
        cases = [
            ("fcm", 429, error("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), {}, "60"),
            ("fcm", 429, error("RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), {"retry-after": "120"}, "120"),
            ("fcm", 500, error("INTERNAL", "INTERNAL"), {}, "10"), ("fcm", 503, None, {"retry-after": "Wed, 21 Oct"}, "10"),
            ("fcm", 403, error("PERMISSION_DENIED"), {}, "10"), ("fcm", 404, error("NOT_FOUND"), {}, "10"),
            ("fcm", 401, error("UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"), {}, "10"),
            ("fcm", 400, error("INVALID_ARGUMENT", "INVALID_ARGUMENT"), {}, None),
            ("fcm", 403, error("PERMISSION_DENIED", "SENDER_ID_MISMATCH"), {}, None),
            ("apns", 429, {"reason": "TooManyRequests"}, {}, "60"), ("apns", 503, {"reason": "Shutdown"}, {}, "900"),
            ("apns", 503, {"reason": "ServiceUnavailable"}, {"retry-after": "30"}, "30"), ("apns", 500, None, {}, "900"),
            ("apns", 403, {"reason": "InvalidProviderToken"}, {}, "60"), ("apns", 400, {"reason": "TopicDisallowed"}, {}, "60"),
            ("apns", 400, {"reason": "DeviceTokenNotForTopic"}, {}, None), ("apns", 403, {"reason": "Forbidden"}, {}, None),
            ("apns", 413, {"reason": "PayloadTooLarge"}, {}, None),
        ]
        for number, (platform, status, body, headers, seconds) in enumerate(cases):
            with self.subTest(platform=platform, status=status, body=body):
                fake, token = (self.fcm, PHONE) if platform == "fcm" else (self.apns, IPHONE)
                fake.answers[token] = [(status, body, headers)]
                before, event = len(fake.of(token)), self.event(id=f"case-{number}")
                await self.deliver(event, 503 if seconds else 204, seconds)
                await self.deliver(event)
                self.assertEqual(2 if seconds else 1, len(fake.of(token)) - before)
                self.assertEqual(2, len(self.devices.of("u-1")))

    async def test_a_service_that_is_slow_or_away(self):
        await self.deliver(self.event(id="1"))
        with unittest.mock.patch.object(push, "PATIENCE", 1):
            self.apns.slow[IPHONE] = asyncio.Event()
            await self.deliver(self.event(id="2"), 503)
            self.apns.slow.pop(IPHONE).set()
        self.assertEqual((2, 2), self.counts())
        await self.deliver(self.event(id="2"))
        self.assertEqual((2, 3), self.counts())
        self.receiver.services["apns"].url = "https://127.0.0.1:1"
        await self.deliver(self.event(id="3"), 503)
        self.assertEqual((3, 3), self.counts())
        self.assertLess(push.PATIENCE, 15)

    async def test_a_service_that_is_not_set_up_is_left_out(self):
        del self.receiver.services["apns"]
        await self.deliver(self.event())
        self.assertEqual((1, 0), self.counts())

    # Tokens of the services

    async def test_an_access_token_serves_until_shortly_before_its_end(self):
        for number, (ahead, tokens) in enumerate([(0, 1), (3200, 1), (3400, 2), (6000, 2), (6800, 3)]):
            self.ahead = ahead
            await self.deliver(self.event(id=str(number)))
            self.assertEqual(tokens, len(self.fcm.tokens), ahead)

    async def test_a_refused_access_token_is_replaced_once(self):
        await self.deliver(self.event(id="1"))
        self.fcm.refused.add("ya29.0")
        await self.deliver(self.event(id="2"))
        self.assertEqual((2, 2), (len(self.fcm.tokens), len(self.fcm.sent)))
        self.fcm.refused |= {"ya29.1", "ya29.2"}
        await self.deliver(self.event(id="3"), 503, "10")
        self.assertEqual(3, len(self.fcm.tokens))

    async def test_google_s_sign_in_fails(self):
        self.fcm.sign_in = 400, {"error": "invalid_grant", "error_description": "?"}, {}
        await self.deliver(self.event(), 503, "60")
        self.fcm.sign_in = None
        await self.deliver(self.event())
        self.assertEqual((1, 1), self.counts())

    async def test_a_provider_token_is_between_20_and_60_minutes_old_when_it_changes(self):
        for number, (minutes, tokens) in enumerate([(0, 1), (19, 1), (39, 1), (59, 2), (78, 2), (100, 3)]):
            self.ahead = minutes * 60
            await self.deliver(self.event(id=str(number)))
            self.assertEqual(tokens, self.apns.different, minutes)

    async def test_an_expired_provider_token_is_replaced_once(self):
        await self.deliver(self.event(id="1"))
        # So early Apple takes no new one.
        self.apns.expired |= set().union(*self.apns.tokens.values())
        self.ahead = 10 * 60
        await self.deliver(self.event(id="2"), 503, "60")
        self.ahead = 25 * 60
        await self.deliver(self.event(id="2"))
        self.assertEqual((2, 2), (self.apns.different, len(self.apns.sent)))

    # Devices

    async def test_a_backend_with_the_key_enters_and_removes_devices(self):
        async def change(method, device, key="Bearer devices-key"):
            headers = {"authorization": key} if key else {}
            return (await self.client.request(method, self.url + "/devices", json=device, headers=headers)).status_code
        mine = {"uid": "u-5", "platform": "apns", "token": "0C" * 32}
        for key in (None, "", "devices-key", "Bearer other"):
            self.assertEqual(401, await change("PUT", mine, key))
        self.assertEqual([], self.devices.of("u-5"))
        for bad in ({**mine, "token": "../../x"}, {**mine, "token": ""}, {**mine, "platform": "sms"}, {**mine, "uid": ""},
                    {"uid": "u-5"}, [], {**mine, "platform": "fcm", "token": "a b"}):
            self.assertEqual(400, await change("PUT", bad), bad)
        deep = await self.client.put(self.url + "/devices", content=b"[" * 60000, headers={"authorization": "Bearer devices-key"})
        self.assertEqual(400, deep.status_code)
        self.assertEqual(204, await change("PUT", mine))
        self.assertEqual([("apns", "0c" * 32)], self.devices.of("u-5"))
        # Another user signs in on this phone.
        self.assertEqual(204, await change("PUT", {**mine, "uid": "u-6"}))
        self.assertEqual(([], [("apns", "0c" * 32)]), (self.devices.of("u-5"), self.devices.of("u-6")))
        self.assertEqual(204, await change("DELETE", mine))
        self.assertEqual([], self.devices.of("u-6"))
        self.receiver.devices_key = None
        self.assertEqual(404, await change("PUT", mine, "Bearer None"))


class CommandTests(WithFakes):
    """The program as it is run, killed where it hurts."""

    async def run_program(self, *command, **env):
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-B", HERE / "push.py", *command, cwd=self.folder, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, **env})
        self.addCleanup(lambda: program.returncode is None and program.kill())
        return program

    async def test_a_kill_between_two_pushes_loses_none_and_no_secret_is_logged(self):
        (self.folder / "account.json").write_text(json.dumps(self.fcm.account(self.fcm_url)))
        (self.folder / "key.p8").write_text(pem(self.apns.key))
        with socket.create_server(("127.0.0.1", 0)) as free:
            bind = f"127.0.0.1:{free.getsockname()[1]}"
        env = {"KITH_WEBHOOK_SECRET": SECRET, "PUSH_BIND": bind, "PUSH_DEVICES_KEY": "devices-key", "FCM_URL": self.fcm_url,
               "FCM_SERVICE_ACCOUNT": "account.json", "APNS_URL": self.apns_url, "APNS_KEY": "key.p8", "APNS_KEY_ID": "ABC123DEFG",
               "APNS_TEAM_ID": "DEF123GHIJ", "APNS_TOPIC": "com.example.app"}
        adding = await self.run_program("add-device", "u-1", "apns", IPAD)
        self.assertEqual((None, b""), await adding.communicate())
        event, logs = self.event(friend={"uid": "u-2", "username": "bob", "displayName": "Bob Secret"}), b""
        self.apns.slow[IPAD] = asyncio.Event()
        for turn in range(2):
            program = await self.run_program("serve", **env)
            while b"Running on" not in (line := await asyncio.wait_for(program.stderr.readline(), 30)):
                self.assertTrue(line)
                logs += line
            delivery = asyncio.create_task(self.post(*self.signed(event), url=f"http://{bind}"))
            if turn == 0:
                noted = "SELECT count(*) FROM sent"
                await self.wait_until(lambda: self.devices.db.execute(noted).fetchone() == (2,) and self.apns.of(IPAD))
                program.kill()
                with self.assertRaises(httpx.HTTPError):
                    await delivery
                self.apns.slow.pop(IPAD).set()
            else:
                self.assertEqual(204, (await delivery).status_code)
                self.assertEqual(401, (await self.post(b"{}", {}, f"http://{bind}")).status_code)
                program.send_signal(signal.SIGTERM)
            logs += (await asyncio.wait_for(program.communicate(), 30))[1]
        # The one that was on its way comes twice, as the same notification; the others only once.
        self.assertEqual((1, 1, 2), (len(self.fcm.of(PHONE)), len(self.apns.of(IPHONE)), len(self.apns.of(IPAD))))
        self.assertEqual(1, len({headers["apns-collapse-id"] for headers, _ in self.apns.of(IPAD)}))
        self.assertIn(b"1795563499098256 friend.requested to a device of apns: 200", logs)
        self.assertIn(b"refused a webhook", logs)
        for secret in (SECRET, SECRET[6:], PHONE, IPHONE, IPAD, "Secret", "devices-key", "ya29", "eyJ", "PRIVATE", "Traceback"):
            self.assertNotIn(secret.encode(), logs)


if __name__ == "__main__":
    unittest.main()
