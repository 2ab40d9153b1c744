// Stands in for Google Play's Install Referrer, as much of it as the guide calls.
package com.android.installreferrer.api

import android.content.Context

class ReferrerDetails(val installReferrer: String)

interface InstallReferrerStateListener {
    fun onInstallReferrerSetupFinished(responseCode: Int)
    fun onInstallReferrerServiceDisconnected()
}

abstract class InstallReferrerClient {
    abstract val installReferrer: ReferrerDetails
    abstract fun startConnection(listener: InstallReferrerStateListener)
    abstract fun endConnection()

    object InstallReferrerResponse {
        const val OK = 0
    }

    abstract class Builder {
        abstract fun build(): InstallReferrerClient
    }

    companion object {
        fun newBuilder(context: Context): Builder = throw UnsupportedOperationException("$context")
    }
}
