// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetCommandLine
import FreshetKit

/// The handling of calls that may wait for the server.
enum ServerCall {
    /// The time after which the user is told that the call is still waiting.
    private static let noticeDelay = Duration.seconds(2)
    static let waitNotice = "freshet: no response yet, still trying"

    /// Runs `body`, reports a long wait on standard error, and converts session errors.
    static func perform<Value>(_ body: () async throws -> Value) async throws -> Value {
        let notice = Task {
            try await Task.sleep(for: noticeDelay)
            Output.note(waitNotice)
        }
        defer { notice.cancel() }
        do { return try await body() } catch let error as SessionError { throw ToolError(error) }
    }
}
