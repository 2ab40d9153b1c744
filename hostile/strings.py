"""Naughty strings by class, as bytes, and malformed JSON."""

CONTROLS = [bytes([byte]) for byte in (*range(0, 32), 127)] + [b"a\x00b", b"\xc2\x85", b"\xc2\x9b31m", b"\x1b[2J"]
UNICODE = [text.encode() for text in (
    "\u202eabc", "\u2066a\u2069", "\u200f", "e\u0301" * 40, "a" + "\u0300" * 500, "Z\u0351\u036b\u0343A\u0332L", "\ufeff", "\u200b",
    "\u00ad", "\u2028", "\u2029", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏿", "🇯🇵🇯", "ﷺ", "𝒜𝓁𝒾𝒸𝑒", "ＡＬＩＣＥ", "аlice", "İ", "ß", "ſ", "Å", "Å",
    "\U000e0041", "\uffff", "\ufdd0", "\U0010ffff", "花" * 100, "کیث", "ก็็็็็", "\u1160", "\u3164")]
BROKEN_UTF8 = [b"\xff", b"\xc0\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xed\xa0\x80", b"\xed\xb0\x80\xed\xa0\x80",
               b"\xf4\x90\x80\x80", b"\xe4\xb8", b"\x80", b"\xfe\xfe\xff\xff", "é".encode("latin-1")]
SQL = [b"'", b"''", b"\"", b"';DROP TABLE users;--", b"' OR '1'='1", b"1;SELECT pg_sleep(5)", b"\\", b"\\'", b"$1", b"$$;$$", b"%", b"_",
       b"E'\\x41'", b"'||(SELECT version())||'", b"\\N", b"NULL", b"/*", b"--", b"{a,b}", b"(1,2)", b"now()", b"infinity"]
MARKUP = [b"<script>alert(1)</script>", b"\"><img src=x onerror=alert(1)>", b"javascript:alert(1)", b"{{uid}}", b"{{{uid}}}", b"{{>style}}",
          b"${7*7}", b"<%= 7*7 %>", b"&lt;&#0;", b"]]>", b"<!--", b"</title>", b"<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>"]
PATHS = [b"../../etc/passwd", b"..%2f..%2fetc%2fpasswd", b"..\\..\\x", b"%2e%2e%2f", b"%252e%252e", b"....//", b"/etc/passwd%00.png", b"C:\\x",
         b"file:///etc/passwd", b"//evil.example", b".", b"..", b"~root", b"CON", b"%c0%ae%c0%ae/"]
FORMATS = [b"%s%s%s%n", b"%x%x%x%x", b"%@", b"{0}", b"%p", b"\\(self)", b"$(id)", b"`id`", b"| id", b"; id", b"${jndi:ldap://x}", b"%0d%0aSet-Cookie:a=b",
           b"a\r\nX-Injected: 1"]
NUMBERS = [b"0", b"-0", b"-1", b"1e400", b"-1e400", b"NaN", b"Infinity", b"0x10", b"1_000", b"9223372036854775808", b"-9223372036854775809",
           b"99999999999999999999999999", b"1.5", b"1e-400", b"00", b"+1", b"1e", "１２".encode(), "٣".encode(), b"true", b"null", b"[]", b"{}"]
LONG = [b"a" * 31, b"a" * 129, b"a" * 1000, b"a" * 7000, b"%41" * 2000, "花".encode() * 2000]
ALL = {"controls": CONTROLS, "unicode": UNICODE, "broken UTF-8": BROKEN_UTF8, "SQL": SQL, "markup": MARKUP, "paths": PATHS,
       "formats": FORMATS, "numbers": NUMBERS, "long": LONG, "empty": [b"", b" ", b"\t"]}
FLAT = [string for strings in ALL.values() for string in strings]


def as_json(raw):
    """Yields the string between quotes, once with only quotes and backslashes escaped, and once with all escaped."""
    quoted = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    yield b'"' + quoted + b'"'
    units = raw.decode("utf-8", "replace").encode("utf-16-be", "surrogatepass")
    if len(units) < 400:
        yield b'"' + b"".join(b"\\u%02x%02x" % (units[i], units[i + 1]) for i in range(0, len(units), 2)) + b'"'


def bodies():
    """Yields whole bodies that are not JSON, odd JSON, or JSON in another encoding."""
    good = '{"username":"hostile_x"}'
    yield from (b"", b" ", b"null", b"[]", b"1", b'"a"', b"{", b"}", b"{}}", b"{'username':'a'}", b"{username:1}", b'{"username":}', b"\x00")
    yield from (good.encode("utf-16"), good.encode("utf-16-le"), good.encode("utf-32"), b"\xef\xbb\xbf" + good.encode())
    yield from (b'{"username":"a","username":"b"}', b'{"username":"a","\\u0075sername":"b"}', b'{"username":"a",}', good.encode() + b"x")
    for lone in (b"\\ud800", b"\\udc00", b"\\udc00\\ud800", b"\\ud800\\u0041", b"\\u0000", b"\\u", b"\\u12", b"\\x41", b"\\"):
        yield b'{"username":"' + lone + b'"}'
    for depth in (10, 100, 1_000, 6_000, 30_000, 500_000):
        yield b'{"username":' + b"[" * depth + b"]" * depth + b"}"
        yield b'{"invite":' * min(depth, 100_000) + b"1" + b"}" * min(depth, 100_000)
        yield b"[" * depth
    for number in NUMBERS:
        yield b'{"username":' + number + b"}"
        yield b'{"label":"a","maxUses":' + number + b',"expiresIn":' + number + b"}"
    yield b'{"' + b"k" * 20_000 + b'":{' + b",".join(b'"%d":1' % n for n in range(4_000)) + b"}}"
    yield b"{" + b",".join(b'"%d":1' % n for n in range(7_000)) + b"}"
    yield b'{"username":"' + b"a" * 65_000 + b'"}'
    yield b'{"username":"' + b"a" * 2_000_000 + b'"}'
    yield b'{"uids":[' + b",".join(b'"%d"' % n for n in range(5_000)) + b"]}"
    yield b'{"username":"' + b"\\u0041" * 10_000 + b'"}'
