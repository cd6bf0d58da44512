// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetJWT
import FreshetWire
import HTTPTypes
import Testing

@testable import FreshetIdentity
@testable import FreshetServer

/// A resource server that follows `GET /v1/ended`, page after page.
actor FeedSubscriber {
    static let secret = "a secret of the follower"

    let caller: TestHTTPClient
    private var cursor: String?
    /// The reasons that it was told, by session.
    private(set) var told: [String: [String]] = [:]

    init(_ caller: TestHTTPClient) { self.caller = caller }

    /// Registers the follower as a confidential client, beside a public one that is called phone.
    static func register(in configuration: inout ServerConfiguration) throws {
        let folder = configuration.dataDirectory
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let file = folder.appending(path: "clients.json")
        let hash = ClientSecretHash(of: secret).text
        try Data(
            #"{"clients":[{"id":"api","kind":"confidential","secret":"\#(hash)"},{"id":"phone","kind":"public"}]}"#.utf8
        ).write(to: file)
        configuration.oauthClients = file
    }

    /// Asks until it is told of a session's end.
    func follow(until session: SessionID) async throws {
        while told[session.description] == nil { try await poll(wait: 20) }
    }

    /// Asks once, and notes what it is told.
    @discardableResult
    func poll(wait: Int = 0) async throws -> RevocationPage {
        var query = URLComponents()
        query.queryItems = [
            cursor.map { URLQueryItem(name: "after", value: $0) }, URLQueryItem(name: "wait", value: "\(wait)"),
        ].compactMap(\.self)
        var headers = HTTPFields()
        headers[.authorization] = "Basic " + Data("api:\(Self.secret)".utf8).base64EncodedString()
        let path = NativePath.ended + "?" + (query.percentEncodedQuery ?? "")
        let answer = try await caller.send(.get, path, headers: headers)
        try #require(answer.status == 200, "\(answer.error)")
        let page: RevocationPage = try answer.json()
        for ending in page.ended { told[ending.sid, default: []].append(ending.reason) }
        cursor = page.cursor
        return page
    }
}
