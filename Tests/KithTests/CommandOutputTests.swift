import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// Commands that cannot write to standard output, because the disk is full or it is closed.
@Suite(.inTurns) struct CommandOutputTests {
    @Test(arguments: [">/dev/full", ">&-"])
    func `commands that cannot write fail and say so, and a key that nobody saw is revoked`(output: String)
        async throws
    {
        let environment = ["KITH_DATABASE_URL": try await TestPostgres.shared.migratedDatabase()]
        func run(_ command: String) async throws -> KithCommand.Outcome {
            try await KithCommand(shell: "exec \"$KITH\" \(command)", environment).run()
        }
        let created = try await run("key create --name x --scope server \(output)")
        for outcome in [
            created, try await run("verify \(output)"), try await run("key list \(output)"),
            try await run("migrate \(output)"),
        ] {
            #expect(outcome.status == 1)
            #expect(
                outcome.error.contains("kith: cannot write to standard output: "), "\(outcome.error)")
        }
        #expect(created.error.contains("the key is revoked"))
        let keys = try await run("key list").output
        #expect(keys.contains("revoked 20") && !keys.contains("in force"), "\(keys)")
    }
}
