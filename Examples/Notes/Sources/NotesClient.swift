// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation
public import FreshetKit

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The app's client of its backend: it is given a session, and knows nothing of tokens.
public struct NotesClient: Sendable {
    /// An answer that the app cannot use.
    public struct UnexpectedStatus: Error, Equatable {
        /// The answer's status.
        public var status: Int
    }

    private struct Page: Decodable {
        var owner: String
        var items: [String]
    }

    private let session: AuthSession
    private let baseURL: URL

    /// A client that sends its requests with a session's access token.
    public init(session: AuthSession, baseURL: URL) {
        self.session = session
        self.baseURL = baseURL
    }

    /// The user whose notes these are, and the notes.
    ///
    /// - Throws: `SessionError`, or ``UnexpectedStatus``.
    public func notes() async throws -> (owner: String, notes: [String]) {
        let (data, response) = try await session.data(for: URLRequest(url: baseURL.appending(path: "items")))
        guard response.statusCode == 200 else { throw UnexpectedStatus(status: response.statusCode) }
        let page = try JSONDecoder().decode(Page.self, from: data)
        return (page.owner, page.items)
    }

    /// The request that adds a note, for the outbox.
    public func request(adding text: String) throws -> URLRequest {
        var request = URLRequest(url: baseURL.appending(path: "items"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(["text": text])
        return request
    }
}
