"""HTTP that no client library sends: requests that the grammar forbids, or that two parsers may read differently."""

HEAD = b"Host: x\r\nConnection: close\r\n"
POST = b"POST /v1/signup HTTP/1.1\r\n"


def cases():
    for line in (b"GET / HTTP/1.1", b"get / HTTP/1.1", b"G@T / HTTP/1.1", b"GET  / HTTP/1.1", b"GET /\tHTTP/1.1", b"GET / HTTP/1.1 ", b"GET /",
                 b"GET / HTTP/0.9", b"GET / HTTP/1.2", b"GET / HTTP/2.0", b"GET / HTTP/9.9", b"GET / HTTP/1.1x", b"GET / http/1.1", b"GET / HTTX/1.1",
                 b" GET / HTTP/1.1", b"GET http://evil.example/users/ann HTTP/1.1", b"GET https://x/users/ann HTTP/1.1", b"GET //evil.example/ HTTP/1.1",
                 b"GET * HTTP/1.1", b"OPTIONS * HTTP/1.1", b"CONNECT evil.example:443 HTTP/1.1", b"TRACE /v1/me HTTP/1.1", b"PRI * HTTP/2.0",
                 b"GET /users/../v1/me HTTP/1.1", b"GET /users/a\x00b HTTP/1.1", b"GET /users/a\x7fb HTTP/1.1", b"GET /users/\xc3\xa9 HTTP/1.1",
                 b"GET /users/%zz HTTP/1.1", b"GET /users/% HTTP/1.1", b"GET /users/%00 HTTP/1.1", b"GET /users/%ff HTTP/1.1", b"GET /#f HTTP/1.1",
                 b"GET /?" + b"a=1&" * 1500 + b" HTTP/1.1", b"GET /" + b"a" * 9000 + b" HTTP/1.1", b"GET /" + b"a" * 200_000 + b" HTTP/1.1",
                 b"X" * 5000 + b" / HTTP/1.1", b"GET /" + b"/" * 5000 + b" HTTP/1.1", b"", b"\x16\x03\x01\x02\x00\x01", b"\x00" * 100):
        yield line + b"\r\n" + HEAD + b"\r\n"
        yield line + b"\n" + HEAD.replace(b"\r\n", b"\n") + b"\n"
        yield line + b"\r" + HEAD.replace(b"\r\n", b"\r") + b"\r"
    for header in (b"X : a", b" X: a", b"X", b": a", b"X: a\x00b", b"X: a\rb", b"X: a\nb", b"X: a\r\n b", b"X\x00: a", b"\xe9: a", b"X: \xff\xfe", b"X: " + b"a" * 15_000,
                   b"X: " + b"a" * 100_000, b"\r\n".join(b"X%d: a" % n for n in range(500)), b"\r\n".join(b"X%d: a" % n for n in range(20_000)),
                   b"Y" * 20_000 + b": a", b"Host: y", b"Host: x\r\nHost: x", b"Host:", b"Host: a b", b"Host: evil.example/@x", b"Host: x:99999",
                   b"Expect: 100-continue", b"Expect: nonsense", b"Upgrade: websocket\r\nConnection: upgrade", b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
                   b"Range: bytes=0-,5-,-1", b"If-None-Match: " + b"a," * 7000, b"Accept-Language: " + b"ja;q=0.1," * 1500, b"Cookie: " + b"a=b;" * 3000,
                   b"Content-Type: application/json; charset=utf-7", b"X-Forwarded-For: " + b"10.0.0.1," * 1500, b"X-Forwarded-For: \xff",
                   b"X-Forwarded-Host: evil.example", b"Kith-User: a\r\nKith-User: b", b"Kith-User: \xff", b"Authorization: Bearer", b"Authorization: Basic YTpi",
                   b"Authorization: Bearer a\r\nAuthorization: Bearer b", b"Authorization: Bearer kith_" + b"0" * 12 + b"_" + b"0" * 32, b"Idempotency-Key: \xff"):
        for start in (b"GET /users/ann?invitedBy=u HTTP/1.1\r\n", b"GET /v1/me HTTP/1.1\r\n"):
            yield start + HEAD + header + b"\r\n\r\n"
    yield b"GET / HTTP/1.1\r\n\r\n"
    yield b"GET /" * 100_000
    smuggled = b"GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n"
    for headers, body in (
            (b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n" + smuggled), (b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n" + smuggled),
            (b"Transfer-Encoding: identity", smuggled), (b"Transfer-Encoding: xchunked", b"0\r\n\r\n"), (b"Transfer-Encoding: chunked, identity", b"0\r\n\r\n"),
            (b"Transfer-Encoding: gzip, chunked", b"0\r\n\r\n"), (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", b"0\r\n\r\n"),
            (b"Transfer-Encoding:\x0bchunked", b"0\r\n\r\n"), (b"Transfer-Encoding : chunked", b"0\r\n\r\n"), (b"Transfer-Encoding: \x00chunked", b"0\r\n\r\n"),
            (b"Transfer-Encoding: chunked\r\n", b"zz\r\n\r\n"), (b"Transfer-Encoding: chunked", b"-1\r\n\r\n"), (b"Transfer-Encoding: chunked", b"ffffffffffffffffff\r\n"),
            (b"Transfer-Encoding: chunked", b"5;ext=\"" + b"a" * 50_000 + b"\"\r\nabcde\r\n0\r\n\r\n"), (b"Transfer-Encoding: chunked", b"5\nabcde\n0\n\n"),
            (b"Transfer-Encoding: chunked", b"5\r\nabcdeXX0\r\n\r\n"), (b"Transfer-Encoding: chunked", b"0\r\nX: a\r\nHost: y\r\n\r\n"),
            (b"Transfer-Encoding: chunked", b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n"), (b"Transfer-Encoding: chunked", b"0\r\n" + b"T: a\r\n" * 20_000 + b"\r\n"),
            (b"Content-Length: 5\r\nContent-Length: 6", b"abcdef"), (b"Content-Length: 5, 5", b"abcde"), (b"Content-Length: 5, 6", b"abcdef"),
            (b"Content-Length: -1", b""), (b"Content-Length: +5", b"abcde"), (b"Content-Length: 0x5", b"abcde"), (b"Content-Length: 5 ", b"abcde"),
            (b"Content-Length: 99999999999999999999", b"a"), (b"Content-Length: 9223372036854775807", b"a"), (b"Content-Length: 100000000000", b"a" * 100_000),
            (b"Content-Length: ", b"a"), (b"Content-Length: 10", b"{"), (b"Content-Encoding: gzip\r\nContent-Length: 3", b"\x1f\x8b\x08")):
        yield POST + HEAD + headers + b"\r\n\r\n" + body
        yield POST + b"Host: x\r\n" + headers + b"\r\n\r\n" + body + smuggled
