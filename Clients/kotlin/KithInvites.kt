package kith

import android.content.SharedPreferences
import java.util.UUID
import kith.apis.InvitesApi
import kith.apis.SignupApi
import kith.infrastructure.ClientError
import kith.infrastructure.ClientException
import kith.infrastructure.Serializer
import kith.models.Accepted
import kith.models.InstallClaim
import kith.models.InstallClaimed
import kith.models.InviteReference
import kith.models.LinkToResolve
import kith.models.Problem
import kith.models.ProblemCode
import kith.models.Resolved
import kith.models.ResolvedDeepLink
import kith.models.Signup
import kith.models.SignupAnswer
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext
import kotlinx.serialization.Serializable

/** Where the app keeps what must survive its end. A write that returned must be found at the next start. */
interface KithStorage {
    fun read(key: String): String?
    fun write(key: String, text: String?)
}

class PreferencesStorage(private val preferences: SharedPreferences) : KithStorage {
    override fun read(key: String): String? = preferences.getString(key, null)

    /** `commit`, not `apply`: an installation id must not be lost after the server saw it. */
    override fun write(key: String, text: String?) {
        check(preferences.edit().putString(key, text).commit()) { "cannot write $key" }
    }
}

/** What an installation of the app must not forget before the sign-up. */
class KithInvites(
    private val invites: InvitesApi, private val signup: SignupApi, private val rules: KithLink.Rules,
    private val storage: KithStorage,
) {
    @Serializable
    private data class State(
        val installationId: String,
        /** The link that was opened last, or else the claim. */
        val invite: InviteReference? = null,
        val claim: InstallClaimed? = null,
        /** Whether the server answered already to a referrer. */
        val asked: Boolean = false,
    )

    private val claiming = Mutex()

    /** Reads the URL that opened the app, and keeps it as the invite for the sign-up. */
    fun opened(url: String): KithLink? {
        val link = KithLink.parse(url, rules) ?: return null
        change { it.copy(invite = InviteReference(url = link.url(rules))) }
        return link
    }

    /**
     * Asks the server where a deep link leads that opened the app; null if it is none, or leads nowhere. If it leads to an invite,
     * this keeps that for the sign-up, as `opened` does.
     */
    suspend fun deepLink(url: String): ResolvedDeepLink? {
        val body = LinkToResolve(url = url, platform = LinkToResolve.Platform.android)
        val link = withContext(Dispatchers.IO) { orNull(ProblemCode.not_found) { invites.resolveLink(body) } }
        if (link != null) opened(link.target)
        return link
    }

    /** Asks the server once by whose link this installation came; a paste by the user is new each time. */
    suspend fun claimOnFirstLaunch(
        referrer: String? = null, pasteboard: String? = null, app: String? = null,
    ): InstallClaimed? = claiming.withLock {
        val state = change { it }
        state.claim?.let { return@withLock it }
        if (pasteboard == null && (referrer == null || state.asked)) return@withLock null
        val body = InstallClaim(
            platform = InstallClaim.Platform.android, installationId = state.installationId, app = app,
            referrer = referrer, pasteboard = pasteboard,
        )
        // Null if nothing says by whose link the installation came.
        val claim = withContext(Dispatchers.IO) { orNull(ProblemCode.claim_not_found) { invites.claimInstall(body) } }
        // A link that was opened meanwhile is what the user did last.
        change { now ->
            val invite = now.invite ?: claim?.claim?.let { InviteReference(claim = it) }
            now.copy(claim = claim, invite = invite, asked = now.asked || referrer != null)
        }
        claim
    }

    /** Null if the server refuses the call with this code. */
    private fun <Answer> orNull(code: ProblemCode, call: () -> Answer): Answer? = try {
        call()
    } catch (error: ClientException) {
        if (error.problem()?.code != code) throw error
        null
    }

    /** The invite to sign up with, or to accept: the link that was opened last, or else the claim. */
    fun pendingInvite(): InviteReference? = change { it }.invite

    /** Forgets the invite: the user said no to it, or not now. `signUp` and `accept` forget by themselves what they used. */
    fun forgetInvite() = forget(pendingInvite())

    /** Forgets the claim and the invite that was used, but not a link that was opened meanwhile. */
    private fun forget(used: InviteReference?) {
        change { it.copy(invite = it.invite.takeIf { now -> now != used }, claim = null) }
    }

    /** Tells who invites and what accepting makes; null if nobody. */
    suspend fun resolve(): Resolved? = pendingInvite()?.let { withContext(Dispatchers.IO) { invites.resolveInvite(it) } }

    /** Signs up with the kept invite. The same call again gives the same answer. */
    suspend fun signUp(username: String, displayName: String? = null): SignupAnswer {
        val invite = pendingInvite()
        val body = Signup(username = username, displayName = displayName, invite = invite)
        val answer = withContext(Dispatchers.IO) { signup.signUp(body) }
        forget(invite)
        return answer
    }

    /** Accepts the kept invite, for a user who has an account; null if there is none. */
    suspend fun accept(): Accepted? {
        val invite = pendingInvite() ?: return null
        val answer = withContext(Dispatchers.IO) { invites.acceptInvite(invite) }
        forget(invite)
        return answer
    }

    /** Reads, changes and stores; the first time it makes the installation id. */
    @Synchronized
    private fun change(change: (State) -> State): State {
        val json = Serializer.kotlinxSerializationJson
        val stored = storage.read(KEY)?.let { runCatching { json.decodeFromString(State.serializer(), it) }.getOrNull() }
        val state = change(stored ?: State(UUID.randomUUID().toString()))
        if (state != stored) storage.write(KEY, json.encodeToString(State.serializer(), state))
        return state
    }

    private companion object {
        const val KEY = "kith.installation"
    }
}

/** What the server says; null if the answer is none of Kith's. */
internal fun ClientException.problem(): Problem? {
    val body = (response as? ClientError<*>)?.body as? String ?: return null
    return runCatching { Serializer.kotlinxSerializationJson.decodeFromString(Problem.serializer(), body) }.getOrNull()
}
