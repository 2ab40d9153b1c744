"""Bearer tokens that must not be accepted, made from a valid one."""

import base64
import hashlib
import hmac
import json


def encode(part):
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def decode(part):
    return base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4))


def cases(good):
    """Yields tokens whose only answer may be 401, or 400 if the header itself is malformed."""
    head, claims, signature = good.encode().split(b".")
    header, payload = json.loads(decode(head)), json.loads(decode(claims))
    for algorithm in ("none", "None", "NONE", "", "HS256", "HS512", "RS384", "PS256", "ES384", "EdDSA", None, 1, [], {}):
        forged = encode(header | {"alg": algorithm})
        yield forged + b"." + claims + b"."
        yield forged + b"." + claims + b"." + signature
        for secret in (b"", b"secret", header.get("kid", "").encode()):
            yield forged + b"." + claims + b"." + encode(hmac.new(secret, forged + b"." + claims, hashlib.sha256).digest())
    for extra in ({"crit": ["exp"]}, {"crit": []}, {"crit": 1}, {"kid": None}, {"kid": ""}, {"kid": "../../etc/passwd"}, {"kid": "a" * 5000}, {"kid": ["a"]},
                  {"kid": "x\x00"}, {"kid": "' OR 1=1"}, {"jku": "http://127.0.0.1:1/"}, {"x5u": "http://127.0.0.1:1/"}, {"jwk": {"kty": "oct", "k": ""}},
                  {"b64": False}, {"typ": 1}, {"zip": "DEF"}, {"enc": "A128GCM"}):
        yield encode(header | extra) + b"." + claims + b"." + signature
    for change in ({"sub": "somebody-else"}, {"sub": ""}, {"sub": "a" * 200}, {"sub": "a\nb"}, {"sub": "a\x00"}, {"sub": 1}, {"sub": None}, {"exp": 10**300},
                   {"exp": "soon"}, {"exp": None}, {"exp": -1}, {"iss": []}, {"aud": {}}, {"aud": ["x"] * 1000}, {"nbf": 1e300}, {"iat": "x"}):
        yield head + b"." + encode(payload | change) + b"." + signature
    twice = decode(claims).rstrip(b"}") + b',"sub":"somebody-else"}'
    yield head + b"." + encode(twice) + b"." + signature
    for odd in (b"\xef\xbb\xbf" + decode(claims), decode(claims).decode().encode("utf-16"), b"[" * 5000, b"{" + b'"a":1,' * 1000 + b'"b":1}',
                b'{"' + b"k" * 3000 + b'":{' + b",".join(b'"%d":1' % n for n in range(400)) + b"}}", b"1e400", b"null", b"", b"\x00", b"\xff" * 100):
        yield head + b"." + encode(odd) + b"." + signature
        yield encode(odd) + b"." + claims + b"." + signature
    yield from (b"", b".", b"..", b"...", b"a.b", b"a.b.c.d", b"x", b".".join([head, claims]), good.encode()[:-2], good.encode() + b"=", good.encode() + b".",
                good.encode() + b".x", head + b".." + signature, b"." * 7000, b"A" * 12_000, good.encode().replace(b".", b". ", 1), head + b"." + claims + b"."
                + signature[::-1], b"kith_", b"kith__", b"kith_" + b"0" * 44, b"kith_" + b"0" * 12 + b"_" + b"0" * 32, b"kith_" + b"%00" * 20, b"kith_\xff",
                "kith_０００".encode(), b"KITH_" + b"0" * 12)


def names_another_key(token, good):
    """Whether a token's header can be read, and names a key that the good one was not signed with."""
    try:
        kid = json.loads(decode(token.split(b".")[0]))["kid"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(kid, str) and kid != json.loads(decode(good.encode().split(b".")[0]))["kid"]
