// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit
import FreshetOutbox

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-sample")
let session = try AuthSession(baseURL: server, store: FileStore(directory: folder, name: "session"))
// snippet.show
let outbox = try session.outbox(directory: folder.appending(path: "outbox"))
let events = outbox.events

var request = URLRequest(url: server.appending(path: "notes"))
request.httpMethod = "POST"
request.httpBody = Data(#"{"text": "Written on the train"}"#.utf8)
// When this returns, the note survives a crash. It is sent as the user who is signed in now, whenever that is possible.
try await outbox.enqueue(request, lane: "notes")

for await event in events {
    switch event.kind {
    case .delivered(let status): print("delivered", status)
    case .dead(let reason): print("set aside", reason)
    default: continue
    }
    break
}
for letter in try await outbox.deadLetters() { print(letter.lane, letter.text ?? "") }
