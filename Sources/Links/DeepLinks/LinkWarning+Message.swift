import Web

extension LinkWarning {
    /// The text of the warning. Google published the codes, but not the texts.
    package var message: String {
        switch code {
        case .deprecatedParameter: "\(name) is deprecated: only Google Play gets it, in its referrer."
        case .unspecified where parameter == "link":
            "\(name) is not percent-encoded: what stands behind its first & is lost."
        case .linkWithFragments: "\(name) has a fragment (#), which some apps and browsers drop."
        default: "\(name) \(reason)."
        }
    }

    /// The advice for the report of an import. Nil if nothing is left out.
    var advice: String? {
        switch code {
        case .deprecatedParameter, .linkWithFragments: nil
        default: "\(parameter) \(reason)"
        }
    }

    /// Why the parameter is left out, and how to mend it.
    private var reason: String {
        switch code {
        case .notInProjectAndroidPackageName:
            "is not in KITH_ANDROID_PACKAGE or KITH_ANDROID_OTHER_APPS: left out until it is"
        case .notInProjectIOSBundleID, .notInProjectIPadBundleID:
            "is not in KITH_IOS_BUNDLE_ID or KITH_IOS_OTHER_APPS: left out until it is"
        case .notMatchingIOSBundleIDAndStoreID:
            "is not KITH_APP_STORE_ID, or that app's storeId in KITH_IOS_OTHER_APPS: left out until it is"
        case .unnecessaryAndroidPackageMinVersion, .unnecessaryAndroidLink:
            "says nothing without the package of an app (apn): left out"
        case .unnecessaryIOSURLScheme, .unnecessaryIOSAppStoreID:
            "says nothing without the bundle id of an app (ibi or ipbi): left out"
        case .notIntegerAndroidPackageMinVersion, .notNumericIOSAppStoreID: "is no number: left out"
        case .tooLongParameter: "has more than \(LinkParameter.mostBytes.grouped) bytes: left out"
        case .unrecognizedParameter: "is not known: left out"
        case .badDebugParameter, .badAdParameter: "is neither 0 nor 1: left out"
        case .unspecified where host != nil:
            "leads to \(host ?? ""): left out until KITH_LINK_TARGETS has it"
        case .unspecified where parameter == "ius":
            "is not KITH_APP_SCHEME, a scheme in KITH_IOS_OTHER_APPS or a bundle id: left out until it is"
        case .unspecified where parameter == "efr": "is neither 0 nor 1: left out"
        case .unspecified: "is no http or https URL, or a link of a domain of links itself: left out"
        default: "is no http or https URL: left out"
        }
    }

    /// The parameter's name, as far as an answer quotes it.
    private var name: String { "Param '\(parameter.prefix(100))'" }
}
