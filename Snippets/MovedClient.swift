// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080") else { exit(64) }
let folder = FileManager.default.temporaryDirectory.appending(path: "moved-client")
// snippet.show
/// The calls of the app: without tokens, expiry, 401 and locks.
struct APIClient: Sendable {
    struct UnexpectedStatus: Error { var status: Int }

    let session: AuthSession
    let baseURL: URL

    func dashboard() async throws -> Data {
        let (data, response) = try await session.data(for: URLRequest(url: baseURL.appending(path: "dashboard")))
        guard response.statusCode == 200 else { throw UnexpectedStatus(status: response.statusCode) }
        return data
    }
}

/// For call sites that still ask for a token: delete it with the last of them.
extension APIClient {
    func validAccessToken() async throws -> String { try await session.accessToken().value }
}
// snippet.hide
let session = try AuthSession(baseURL: server, store: FileStore(directory: folder, name: "session"))
let client = APIClient(session: session, baseURL: server)
print(try await client.dashboard().count)
