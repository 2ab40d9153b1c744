/// What may be wrong with assetlinks.json.
extension LinkFault {
    static let android = [
        unknownRelation, noHandleAllURLs, namespace, package, noFingerprints, fingerprint, fingerprintForm,
        sampleFingerprint,
        duplicate, include, extensionRelation, expectedAndroid,
    ]

    static let unknownRelation = LinkFault(
        "unknown-relation", .warning, "Google: a relation that nobody knows allows nothing",
        mend:
            "write delegate_permission/common.handle_all_urls for links, common.get_login_creds for passwords"
    )
    static let noHandleAllURLs = LinkFault(
        "no-handle-all-urls", .error,
        "Google: only delegate_permission/common.handle_all_urls lets links open the app",
        mend: "add it to the relation of this app's statement")
    static let namespace = LinkFault(
        "namespace", .error, "Google: a target is an android_app or a web site",
        mend: "write \"namespace\": \"android_app\"")
    static let package = LinkFault(
        "package", .error,
        "Android: a package has two parts or more with dots, each of letters, digits and _, first a letter",
        mend: "write the applicationId of build.gradle")
    static let noFingerprints = LinkFault(
        "no-fingerprints", .error, "Google: an app is known by the SHA-256 of the certificates that sign it",
        mend: "add sha256_cert_fingerprints, from the Play Console (App integrity) or by keytool -list -v")
    static let fingerprint = LinkFault(
        "fingerprint", .error, "Google: a fingerprint is a SHA-256, 32 bytes in hex",
        mend: "take the line SHA-256 of the Play Console (App integrity) or of keytool -list -v")
    static let fingerprintForm = LinkFault(
        "fingerprint-form", .warning,
        "Google: it is documented in capitals with colons; who compares texts finds no other",
        mend: "write it as 14:6D:E9:…")
    static let sampleFingerprint = LinkFault(
        "sample-fingerprint", .error,
        "Android opens links in apps that are signed by that certificate, and yours is not",
        mend: "take the line SHA-256 of the Play Console (App integrity) or of keytool -list -v")
    static let duplicate = LinkFault(
        "duplicate", .warning, "it says nothing new, and one of them is easily forgotten in a change",
        mend: "keep one")
    static let include = LinkFault(
        "include", .note, "Google reads the statements of that address, too; this check does not",
        mend: "check them by https://developers.google.com/digital-asset-links/tools/generator")
    static let extensionRelation = LinkFault(
        "extension-relation", .warning, "Google: an extension is of a relation that the statement has",
        mend: "write it under delegate_permission/common.handle_all_urls, and that into relation")
    static let expectedAndroid = LinkFault(
        "expected-android-app", .error, "you named this app and key by --android-app",
        mend: "add it to assetlinks.json; for Kith set KITH_ANDROID_PACKAGE and KITH_ANDROID_FINGERPRINTS")
}
