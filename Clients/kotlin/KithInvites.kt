package kith

import android.content.SharedPreferences
import java.util.UUID
import kith.apis.InvitesApi
import kith.apis.SignupApi
import kith.infrastructure.ClientError
import kith.infrastructure.ClientException
import kith.infrastructure.Serializer
import kith.models.InstallClaim
import kith.models.InstallClaimFacts
import kith.models.InstallClaimed
import kith.models.InviteReference
import kith.models.Problem
import kith.models.ProblemCode
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
        /** What the server answered already. */
        val asked: Set<String> = emptySet(),
    )

    private val claiming = Mutex()

    /** Reads the URL that opened the app, and keeps it as the invite for the sign-up. */
    fun opened(url: String): KithLink? {
        val link = KithLink.parse(url, rules) ?: return null
        change { it.copy(invite = InviteReference(url = link.url(rules))) }
        return link
    }

    /** Asks the server once by whose link this installation came; a paste by the user is new each time. */
    suspend fun claimOnFirstLaunch(
        referrer: String? = null, pasteboard: String? = null, facts: InstallClaimFacts? = null, app: String? = null,
    ): InstallClaimed? = claiming.withLock {
        val state = change { it }
        // A link that the user pastes is worth more than a guess.
        state.claim?.let { if (pasteboard == null || it.confidence == InstallClaimed.Confidence.exact) return@withLock it }
        val names = listOfNotNull(referrer?.let { "referrer" }, facts?.let { "facts" }).toSet()
        if (pasteboard == null && state.asked.containsAll(names)) return@withLock null
        val body = InstallClaim(
            platform = InstallClaim.Platform.android, installationId = state.installationId, app = app,
            referrer = referrer, pasteboard = pasteboard, facts = facts,
        )
        val claim = withContext(Dispatchers.IO) { ask(body) }
        // A link that was opened meanwhile is what the user did last.
        change { now ->
            val best = claim ?: now.claim
            val isOwn = now.invite == null || (now.claim != null && now.invite.claim == now.claim.claim)
            val invite = if (isOwn) best?.let { InviteReference(claim = it.claim) } else now.invite
            now.copy(claim = best, invite = invite, asked = now.asked + names)
        }
        claim
    }

    /** Null if nothing says by whose link the installation came. */
    private fun ask(body: InstallClaim): InstallClaimed? = try {
        invites.claimInstall(body)
    } catch (error: ClientException) {
        if (error.problem()?.code != ProblemCode.claim_not_found) throw error
        null
    }

    fun pendingInvite(): InviteReference? = change { it }.invite

    fun forgetInvite() {
        change { it.copy(invite = null, claim = null) }
    }

    /** Signs up with the kept invite. The same call again gives the same answer. */
    suspend fun signUp(username: String, displayName: String? = null): SignupAnswer {
        val body = Signup(username = username, displayName = displayName, invite = pendingInvite())
        val answer = withContext(Dispatchers.IO) { signup.signUp(body) }
        forgetInvite()
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
