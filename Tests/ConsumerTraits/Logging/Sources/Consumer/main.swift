// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetLogging
import FreshetOutbox
import FreshetTesting
import Logging

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// An app that writes the lines of its session and its outbox to swift-log.

final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var content: [String] = []
    var all: [String] { lock.withLock { content } }
    func add(_ line: String) { lock.withLock { content.append(line) } }
}

struct Handler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
}

let lines = Lines()
let logger = Logger(label: "session") { _ in Handler(lines: lines) }
let backend = TestBackend()
guard let base = URL(string: "https://api.example.com") else { exit(1) }
let session = try AuthSession(baseURL: base, store: InMemoryStore(), transport: backend)
session.log(to: logger)
try await session.signIn(.password(email: "ann@example.com", password: "secret"))
let outbox = try session.outbox(directory: FileManager.default.temporaryDirectory.appending(path: UUID().uuidString))
outbox.log(to: logger)
try await outbox.enqueue(URLRequest(url: base.appending(path: "notes")))
backend.endSessions(reason: "revoked")
_ = try? await session.refresh()
let text = lines.all.joined(separator: "\n")
let wanted = [
    "info Signed in.", "by the lifetime in the response", "error Signed out (revoked): The server revoked the session.",
    "lane main: stored on disk",
]
guard wanted.allSatisfy(text.contains), !text.contains("debug"), !text.contains("access-1") else {
    print("failed: the log says\n\(text)")
    exit(1)
}
print("an app with swift-log builds and runs")
