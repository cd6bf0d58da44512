// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

// snippet.hide
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "keep-signed-in")
// snippet.show
let session = try AuthSession(baseURL: server, store: FileStore(directory: folder, name: "session"))

if !session.state.isSignedIn {
    try await session.signIn(.password(email: "ann@example.com", password: "correct horse"))
}

// A valid token on every call: refreshed once for all callers, replayed once after a 401.
let (data, response) = try await session.data(for: URLRequest(url: server.appending(path: "v1/me")))
// snippet.hide
print(response.statusCode, String(decoding: data, as: UTF8.self))
