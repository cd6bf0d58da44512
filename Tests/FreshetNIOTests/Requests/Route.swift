// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import AsyncHTTPClient
import Foundation
import FreshetKit
import NIOCore
import NIOHTTP1

@testable import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The ways in which a program sends a request through a session, over each transport.
enum Route: CaseIterable {
    case dataOverURLSession, uploadOverURLSession, fileOverURLSession, bytesOverURLSession
    case dataOverHTTPClient, uploadOverHTTPClient, fileOverHTTPClient, bytesOverHTTPClient
    /// AsyncHTTPClient's own request type.
    case clientRequest

    struct Reply {
        var status: Int
        var body: Data
    }

    private var isOverURLSession: Bool {
        switch self {
        case .dataOverURLSession, .uploadOverURLSession, .fileOverURLSession, .bytesOverURLSession: true
        default: false
        }
    }

    /// Sends a request for the session that `signIn` makes over this route's transport; a pause in its response takes at
    /// most `timeout`.
    func send(
        to url: URL,
        timeout: Duration = .seconds(60),
        signedIn signIn: (any HTTPTransport) async throws -> AuthSession
    ) async throws -> Reply {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.read = .seconds(timeout.components.seconds)
        // On a busy machine a request's file is written late.
        let client = AsyncHTTPClientTransport(configuration: configuration, timeout: .seconds(240))
        let transport: any HTTPTransport = isOverURLSession ? URLSessionTransport(timeout: timeout) : client
        let session = try await signIn(transport)
        let request = URLRequest(url: url)
        switch self {
        case .dataOverURLSession, .dataOverHTTPClient:
            let (data, response) = try await session.data(for: request)
            return Reply(status: response.statusCode, body: data)
        case .uploadOverURLSession, .uploadOverHTTPClient:
            let (data, response) = try await session.upload(for: request, from: Data("things".utf8))
            return Reply(status: response.statusCode, body: data)
        case .fileOverURLSession, .fileOverHTTPClient:
            let file = FileManager.default.temporaryDirectory.appending(path: "route-\(UUID().uuidString)")
            try Data("things".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let (data, response) = try await session.upload(for: request, fromFile: file)
            return Reply(status: response.statusCode, body: data)
        case .bytesOverURLSession, .bytesOverHTTPClient:
            let (bytes, response) = try await session.bytes(for: request)
            return Reply(status: response.statusCode, body: try await bytes.data())
        case .clientRequest:
            let answer = try await client.execute(HTTPClientRequest(url: url.absoluteString), for: session)
            let body = try await answer.body.collect(upTo: ResponseBytes.largestInMemory)
            return Reply(status: Int(answer.status.code), body: Data(body.readableBytesView))
        }
    }
}
