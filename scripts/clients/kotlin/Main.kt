// Tests Clients/kotlin. Run by scripts/check-clients, against a server.
import java.io.File
import java.io.IOException
import java.net.URI
import java.net.URLDecoder
import java.net.URLEncoder
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.util.concurrent.atomic.AtomicInteger
import kith.FriendSync
import kith.KithInvites
import kith.KithLink
import kith.KithRetry
import kith.KithStorage
import kith.apis.ExperimentsApi
import kith.apis.FriendsApi
import kith.apis.InvitesApi
import kith.apis.MeApi
import kith.apis.SignupApi
import kith.apis.UpdatesApi
import kith.infrastructure.ClientException
import kith.models.AppPlatform
import kith.models.Exposure
import kith.models.Friendship
import kith.models.IgnoredReason
import kith.models.InviteOutcome
import kith.models.PolicyAction
import kith.models.Relationship
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import okhttp3.OkHttpClient

val base: String = System.getenv("BASE_URL")
val tokens = Json.parseToJsonElement(System.getenv("TOKENS")).jsonObject
val rules = KithLink.Rules(base, schemes = setOf("kithdemo"))

class Memory : KithStorage {
    private val values = mutableMapOf<String, String?>()
    override fun read(key: String) = values[key]
    override fun write(key: String, text: String?) { values[key] = text }
}

/** An app, of which the first answers are lost. */
class App(uid: String, storage: KithStorage = Memory(), losing: Int = 0) {
    val calls = AtomicInteger()
    private val http = OkHttpClient.Builder()
        .addInterceptor(KithRetry(sleep = {}) { tokens.getValue(uid).jsonPrimitive.content })
        .addInterceptor { chain ->
            val answer = chain.proceed(chain.request())
            if (calls.incrementAndGet() <= losing) throw IOException("lost ${answer.code}") else answer
        }
        .build()
    val api = InvitesApi(base, http)
    val friends = FriendsApi(base, http)
    val me = MeApi(base, http)
    val invites = KithInvites(api, SignupApi(base, http), rules, storage)
    val sync = FriendSync(friends, uid, storage, limit = 1)
}

fun <T> same(actual: T, expected: T) = check(actual == expected) { "$actual, not $expected" }

fun links() {
    val table = Json.parseToJsonElement(File(System.getenv("LINKS")).readText()).jsonObject
    val given = table.getValue("rules").jsonObject
    fun set(name: String) = given[name]?.jsonArray?.map { it.jsonPrimitive.content }?.toSet() ?: emptySet()
    val rules = KithLink.Rules(
        given.getValue("linkURL").jsonPrimitive.content, set("otherHosts"), set("schemes"), set("wrappingHosts"))
    val rows = table.getValue("links").jsonArray.map { it.jsonObject }
    check(rows.size > 40)
    for (row in rows) {
        fun text(of: JsonObject, name: String) = of[name]?.jsonPrimitive?.contentOrNull
        val link = KithLink.parse(text(row, "text")!!, rules)
        val expected = (row["link"] as? JsonObject)?.let { parts ->
            text(parts, "username")?.let { KithLink.User(it, text(parts, "invitedBy"), text(parts, "code")) }
                ?: KithLink.Code(text(parts, "code")!!)
        }
        same(link, expected)
        same(link?.url(rules), text(row, "url"))
    }
}

fun tap(link: String): String {
    val request = HttpRequest.newBuilder(URI(link.replace("?", "/play-store?")))
        .header("User-Agent", "Mozilla/5.0 (Linux; Android 16; Pixel 9)").build()
    val answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding())
    val location = answer.headers().firstValue("Location").get()
    return URLDecoder.decode(location.substringAfter("referrer=").substringBefore("&"), "UTF-8")
}

suspend fun story() {
    val ann = App("kt-ann")
    val link = ann.invites.signUp("kt_ann").link!!
    val referrer = tap(link.url)
    val storage = Memory()
    check(runCatching { App("kt-bob", storage, losing = 9).invites.claimOnFirstLaunch(referrer) }.exceptionOrNull() is IOException)
    val bob = App("kt-bob", storage, losing = 1)
    val claims = runBlocking { (1..5).map { async { bob.invites.claimOnFirstLaunch(referrer) } }.awaitAll() }
    same(claims.toSet().size, 1)
    same(bob.calls.get(), 2)
    same(bob.invites.pendingInvite()?.claim, claims[0]?.claim)
    same(bob.invites.resolve()?.inviter?.uid, "kt-ann")
    val answer = App("kt-bob", storage, losing = 1).invites.signUp("kt_bob")
    same(answer.invite.friendship, Friendship.friends)
    val later = App("kt-bob", storage)
    same(later.invites.pendingInvite(), null)
    same(later.invites.claimOnFirstLaunch(referrer), null)
    same(later.calls.get(), 0)

    val cat = App("kt-cat")
    same(cat.invites.claimOnFirstLaunch("utm_source=x"), null)
    same(cat.invites.claimOnFirstLaunch("utm_source=x"), null)
    same(cat.calls.get(), 1)
    same(cat.invites.opened("https://example.org/"), null)
    cat.invites.opened("$base/0000000000000000")
    same(cat.invites.signUp("kt_cat").invite.reason, IgnoredReason.not_found)
    // Cat has an account by now.
    same(cat.invites.accept(), null)
    cat.invites.opened(link.shortUrl.uppercase().replace(base.uppercase(), base))
    cat.invites.forgetInvite()
    same(cat.invites.pendingInvite(), null)
    cat.invites.opened(link.url)
    same(cat.invites.accept()?.friendship, Friendship.requested)
    cat.invites.opened(link.shortUrl)
    same(cat.invites.resolve()?.friendship, Friendship.friends)
    same(cat.invites.accept()?.friendship, Friendship.friends)
    same(cat.invites.pendingInvite(), null)
    same(cat.invites.deepLink("$base/l/nothing-here"), null)
    same(cat.invites.deepLink("$base/l/?link=" + URLEncoder.encode("$base/party", "UTF-8"))?.target, "$base/party")
    same(cat.invites.deepLink("$base/l/?link=" + URLEncoder.encode(link.url, "UTF-8"))?.target, link.url)
    same(cat.invites.pendingInvite()?.url, link.url)
    cat.invites.forgetInvite()
    val refused = runCatching { ann.invites.run { opened(link.url); accept() } }.exceptionOrNull()
    same((refused as? ClientException)?.statusCode, 422)
}

suspend fun sync() {
    val storage = Memory()
    val first = App("kt-ann", storage)
    first.sync.sync()
    same(first.sync.people.value.map { it.uid }, listOf("kt-cat", "kt-bob"))
    App("kt-bob").friends.unwantFriend("kt-ann")
    val later = App("kt-ann", storage)
    same(later.sync.people.value.map { it.relationship }, listOf(Relationship.friends, Relationship.friends))
    later.sync.sync()
    same(later.sync.people.value.map { it.uid }, listOf("kt-cat"))
}

/** What the operator set for the app, by its key, and for the user. */
suspend fun growth() {
    val http = OkHttpClient.Builder().addInterceptor(KithRetry(sleep = {}) { System.getenv("CLIENT_KEY") }).build()
    val policy = UpdatesApi(base, http).showPolicy(AppPlatform.ios, version = "3.9", os = "17", language = "ja")
    same(policy.action, PolicyAction.hard)
    same(policy.target, "5.2")
    val experiments = ExperimentsApi(base, http)
    val values = experiments.showValues(AppPlatform.ios, unit = "kt")
    same(values.propertyValues["hint"], "tap")
    val part = values.experiments.single()
    experiments.expose(Exposure("kt", part.experiment, part.phase, part.variation, part.assignment))
    val ann = App("kt-ann")
    val offer = ann.me.dealOffer("spring")
    same(ann.me.dealOffer("spring"), offer)
    same(ann.me.listMyPurchases().assigned.map { it.campaign }, listOf("spring"))
}

fun main() = runBlocking {
    links()
    story()
    sync()
    growth()
}
