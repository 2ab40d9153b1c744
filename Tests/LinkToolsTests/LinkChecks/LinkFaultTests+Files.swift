@testable import LinkTools

extension LinkFaultTests {
    private static let components = """
        "components": [
                  {"/": "/users/*/?*", "exclude": true, "comment": "Pictures."},
                  {"/": "/users/?*", "comment": "A user's link."}
                ]
        """
    private static let paths = #""paths": ["NOT /users/*/?*", "/users/?*"]"#
    private static let user = #"{"/": "/users/?*", "comment": "A user's link."}"#

    static let apple: [Case] = [
        Case("json", "line 2, column 3: a name in quotes must stand here", "\"applinks\": {", "applinks: {"),
        Case(
            "json", "line 15, column 3: a comma or ] must stand here", "      }\n    ]\n", "      }\n    \n"),
        Case("duplicate-key", "`apps` is given twice", "\"apps\": [],", "\"apps\": [], \"apps\": [],"),
        Case(
            "type duplicate-key", "`details` is a text and must be a list", "\"details\": [",
            "\"details\": \"\", \"details\": ["),
        Case("no-applinks unknown-key", "`applinks` is missing", "\"applinks\"", "\"applink\""),
        Case("no-details unknown-key", "`detail` is not known here; `details`?", "\"details\"", "\"detail\""),
        Case(
            "no-app-id unknown-key", "`appIDs` is missing",
            "\"appID\": \"ABCDE12345.com.example.app\",\n        \"appIDs\"", "\"appids\""),
        Case(
            "app-id app-ids-differ", "`abcde12345.com.example.app` is no app: it has no prefix", "[\"ABCDE",
            "[\"abcde"),
        Case(
            "app-id", "`com.example.app.Clip` is no app", "ABCDE12345.com.example.app.Clip",
            "com.example.app.Clip"),
        Case(
            "app-ids-differ", "`appID` is ABCDE12345.com.example.other",
            "\"appID\": \"ABCDE12345.com.example.app", "\"appID\": \"ABCDE12345.com.example.other"),
        Case(
            "apps-not-empty", "`apps` is not an empty list", "\"apps\": [],",
            "\"apps\": [\"ABCDE12345.com.example.app\"],"),
        Case("no-apps", "`apps` is missing", "\"apps\": [],", ""),
        Case(
            "no-webcredentials unknown-key", "`webcredential` is not known here; `webcredentials`?",
            "webcredentials", "webcredential"),
        Case("no-appclips unknown-key", "`appclips` is missing", "appclips", "clips"),
        Case("no-paths", "`paths` is missing", ",\n        \(paths)", ""),
        Case("no-components", "`components` is missing", "\(components),", ""),
        Case(
            "unknown-key no-comments unknown-key", "`coment` is not known here; `comment`?", "comment",
            "coment"),
        Case(
            "exclude-type", "`exclude` is a text and must be true or false", "\"exclude\": true",
            "\"exclude\": \"true\""),
        Case(
            "query-value", "`id` is a number and must be a text", user,
            #"{"/": "/users/?*", "?": {"id": 4}, "comment": "x"}"#),
        Case(
            "not-in-component", "`NOT /users/?*` begins with NOT", "{\"/\": \"/users/?*\"",
            "{\"/\": \"NOT /users/?*\""),
        Case(
            "never-matches", "`/#/users/?*` matches no path: what follows # is the fragment",
            "{\"/\": \"/users/?*\"", "{\"/\": \"/#/users/?*\""),
        Case(
            "never-matches", "it has the scheme and the host", "{\"/\": \"/users/?*\"",
            "{\"/\": \"https://a.example/users/?*\""),
        Case(
            "never-matches", "what follows ? is the query", "{\"/\": \"/users/?*\"",
            "{\"/\": \"/users?name=*\""),
        Case("never-matches", "percent-encoded", "{\"/\": \"/users/?*\"", "{\"/\": \"/用户/?*\""),
        Case("never-matches", "NOT is in capitals", "NOT /", "not /"),
        Case(
            "no-slash", "`users/?*` does not begin with a slash", "{\"/\": \"/users/?*\"",
            "{\"/\": \"users/?*\""),
        Case(
            "unknown-variable", "`/users/$(nam)` names nam, which has no list", user,
            #"{"/": "/users/$(nam)", "comment": "x"}"#),
        Case(
            "variable", "`a` has no text", "\"apps\": [],",
            "\"apps\": [], \"substitutionVariables\": {\"a\": []},"),
        Case(
            "variable", "the name `a$` has $, ( or )", "\"apps\": [],",
            "\"apps\": [], \"substitutionVariables\": {\"a$\": [\"b\"]},"),
        Case(
            "variable", "`$(digit)` names a variable", "\"apps\": [],",
            "\"apps\": [], \"substitutionVariables\": {\"a\": [\"$(digit)\"]},"),
        Case(
            "shadowed components-differ", "`/users/?*` never counts: `/users/*/*` before it",
            "{\"/\": \"/users/*/?*\"",
            "{\"/\": \"/users/*/*\""),
        Case("opens-nothing", "all rules exclude", user, #"{"/": "*", "exclude": true, "comment": "x"}"#),
        Case("opens-nothing", "there is no rule", components, "\"components\": []"),
        Case(
            "opens-all components-differ", "a tap on /.well-known/apple-app-site-association, ", user,
            #"{"/": "*", "comment": "x"}"#),
        Case(
            "components-differ", "`/users/` opens the app by paths, and not by components", "\"/users/?*\"]",
            "\"/users/*\"]"),
        Case(
            "app-twice no-paths", "ABCDE12345.com.example.app is in applinks.details[0], too",
            "      }\n    ]",
            "      },\n{\"appIDs\": [\"ABCDE12345.com.example.app\"], \(components), \(paths)}\n    ]"),
        Case(
            "details-dictionary no-appclips no-webcredentials no-apps no-components",
            "`details` is an object", "",
            #"{"applinks": {"details": {"ABCDE12345.com.example.app": {"paths": ["/a"]}}}}"#),
        Case(
            "no-details", "`details` is empty", "",
            #"{"applinks": {"apps": [], "details": []}, "webcredentials": {"apps": []}, "appclips": {"apps": []}}"#
        ),
        Case("type", "the file is a list and must be an object", "", "[]"),
        Case("json", "it is a page of HTML", "", "<!doctype html>"),
        Case("json", "it ends too early", "", ""),
    ]

    static let android: [Case] = [
        Case("type", "the file is an object and must be a list", "", "{}"),
        Case("type", "`target` is missing", "", #"[{"relation": []}]"#),
        Case(
            "type no-handle-all-urls", "`relation` is a text and must be a list",
            "[\"delegate_permission/common.handle_all_urls\"]",
            "\"delegate_permission/common.handle_all_urls\""),
        Case(
            "unknown-relation no-handle-all-urls extension-relation",
            "`delegate_permission/common.handle_all_url` is not known; `delegate_permission/common.handle_all_urls`?",
            "urls\"],", "url\"],"),
        Case(
            "no-handle-all-urls extension-relation", "no statement of com.example.app has the relation",
            "[\"delegate_permission/common.handle_all_urls\"]",
            "[\"delegate_permission/common.get_login_creds\"]"),
        Case("namespace", "`namespace` is android", "android_app", "android"),
        Case("package", "`app` is no package", "com.example.app", "app"),
        Case("no-fingerprints", "com.example.app has no fingerprint", "[\"\(LinkReport.key)\"]", "[]"),
        Case("fingerprint", "is no SHA-256, but a SHA-1", String(repeating: ":AB", count: 12) + "\"", "\""),
        Case("fingerprint", "is no SHA-256, but an MD5", String(repeating: ":AB", count: 16) + "\"", "\""),
        Case(
            "sample-fingerprint", "is that of Google's documents", LinkReport.key,
            "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"),
        Case("fingerprint-form", "is not in capitals with colons", "14:6D:E9", "14:6d:e9"),
        Case(
            "duplicate", "has this fingerprint at [0].target.sha256_cert_fingerprints[0], too",
            "[\"\(LinkReport.key)\"]", "[\"\(LinkReport.key)\", \"\(LinkReport.key)\"]"),
        Case(
            "include", "it includes https://a.example/x.json", "[\n  {\n    \"rel",
            "[{\"include\": \"https://a.example/x.json\"},\n  {\n    \"rel"),
        Case(
            "extension-relation", "is no relation of this statement",
            "{\"delegate_permission/common.handle_all_urls\": {",
            "{\"delegate_permission/common.get_login_creds\": {"),
        Case(
            "unknown-key", "`comment` is not known here", "{\"/\": \"/users/?*\"}",
            "{\"/\": \"/users/?*\", \"comment\": \"x\"}"),
        Case(
            "unknown-variable", "`/users/$(lang)` names a variable", "{\"/\": \"/users/?*\"}",
            "{\"/\": \"/users/$(lang)\"}"),
        Case("exclude-type", "`exclude` is a number", "true", "1"),
        Case(
            "opens-nothing", "all rules exclude", "{\"/\": \"/users/?*\"}",
            "{\"/\": \"*\", \"exclude\": true}"),
        Case("no-slash", "`users/?*` does not begin", "{\"/\": \"/users/?*\"}", "{\"/\": \"users/?*\"}"),
    ]
}
