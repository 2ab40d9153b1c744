#!/usr/bin/env python3
"""A provider of OpenID Connect to try Kith's console with, on this machine alone: whoever comes is the person that --email
names, without a password. It needs python3 and the program openssl, and keeps nothing.

    python3 examples/openid/provider.py --port 9000 --email ann@example.com --group marketing
"""
import argparse
import base64
import hashlib
import json
import secrets
import subprocess
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """An RSA key that signs ID tokens (RS256)."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile(suffix=".pem")
        subprocess.run(["openssl", "genrsa", "-out", self.file.name, "2048"], check=True, capture_output=True)
        shown = self.openssl("rsa", "-noout", "-modulus", "-in", self.file.name)
        modulus = bytes.fromhex(shown.decode().strip().removeprefix("Modulus="))
        self.jwk = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "e": "AQAB", "n": base64url(modulus)}

    @staticmethod
    def openssl(*arguments, given=b""):
        return subprocess.run(["openssl", *arguments], check=True, capture_output=True, input=given).stdout

    def token(self, claims):
        parts = [{"alg": "RS256", "typ": "JWT", "kid": "1"}, claims]
        text = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        signature = self.openssl("dgst", "-sha256", "-sign", self.file.name, given=text.encode())
        return f"{text}.{base64url(signature)}"


class Provider(BaseHTTPRequestHandler):
    # What was asked for with each code, which is redeemed once.
    codes = {}

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/.well-known/openid-configuration":
            self.answer({
                "issuer": options.issuer, "authorization_endpoint": f"{options.issuer}/authorize",
                "token_endpoint": f"{options.issuer}/token", "jwks_uri": f"{options.issuer}/keys",
                "scopes_supported": ["openid", "email", "profile", "groups"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            })
        elif url.path == "/keys":
            self.answer({"keys": [key.jwk]})
        elif url.path == "/authorize":
            asked, code = dict(parse_qsl(url.query)), secrets.token_urlsafe()
            self.codes[code] = asked
            self.send_response(302)
            back = urlencode({"code": code, "state": asked["state"]})
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.answer({"error": "not_found"}, 404)

    def do_POST(self):
        form = dict(parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
        asked = self.codes.pop(form.get("code"), None)
        pair = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        client, _, secret = pair.partition(":")
        challenge = base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if unquote(secret) != options.secret:
            self.answer({"error": "invalid_client"}, 401)
        elif not asked or asked["code_challenge"] != challenge or asked["redirect_uri"] != form.get("redirect_uri"):
            self.answer({"error": "invalid_grant"}, 400)
        else:
            now = int(time.time())
            claims = {
                "iss": options.issuer, "aud": unquote(client), "sub": options.email, "iat": now, "exp": now + 300,
                "nonce": asked["nonce"], "email": options.email, "email_verified": True, "groups": options.group,
            }
            self.answer({"access_token": "unused", "token_type": "Bearer", "id_token": key.token(claims)})

    def answer(self, content, status=200):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--email", required=True)
    parser.add_argument("--group", action="append", default=[], help="a group of theirs; may be given several times")
    parser.add_argument("--secret", default="try", help="the client's secret")
    options = parser.parse_args()
    options.issuer = f"http://127.0.0.1:{options.port}"
    key = Key()
    ThreadingHTTPServer(("127.0.0.1", options.port), Provider).serve_forever()
