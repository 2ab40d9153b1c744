package kith

import java.io.IOException
import kotlin.math.min
import kotlin.math.pow
import kotlin.random.Random
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import okhttp3.Interceptor
import okhttp3.Request
import okhttp3.Response

/**
 * Adds the token, and repeats calls by the rules of docs/apps.md. OkHttp runs it on the thread of the call, which it blocks while
 * it waits.
 *
 * @param token gives the user's ID token, or a client key; asked again with `true` if the server refused the one before.
 * @param longestWait in seconds; a server that asks for more gets no further attempt.
 */
class KithRetry(
    private val attempts: Int = 4, private val firstWait: Double = 0.5, private val longestWait: Double = 30.0,
    private val sleep: (Double) -> Unit = { Thread.sleep((it * 1000).toLong()) },
    private val token: (refresh: Boolean) -> String,
) : Interceptor {
    override fun intercept(chain: Interceptor.Chain): Response {
        val repeats = isRepeatable(chain.request())
        var isRefreshed = false
        var attempt = 1
        while (true) {
            val request = chain.request().newBuilder().header("Authorization", "Bearer ${token(isRefreshed)}").build()
            var answer: Response? = null
            var lost: IOException? = null
            try {
                answer = chain.proceed(request)
            } catch (error: IOException) {
                lost = error
            }
            if (answer?.code == 401 && !isRefreshed) {
                isRefreshed = true
                answer.close()
                continue
            }
            val passes = when {
                lost != null -> !chain.call().isCanceled()
                else -> answer != null && isPassing(answer)
            }
            val wait = wait(answer, attempt)
            if (!passes || !repeats || attempt >= attempts || wait > longestWait) return answer ?: throw lost!!
            answer?.close()
            sleep(wait)
            attempt += 1
        }
    }

    /** Never sooner than the server says, and a little later: many phones were told the same second. */
    private fun wait(answer: Response?, attempt: Int): Double {
        val named = answer?.header("Retry-After")?.toDoubleOrNull() ?: 0.0
        val jitter = Random.nextDouble()
        return if (named > 0) named + jitter * min(named, 1.0) else firstWait * 2.0.pow(attempt - 1) * (0.5 + jitter / 2)
    }

    /** If the same call may succeed soon. The other 429 last for hours or days. */
    private fun isPassing(answer: Response): Boolean {
        if (answer.code in 502..504) return true
        if (answer.code != 429 && answer.code != 409) return false
        val code = runCatching {
            Json.parseToJsonElement(answer.peekBody(65_536).string()).jsonObject["code"]?.jsonPrimitive?.content
        }.getOrNull()
        return code == "rate_limited" || code == "changed_meanwhile"
    }

    private fun isRepeatable(request: Request): Boolean =
        request.method != "POST" || request.header("Idempotency-Key") != null ||
            posts.any { request.url.encodedPath.endsWith("/v1$it") }

    private companion object {
        val posts = listOf("/signup", "/invites/resolve", "/invites/accept", "/installs/claim", "/users", "/requests", "/links/resolve")
    }
}
