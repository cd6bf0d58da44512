// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "any-backend")
let identityToken = "what Sign in with Apple gave"
let request = URLRequest(url: server.appending(path: "posts/feed"))
// snippet.show
let session = try AuthSession(
    contract: .bitbasel,
    baseURL: server,
    store: FileStore(directory: folder, name: "session")
)
try await session.signIn(.appleIdentityToken(identityToken))
let (data, response) = try await session.data(for: request)
// snippet.hide
print(response.statusCode, String(decoding: data, as: UTF8.self))
