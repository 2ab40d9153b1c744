extension LinkWarning {
    /// Google published the codes, but not what it said of them.
    var message: String {
        switch code {
        case .notInProjectAndroidPackageName:
            "\(name) is not the package of an app of this project, so it is left out."
        case .notInProjectIOSBundleID, .notInProjectIPadBundleID:
            "\(name) is not the bundle id of an app of this project, so it is left out."
        case .notIntegerAndroidPackageMinVersion: "\(name) is not an integer, so it is left out."
        case .notNumericIOSAppStoreID: "\(name) is not a number, so it is left out."
        case .unnecessaryAndroidPackageMinVersion, .unnecessaryAndroidLink:
            "\(name) says nothing without the package of an app (apn), so it is left out."
        case .unnecessaryIOSURLScheme, .unnecessaryIOSAppStoreID:
            "\(name) says nothing without the bundle id of an app (ibi or ipbi), so it is left out."
        case .notURIAndroidLink, .notURIAndroidFallbackLink, .notURIIOSFallbackLink, .notURIIPadFallbackLink,
            .notURISocialImageLink:
            "\(name) is not a URL, so it is left out."
        case .badURISchemeAndroidFallbackLink, .badURISchemeIOSFallbackLink,
            .badURISchemeIPadFallbackLink, .badURISchemeSocialImageLink:
            "\(name) is not an http or https URL, so it is left out."
        case .badDebugParameter, .badAdParameter: "\(name) is neither 0 nor 1, so it is left out."
        case .deprecatedParameter: "\(name) is deprecated: nothing reads it any more."
        case .unrecognizedParameter: "\(name) is not known, so it is left out."
        case .tooLongParameter:
            "\(name) has more than \(LinkParameter.mostBytes) bytes, so it is left out."
        case .linkLengthTooLong:
            "The long link is longer than browsers and servers take; only its short link can be opened."
        case .linkWithFragments: "\(name) has a fragment (#), which some apps and browsers drop."
        case .notMatchingIOSBundleIDAndStoreID:
            "\(name) is not the number of this project's app in Apple's store, so it is left out."
        case .unspecified: "\(name) has no value that it may have, so it is left out."
        }
    }

    /// As much of its name as an answer quotes.
    private var name: String { "Param '\(parameter.prefix(100))'" }
}
