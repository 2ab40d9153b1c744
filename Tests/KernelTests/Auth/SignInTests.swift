import Foundation
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// The table of docs/sign-in.md: with the settings of each row Kith takes a token of that provider's shape,
/// and none for somebody else.
@Suite struct SignInTests {
    struct Row: Sendable {
        var settings: [String: String]
        var issuers: [String] { (settings["KITH_AUTH_ISSUER"] ?? "").split(separator: ",").map(String.init) }
    }

    /// A token's header and claims beside `exp` and `iat`.
    struct Shape: Sendable {
        var header: String
        var claims: [String: String]
        var algorithm = "RS256"
    }

    private static func rows() throws -> [String: Row] {
        let text = try RepositoryFile.read("docs/sign-in.md")
        let table = try #require(text.range(of: "\n| provider | token |"))
        var rows: [String: Row] = [:]
        for line in text[table.lowerBound...].split(separator: "\n").dropFirst(2) {
            guard line.hasPrefix("|") else { break }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 6, "\(line)")
            func code(_ cell: String) -> String { cell.replacing("`", with: "") }
            var settings = [
                "KITH_AUTH_ISSUER": code(cells[2]), "KITH_AUTH_AUDIENCE": code(cells[3]),
                "KITH_AUTH_JWKS": code(cells[4]),
            ]
            for setting in cells[5].matches(of: /`(KITH_\w+)=(.*?)`/) {
                settings[String(setting.output.1)] = String(setting.output.2)
            }
            rows[cells[0]] = Row(settings: settings)
        }
        return rows
    }

    /// By the row; `ISS` is its first issuer.
    private static let shapes: [String: [Shape]] = [
        "Firebase": [
            Shape(
                header: #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "aud": #""acme-app""#, "sub": #""Xy7bQ""#, "user_id": #""Xy7bQ""#,
                    "auth_time": "1999999000",
                    "firebase": #"{"identities":{},"sign_in_provider":"password","tenant":"t-1"}"#,
                ])
        ],
        "Auth0, API": [
            Shape(
                header: #"{"alg":"RS256","typ":"JWT","kid":"rsa"}"#,
                claims: [
                    "aud": #"["https://api.acme.com","https://acme.eu.auth0.com/userinfo"]"#,
                    "azp": #""CID_IOS""#,
                    "sub": #""auth0|65f1""#, "scope": #""openid profile""#,
                ]),
            Shape(
                header: #"{"typ":"at+jwt","alg":"RS256","kid":"rsa"}"#,
                claims: [
                    "aud": #""https://api.acme.com""#, "client_id": #""CID_IOS""#, "sub": #""auth0|65f1""#,
                    "jti": #""j""#,
                ]),
        ],
        "Auth0, apps": ["CID_IOS", "CID_ANDROID"].map {
            Shape(
                header: #"{"alg":"RS256","typ":"JWT","kid":"rsa"}"#,
                claims: [
                    "aud": "\"\($0)\"", "sub": #""google-oauth2|103547991597142817347""#, "nonce": #""n""#,
                    "sid": #""s""#,
                ])
        },
        "Cognito, ID": ["CID_IOS", "CID_ANDROID"].map {
            Shape(
                header: #"{"kid":"rsa","alg":"RS256"}"#,
                claims: [
                    "aud": "\"\($0)\"", "sub": #""aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee""#,
                    "token_use": #""id""#,
                    "auth_time": "1999999000", "cognito:username": #""ann""#,
                ])
        },
        "Cognito, access": ["CID_IOS", "CID_ANDROID"].map {
            Shape(
                header: #"{"kid":"rsa","alg":"RS256"}"#,
                claims: [
                    "client_id": "\"\($0)\"", "sub": #""aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee""#,
                    "token_use": #""access""#,
                    "scope": #""aws.cognito.signin.user.admin""#, "auth_time": "1999999000",
                    "username": #""ann""#,
                ])
        },
        "Supabase": [
            Shape(
                header: #"{"alg":"ES256","kid":"ec","typ":"JWT"}"#,
                claims: [
                    "aud": #""authenticated""#, "sub": #""3f5c1d9e-0b3c-4f6b-9b57-5a2f9f0b7e11""#,
                    "role": #""authenticated""#,
                    "aal": #""aal1""#, "is_anonymous": "false", "app_metadata": #"{"provider":"email"}"#,
                ], algorithm: "ES256"),
            Shape(
                header: #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "aud": #""authenticated""#, "sub": #""3f5c1d9e-0b3c-4f6b-9b57-5a2f9f0b7e11""#,
                ]),
        ],
        "Keycloak, API": [
            Shape(
                header: #"{"alg":"RS256","typ" : "JWT","kid" : "rsa"}"#,
                claims: [
                    "aud": #"["kith-api","account"]"#, "azp": #""acme-app""#, "typ": #""Bearer""#,
                    "auth_time": "1999999000",
                    "sub": #""f1c7e0b2-6d0b-4e0e-8c0e-0c9a5c1f2b3d""#, "acr": #""1""#,
                    "realm_access": #"{"roles":["x"]}"#,
                ])
        ],
        "Keycloak, app": [
            Shape(
                header: #"{"alg":"RS256","typ":"JWT","kid":"rsa"}"#,
                claims: [
                    "aud": #""acme-app""#, "azp": #""acme-app""#, "typ": #""ID""#,
                    "sub": #""f1c7e0b2-6d0b-4e0e""#,
                ])
        ],
        "Clerk, web": [
            Shape(
                header: #"{"alg":"RS256","cat":"cl_B7d4PD111AAA","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "azp": #""https://app.acme.com""#, "sub": #""user_2NNEqL2nrIRdJ194ndJqAHwEfxC""#,
                    "sid": #""sess_1""#,
                    "nbf": "1999999990", "v": "2", "fva": "[0,-1]",
                ])
        ],
        "Clerk, apps": [
            Shape(
                header: #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "aud": #""kith""#, "sub": #""user_2NNEqL2nrIRdJ194ndJqAHwEfxC""#, "jti": #""j""#,
                    "nbf": "1999999990",
                ])
        ],
        "Apple": ["com.acme.app", "com.acme.signin"].map {
            Shape(
                header: #"{"kid":"rsa","alg":"RS256"}"#,
                claims: [
                    "aud": "\"\($0)\"", "sub": #""001234.ab12cd34ef56.0123""#, "c_hash": #""x""#,
                    "auth_time": "1999999000",
                    "email": #""x@privaterelay.appleid.com""#, "nonce_supported": "true",
                    "real_user_status": "2",
                ])
        },
        "Google": [
            Shape(
                header: #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "aud": #""1-web.apps.googleusercontent.com""#,
                    "azp": #""1-android.apps.googleusercontent.com""#,
                    "sub": #""110169484474386276334""#, "email_verified": "true",
                ]),
            Shape(
                header: #"{"alg":"RS256","kid":"rsa","typ":"JWT"}"#,
                claims: [
                    "iss": #""accounts.google.com""#, "aud": #""1-ios.apps.googleusercontent.com""#,
                    "azp": #""1-ios.apps.googleusercontent.com""#, "sub": #""110169484474386276334""#,
                ]),
        ],
        "better-auth": [
            Shape(
                header: #"{"alg":"EdDSA","kid":"ed"}"#,
                claims: [
                    "aud": #""https://app.acme.com""#, "sub": #""Zk3T""#, "id": #""Zk3T""#, "name": #""Ann""#,
                    "emailVerified": "true",
                ], algorithm: "EdDSA")
        ],
    ]

    private func token(_ shape: Shape, _ row: Row, _ forge: TokenForge, _ changes: [String: String?] = [:])
        throws
        -> String
    {
        var claims: [String: String?] = ["iss": "\"\(row.issuers[0])\"", "aud": nil, "sub": nil]
        claims.merge(shape.claims.mapValues { $0 }) { $1 }
        claims.merge(changes) { $1 }
        let signers = ["RS256": forge.rsa, "ES256": forge.ec, "EdDSA": forge.ed]
        return try forge.token(shape.header, TokenForge.claims(claims), by: signers[shape.algorithm])
    }

    @Test func `with the settings of each row a token of that provider is taken, and none for others`()
        async throws
    {
        let rows = try Self.rows()
        #expect(Set(rows.keys) == Set(Self.shapes.keys))
        let forge = try await TokenForge()
        for (provider, row) in rows {
            let config = try Config(environment: row.settings).auth
            let verifier = try FakeProvider(forge.jwks).verifier(config)
            let places = try config.keys(.live).map(\.place)
            #expect(places == [try #require(row.settings["KITH_AUTH_JWKS"])], "\(provider)")
            for shape in try #require(Self.shapes[provider]) {
                let uid = try await verifier.token(token(shape, row, forge)).uid.text
                #expect("\"\(uid)\"" == shape.claims["sub"], "\(provider)")
                for (name, other) in [
                    (row.settings["KITH_AUTH_AUDIENCE_CLAIM"] ?? "aud", #""other""#),
                    ("iss", #""https://other.example""#),
                ] {
                    let error = try await #require(throws: IDTokenError.self, "\(provider) \(name)") {
                        try await verifier.token(token(shape, row, forge, [name: other]))
                    }
                    #expect(error.description.hasPrefix("\(name) is "), "\(provider): \(error.description)")
                }
            }
        }
    }

    @Test func `each claim that a token must have is named, and so is what the log says without it`()
        async throws
    {
        let text = try RepositoryFile.read("docs/sign-in.md")
        #expect(text.contains("`iss`, `sub` (or the claim that is the uid), `iat` and `exp` must be there"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `malformed: payload: iat`") }
        let row = try #require(rows.first)
        let forge = try await TokenForge()
        let verifier = try FakeProvider(forge.jwks).verifier()
        let wrong: [(String, String?)] = [
            ("iss", nil), ("iss", #"["x"]"#), ("iat", nil), ("iat", #""1""#), ("exp", nil),
        ]
        for (name, value) in wrong {
            #expect(row.contains("`\(name)`") || row.contains("payload: \(name)`"), "\(name)")
            await #expect(throws: IDTokenError.malformed("payload: \(name)")) {
                try await verifier.token(forge.token(claims: [name: value]))
            }
        }
        let nobody = try await #require(throws: IDTokenError.self) {
            try await verifier.token(forge.token(claims: ["sub": nil]))
        }
        #expect(nobody.description.hasPrefix("sub is missing"))
    }

    @Test func `a Firebase project alone sets what its row says`() throws {
        let row = try #require(Self.rows()["Firebase"])
        var alone = AuthConfig(firebaseProject: row.settings["KITH_FIREBASE_PROJECT"]).effective
        alone.firebaseProject = nil
        #expect(alone.issuer == row.settings["KITH_AUTH_ISSUER"])
        #expect(alone.audience == row.settings["KITH_AUTH_AUDIENCE"])
        #expect(alone.jwks == row.settings["KITH_AUTH_JWKS"])
    }
}
