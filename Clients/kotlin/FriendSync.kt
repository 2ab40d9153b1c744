package kith

import kith.apis.FriendsApi
import kith.infrastructure.ClientException
import kith.infrastructure.Serializer
import kith.models.Change
import kith.models.Relationship
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext
import kotlinx.serialization.Serializable

/** Friends, requests and blocks of a user, kept on the phone and brought up to date by what changed. */
class FriendSync(private val api: FriendsApi, uid: String, private val storage: KithStorage, private val limit: Int = 500) {
    @Serializable
    private data class Kept(val people: Map<String, Change> = emptyMap(), val cursor: String? = null)

    private val json = Serializer.kotlinxSerializationJson
    private val key = "kith.friends-$uid"
    private val syncing = Mutex()
    private var kept = storage.read(key)?.let { runCatching { json.decodeFromString(Kept.serializer(), it) }.getOrNull() } ?: Kept()
    private val shown = MutableStateFlow(sorted())

    /** What is known now, newest first. */
    val people: StateFlow<List<Change>> get() = shown

    /** Asks what changed. If it fails, what was known stands. */
    suspend fun sync() = syncing.withLock {
        withContext(Dispatchers.IO) {
            try {
                pages(kept)
            } catch (error: ClientException) {
                if (!asksToReload(error) || kept.cursor == null) throw error
                // Until all is there again, the old list is better than half of the new one.
                pages(Kept())
            }
        }
    }

    /** A later visit stores each page, so that a crash loses none; the first stores all together. */
    private fun pages(start: Kept) {
        var draft = start
        do {
            val page = api.listChanges(limit = limit, after = draft.cursor)
            val people = draft.people.toMutableMap()
            for (change in page.changes) {
                if (change.relationship == Relationship.none) people.remove(change.uid) else people[change.uid] = change
            }
            draft = Kept(people, page.next)
            if (start.cursor != null || !page.hasMore) keep(draft)
        } while (page.hasMore)
    }

    private fun keep(draft: Kept) {
        storage.write(key, json.encodeToString(Kept.serializer(), draft))
        kept = draft
        shown.value = sorted()
    }

    private fun sorted() = kept.people.values.sortedWith(compareByDescending<Change> { it.since }.thenBy { it.uid })

    private fun asksToReload(error: ClientException): Boolean =
        error.statusCode == 410 || error.statusCode == 400 && error.problem()?.field == "after"
}
