// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine
import FreshetKit

/// What surrounds every call that may have to wait for the server.
enum ServerCall {
    /// How soon a person who sees nothing happen begins to wonder.
    private static let noticeDelay = Duration.seconds(2)

    /// Runs `body`, says on standard error if it takes long, and gives its session errors the tool's words.
    static func perform<Value>(_ body: () async throws -> Value) async throws -> Value {
        let word = Task {
            try await Task.sleep(for: noticeDelay)
            Output.note("freshet: no answer yet, still trying")
        }
        defer { word.cancel() }
        do { return try await body() } catch let error as SessionError { throw ToolError(error) }
    }
}
