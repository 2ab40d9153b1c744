package kith

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** What a URL that opened the app, or that the user scanned or pasted, says. Whether the link still works says the server. */
sealed class KithLink {
    data class User(val username: String, val invitedBy: String?, val code: String?) : KithLink()
    data class Code(val code: String) : KithLink()

    /**
     * Which URLs are links of the app.
     *
     * @param linkURL where the server's links begin, such as `https://join.example.com`.
     * @param wrappingHosts hosts whose links wrap another in `link`, beside those of Firebase Dynamic Links.
     */
    class Rules(
        linkURL: String, otherHosts: Set<String> = emptySet(), schemes: Set<String> = emptySet(),
        wrappingHosts: Set<String> = emptySet(),
    ) {
        val linkURL = linkURL.removeSuffix("/")
        internal val otherHosts = otherHosts.map { it.lowercase() }.toSet()
        internal val schemes = schemes.map { it.lowercase() }.toSet()
        internal val wrappingHosts = wrappingHosts.map { it.lowercase() }.toSet()
    }

    /** The same link on the web, as the server writes it: to send to it, or to share. */
    fun url(rules: Rules): String = when (this) {
        is Code -> "${rules.linkURL}/$code"
        is User -> {
            val query = listOfNotNull(invitedBy?.let { "invitedBy=${encode(it)}" }, code?.let { "code=${encode(it)}" })
            "${rules.linkURL}/users/${encode(username)}" + if (query.isEmpty()) "" else "?" + query.joinToString("&")
        }
    }

    private class Parts(val scheme: String, val authority: String, val path: String, val query: String)

    companion object {
        /** Reads a URL; null if it is no link of the app. */
        fun parse(text: String, rules: Rules): KithLink? = parse(text, rules, 0)

        private fun parse(text: String, rules: Rules, depth: Int): KithLink? {
            val parts = split(text.trim())
            if (parts == null || depth > 3 || text.length > 8192) return null
            val isScheme = parts.scheme in rules.schemes
            val authority = parts.authority.lowercase()
            val ours = split(rules.linkURL)
            val isOurs = parts.scheme == ours?.scheme && authority == ours.authority.lowercase() ||
                parts.scheme == "https" && authority in rules.otherHosts
            val link = when {
                // In `myapp://users/ann` the host is the first part of the path.
                isScheme -> linkAt(parts.authority + parts.path, parts.query)
                isOurs -> linkAt(parts.path, parts.query)
                else -> null
            }
            if (link != null) return link
            val host = authority.substringBefore(':')
            val wraps = if (isScheme) host == "google" else (parts.scheme == "https" || parts.scheme == "http") &&
                (host in rules.wrappingHosts || host.endsWith(".page.link") || host.endsWith(".app.goo.gl"))
            val inner = if (wraps) value(parts.query, "deep_link_id") ?: value(parts.query, "link") else null
            return inner?.let { parse(it, rules, depth + 1) }
        }

        private val form = Regex("^([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:\\?([^#]*))?")

        private fun split(text: String): Parts? {
            val found = form.find(text)?.groupValues ?: return null
            // A user before the host can make a URL look like another.
            return if ('@' in found[2]) null else Parts(found[1].lowercase(), found[2], found[3], found[4])
        }

        private fun linkAt(path: String, query: String): KithLink? {
            val parts = path.split("/").filter { it.isNotEmpty() }.map(::decode)
            val name = when {
                parts.size == 1 && parts[0].length > 1 && parts[0].startsWith("@") -> parts[0].drop(1)
                parts.size == 1 -> return readCode(parts[0])?.let(::Code)
                parts.size == 2 && parts[0] == "users" && parts[1].isNotEmpty() -> parts[1]
                else -> return null
            }
            val invitedBy = value(query, "invitedBy") ?: if (mentionsInviter(query)) "" else null
            return User(name, invitedBy, value(query, "code")?.let(::readCode))
        }

        private val code = Regex("^[0-9a-hjkmnp-tv-z]{16}(?![0-9a-hjkmnp-tv-z])")

        /** A code as the server writes it, from any case and with o for 0, i or l for 1, without what chats stick to its end. */
        private fun readCode(text: String): String? =
            code.find(text.lowercase().replace('o', '0').replace('i', '1').replace('l', '1'))?.value

        /** Decoded once; `+` stays `+`. Empty if it is wrongly encoded: a broken uid must not become none. */
        private fun value(query: String, name: String): String? =
            query.split("&").firstOrNull { decode(it.substringBefore("=")) == name }
                ?.let { decode(it.substringAfter("=", "")) }

        /** Whether the query has what was an inviter before it was mangled. Without it the name alone could be somebody else's by now. */
        private fun mentionsInviter(query: String): Boolean =
            decode(query).ifEmpty { query }.lowercase().filter { it in 'a'..'z' }.contains("invitedby")

        private fun decode(text: String): String {
            val bytes = ByteArrayOutputStream()
            var at = 0
            while (at < text.length) {
                val next = text.offsetByCodePoints(at, 1)
                if (text[at] != '%') {
                    bytes.write(text.substring(at, next).toByteArray())
                    at = next
                } else {
                    val hex = text.drop(at + 1).take(2)
                    if (hex.length < 2 || hex.any { Character.digit(it, 16) < 0 }) return ""
                    bytes.write(hex.toInt(16))
                    at += 3
                }
            }
            return try {
                Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString()
            } catch (error: CharacterCodingException) {
                ""
            }
        }

        private const val unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

        private fun encode(text: String): String = text.toByteArray().joinToString("") { byte ->
            val code = byte.toInt() and 0xff
            if (code.toChar() in unreserved) code.toChar().toString() else "%%%02X".format(code)
        }
    }
}
