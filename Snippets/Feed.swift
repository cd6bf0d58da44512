// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "feed")
let session = try AuthSession(
    contract: .bitbasel,
    baseURL: server,
    store: FileStore(directory: folder, name: "session")
)
@Sendable func fetchWhatWasMissed() async {}
@Sendable func show(_ text: String) async { print(text) }
// snippet.show
let feed = try session.socket()
let reconnections = Task {
    for await case .open(let connection) in feed.states where connection > 1 { await fetchWhatWasMissed() }
}
for await message in feed.messages { await show(message.text ?? "") }
reconnections.cancel()
// snippet.hide
print(feed.state)
