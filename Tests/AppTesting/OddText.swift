/// Strings that may be refused or kept as they are.
enum OddText {
    static let all = [
        "", " ", "..", "../../etc/passwd", "%2e%2e", "%252e%252e", "%00", "%", "%ff", "/", "\\", "'", "\"",
        "' OR 1=1 --", "<script>alert(1)</script>", "{{displayName}}", "${jndi:ldap://x}", "a\u{301}",
        "ａｄｍｉｎ",
        "مرحبا", "\u{202E}nna", "\u{2066}a\u{2069}", "a\u{200B}b", "\u{FEFF}a", "\u{200D}", "👩‍👩‍👧‍👦", "🇯🇵",
        "\u{FFFE}", "\u{FFFD}", "\u{10FFFF}", "\u{7F}", "\u{85}", "\u{2028}", "a\nb", "null", "NaN", "İı",
        "ß", "ﬁ",
        String(repeating: "x", count: 300), String(repeating: "あ", count: 101),
        String(repeating: "/", count: 9000),
        "https://join.example.com/users/ann?invitedBy=u-ann&invitedBy=u-ann", "://", "a://b ://",
        "https://x.page.link/?link=%ff", "https://x.page.link/?link=&link=", "0123 4567\n89ab cdef",
        "https://join.example.com:99999/",
        "https://join.example.com/users/%00?invitedBy=u-ann", "https://[::1/users/ann", "javascript:alert(1)",
        "https://join.example.com/users/ann?invitedBy=%ff", "https://join.example.com/users/ann?code=%00",
        "HTTPS://JOIN.EXAMPLE.COM/users/..%2fann?invitedBy=u-ann", "//join.example.com/users/ann",
        "https://join.example.com\\@evil.example/users/ann", "https://join.example.com/users/ann?invitedBy=",
    ]
}
