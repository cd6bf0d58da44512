// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// One attack on the real program, reported in one line of the test's output.
///
/// An attack's body checks with `try #require`, not with `#expect`: a thrown error is what tells `report` that the server
/// did not hold.
enum Attack {
    /// Starts `freshet serve`, runs the attack against it, and prints whether the server held.
    ///
    /// - Parameters:
    ///   - name: The attack in a short sentence; the table in SECURITY.md uses the same words.
    ///   - arguments: Further arguments of `freshet serve`.
    ///   - environment: Variables that the server's environment has beside the test's own.
    ///   - body: Performs the attack.
    /// - Throws: The error of `body`, or the reason why the server did not start.
    static func run(
        _ name: String,
        serving arguments: [String] = [],
        environment: [String: String] = [:],
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await report(name) {
            try await RunningServer.run(arguments, environment: environment, body)
        }
    }

    /// Runs an attack that starts its servers itself, and prints whether they held.
    static func report(_ name: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
            print("attack held: \(name)")
        } catch {
            print("attack BROKE THROUGH: \(name)")
            throw error
        }
    }
}
