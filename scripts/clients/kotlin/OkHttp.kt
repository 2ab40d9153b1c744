// Stands in for OkHttp, which comes from Maven: as much of it as the generated client and Clients/kotlin call.
package okhttp3

import java.io.Closeable
import java.io.File
import java.io.IOException
import java.net.URI
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

class MediaType private constructor(private val text: String) {
    override fun toString() = text

    companion object {
        fun String.toMediaTypeOrNull(): MediaType? = MediaType(this)
    }
}

open class RequestBody(val type: MediaType?, val bytes: ByteArray) {
    companion object {
        fun String.toRequestBody(type: MediaType? = null) = RequestBody(type, toByteArray())
        fun ByteArray.toRequestBody(type: MediaType? = null) = RequestBody(type, this)
        fun File.asRequestBody(type: MediaType? = null) = RequestBody(type, readBytes())
    }
}

object FormBody {
    class Builder {
        fun add(name: String, value: String): Builder = throw UnsupportedOperationException("$name=$value")
        fun build(): RequestBody = throw UnsupportedOperationException()
    }
}

object MultipartBody {
    val FORM: MediaType? = null

    class Builder {
        fun setType(type: MediaType?): Builder = throw UnsupportedOperationException("$type")
        fun addPart(headers: Headers, body: RequestBody): Builder = throw UnsupportedOperationException("$headers $body")
        fun build(): RequestBody = throw UnsupportedOperationException()
    }
}

class Headers(val pairs: List<Pair<String, String>>) {
    operator fun get(name: String) = pairs.lastOrNull { it.first.equals(name, ignoreCase = true) }?.second
    fun toMultimap(): Map<String, List<String>> = pairs.groupBy({ it.first }, { it.second })

    class Builder {
        private val pairs = mutableListOf<Pair<String, String>>()
        fun add(name: String, value: String) = apply { pairs.add(name to value) }
        fun build() = Headers(pairs)
    }

    companion object {
        fun Map<String, String>.toHeaders() = Headers(toList())
    }
}

class HttpUrl(private val base: String, val encodedPathSegments: List<String>, private val query: List<String>) {
    val encodedPath get() = "/" + encodedPathSegments.joinToString("/")
    fun newBuilder() = Builder(base, encodedPathSegments.filter { it.isNotEmpty() })
    override fun toString() = base + encodedPath + if (query.isEmpty()) "" else query.joinToString("&", "?")

    class Builder(private var base: String = "", private var segments: List<String> = emptyList()) {
        private val query = mutableListOf<String>()
        fun scheme(text: String) = apply { base = "$text://" }
        fun host(text: String) = apply { base += text }
        fun addPathSegment(text: String) = apply { segments = segments + encode(text) }
        fun addEncodedPathSegments(text: String) = apply { segments = segments + text.split("/") }
        fun addQueryParameter(name: String, value: String?) = apply { query.add("${encode(name)}=${encode(value ?: "")}") }
        fun build() = HttpUrl(base, segments, query)
        private fun encode(text: String) = URLEncoder.encode(text, "UTF-8").replace("+", "%20")
    }

    companion object {
        fun String.toHttpUrlOrNull(): HttpUrl? = HttpUrl(removeSuffix("/"), emptyList(), emptyList())
    }
}

class Request private constructor(val url: HttpUrl, val method: String, val headers: Headers, val body: RequestBody?) {
    fun header(name: String) = headers[name]
    fun newBuilder() = Builder().url(url).method(method, body).headers(headers)

    class Builder {
        private var url: HttpUrl? = null
        private var method = "GET"
        private var headers = Headers(emptyList())
        private var body: RequestBody? = null
        fun url(url: HttpUrl) = apply { this.url = url }
        fun method(method: String, body: RequestBody?) = apply { this.method = method; this.body = body }
        fun head() = method("HEAD", null)
        fun delete(body: RequestBody?) = method("DELETE", body)
        fun patch(body: RequestBody) = method("PATCH", body)
        fun put(body: RequestBody) = method("PUT", body)
        fun post(body: RequestBody) = method("POST", body)
        fun headers(headers: Headers) = apply { this.headers = headers }
        fun header(name: String, value: String) =
            headers(Headers(headers.pairs.filter { !it.first.equals(name, ignoreCase = true) } + (name to value)))
        fun build() = Request(url ?: error("no url"), method, headers, body)
    }
}

class ResponseBody(private val content: ByteArray) {
    fun string() = String(content)
    fun bytes() = content
    fun byteStream() = content.inputStream()
}

class Response(val code: Int, val headers: Headers, private val content: ByteArray) : Closeable {
    val message = ""
    val body: ResponseBody? = ResponseBody(content)
    val isSuccessful get() = code in 200..299
    val isRedirect get() = code in 300..399
    fun header(name: String, default: String? = null) = headers[name] ?: default
    fun peekBody(limit: Long) = ResponseBody(content.copyOf(minOf(limit.toInt(), content.size)))
    override fun close() = Unit
}

interface Callback

interface Call {
    @Throws(IOException::class) fun execute(): Response
    fun isCanceled(): Boolean

    fun interface Factory {
        fun newCall(request: Request): Call
    }
}

fun interface Interceptor {
    @Throws(IOException::class) fun intercept(chain: Chain): Response

    interface Chain {
        fun request(): Request
        fun call(): Call
        @Throws(IOException::class) fun proceed(request: Request): Response
    }
}

class OkHttpClient private constructor(private val interceptors: List<Interceptor>) : Call.Factory {
    class Builder {
        private val interceptors = mutableListOf<Interceptor>()
        fun addInterceptor(interceptor: Interceptor) = apply { interceptors.add(interceptor) }
        fun build() = OkHttpClient(interceptors)
    }

    private val http = HttpClient.newHttpClient()

    override fun newCall(request: Request) = object : Call {
        override fun isCanceled() = false
        override fun execute() = pass(request, 0)

        private fun pass(request: Request, at: Int): Response {
            val interceptor = interceptors.getOrNull(at) ?: return send(request)
            val call = this
            return interceptor.intercept(object : Interceptor.Chain {
                override fun request() = request
                override fun call() = call
                override fun proceed(request: Request) = pass(request, at + 1)
            })
        }
    }

    private fun send(request: Request): Response {
        val body = request.body?.let { HttpRequest.BodyPublishers.ofByteArray(it.bytes) } ?: HttpRequest.BodyPublishers.noBody()
        val message = HttpRequest.newBuilder(URI("${request.url}")).method(request.method, body)
        for ((name, value) in request.headers.pairs) message.header(name, value)
        val answer = http.send(message.build(), HttpResponse.BodyHandlers.ofByteArray())
        return Response(
            answer.statusCode(), Headers(answer.headers().map().flatMap { (name, values) -> values.map { name to it } }), answer.body(),
        )
    }
}
