// What the code in documents, which scripts/check-clients compiles behind this, takes from the app.
package guide

import android.content.Context
import android.content.Intent
import com.android.installreferrer.api.InstallReferrerClient
import com.android.installreferrer.api.InstallReferrerStateListener
import kith.FriendSync
import kith.KithInvites
import kith.KithLink
import kith.KithRetry
import kith.PreferencesStorage
import kith.apis.FriendsApi
import kith.apis.InvitesApi
import kith.apis.SignupApi
import kith.models.Friendship
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch
import kotlinx.serialization.Serializable
import okhttp3.OkHttpClient

lateinit var context: Context
lateinit var scope: CoroutineScope
const val uid = ""
const val clientKey = ""
fun idToken(refresh: Boolean): String? = "$refresh"
fun showPage(url: String) = println(url)
fun show(question: String, button: String) = println("$question $button")
