/// A warning about a parameter, which does not break the link. Kith leaves the parameter out, unless the code
/// says otherwise.
package struct LinkWarning: Hashable, Sendable {
    var code: Code
    /// The name of the parameter.
    package var parameter: String
    /// The host to which it leads, if the operator does not allow that host.
    var host: String?

    /// Firebase's codes (`DynamicLinkWarning.warningCode`). Its own texts for them were never published.
    enum Code: String, CaseIterable, Sendable {
        case notInProjectAndroidPackageName = "NOT_IN_PROJECT_ANDROID_PACKAGE_NAME"
        case notIntegerAndroidPackageMinVersion = "NOT_INTEGER_ANDROID_PACKAGE_MIN_VERSION"
        case unnecessaryAndroidPackageMinVersion = "UNNECESSARY_ANDROID_PACKAGE_MIN_VERSION"
        case notURIAndroidLink = "NOT_URI_ANDROID_LINK"
        case unnecessaryAndroidLink = "UNNECESSARY_ANDROID_LINK"
        case notURIAndroidFallbackLink = "NOT_URI_ANDROID_FALLBACK_LINK"
        case badURISchemeAndroidFallbackLink = "BAD_URI_SCHEME_ANDROID_FALLBACK_LINK"
        case notInProjectIOSBundleID = "NOT_IN_PROJECT_IOS_BUNDLE_ID"
        case notInProjectIPadBundleID = "NOT_IN_PROJECT_IPAD_BUNDLE_ID"
        case unnecessaryIOSURLScheme = "UNNECESSARY_IOS_URL_SCHEME"
        case notNumericIOSAppStoreID = "NOT_NUMERIC_IOS_APP_STORE_ID"
        case unnecessaryIOSAppStoreID = "UNNECESSARY_IOS_APP_STORE_ID"
        case notURIIOSFallbackLink = "NOT_URI_IOS_FALLBACK_LINK"
        case badURISchemeIOSFallbackLink = "BAD_URI_SCHEME_IOS_FALLBACK_LINK"
        case notURIIPadFallbackLink = "NOT_URI_IPAD_FALLBACK_LINK"
        case badURISchemeIPadFallbackLink = "BAD_URI_SCHEME_IPAD_FALLBACK_LINK"
        case badDebugParameter = "BAD_DEBUG_PARAM"
        case badAdParameter = "BAD_AD_PARAM"
        case deprecatedParameter = "DEPRECATED_PARAM"
        case unrecognizedParameter = "UNRECOGNIZED_PARAM"
        case tooLongParameter = "TOO_LONG_PARAM"
        case notURISocialImageLink = "NOT_URI_SOCIAL_IMAGE_LINK"
        case badURISchemeSocialImageLink = "BAD_URI_SCHEME_SOCIAL_IMAGE_LINK"
        case linkWithFragments = "LINK_WITH_FRAGMENTS"
        case notMatchingIOSBundleIDAndStoreID = "NOT_MATCHING_IOS_BUNDLE_ID_AND_STORE_ID"
        /// The code for cases for which Firebase had none: `ofl`, the flag, the scheme, and hosts that are
        /// not allowed.
        case unspecified = "CODE_UNSPECIFIED"
    }
}
