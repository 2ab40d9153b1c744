// Stands in for Android, as much of it as Clients/kotlin and the guide call.
package android.content

class Intent(val dataString: String?)

interface Context {
    fun getSharedPreferences(name: String, mode: Int): SharedPreferences

    companion object {
        const val MODE_PRIVATE = 0
    }
}

interface SharedPreferences {
    fun getString(key: String, default: String?): String?
    fun edit(): Editor

    interface Editor {
        fun putString(key: String, value: String?): Editor
        fun commit(): Boolean
    }
}
