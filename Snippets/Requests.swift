// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "requests")
let session = try AuthSession(baseURL: server, store: FileStore(directory: folder, name: "session"))
let film = folder.appending(path: "film.mp4")
// snippet.show
let profile = URLRequest(url: server.appending(path: "v1/me"))
let (data, response) = try await session.data(for: profile)

// A file is read while it is sent, and read anew if the server refuses the token half-way.
var upload = URLRequest(url: server.appending(path: "films"))
upload.httpMethod = "PUT"
upload.setValue("video/mp4", forHTTPHeaderField: "Content-Type")
let (receipt, _) = try await session.upload(for: upload, fromFile: film)

// The old film, or all of the new one: never a part.
_ = try await session.download(for: URLRequest(url: server.appending(path: "films/1")), to: film)

// Line by line, as they come. Leaving the loop's scope ends the transfer.
let (feed, _) = try await session.bytes(for: URLRequest(url: server.appending(path: "feed")))
for try await line in feed.lines {
    print(line)
}
// snippet.hide
print(response.statusCode, data.count, receipt.count)
