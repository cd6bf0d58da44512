// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection that passes requests to a fake backend and sends its responses.
///
/// Hummingbird's `Application` is not used: it replaces the backend's Date header with this machine's date.
struct BackendConnection: Sendable {
    /// Closes the connection without a response, as the fake backend requires.
    private struct ConnectionClosed: Error {}

    let backend: AppBackend
    /// The control API of the fake backend; `nil` at the other origin.
    let control: ControlPaths?
    let log: Logger
    /// The response to a handshake that is invalid by RFC 6455, or not the first request of its connection.
    static let brokenHandshake = BackendResponse(
        400,
        headers: ["Content-Type": "text/plain"],
        body: Data("a WebSocket begins with a whole handshake, on a connection of its own\n".utf8)
    )

    /// Returns the backend's response to a WebSocket handshake.
    ///
    /// - Returns: The response, 101 if the handshake is accepted; `nil` if none is to be sent.
    func decision(on head: HTTPRequestHead) async throws -> BackendResponse? {
        do {
            let response = try await answer(to: BackendRequest(head))
            log.debug("handshake", metadata: ["status": "\(response.status)"])
            return response
        } catch is ConnectionClosed { return nil }
    }

    @concurrent func respond(to request: Request, _ writer: consuming ResponseWriter) async throws {
        let body = try await request.body.collect(upTo: 1 << 20)
        var backendRequest = BackendRequest(request, body: body)
        if control == nil { backendRequest.host = backend.settings.otherHost }
        var response = try await answer(to: backendRequest)
        // The query is not logged: it may contain a token.
        log.debug("request", metadata: ["path": "\(backendRequest.path)", "status": "\(response.status)"])
        if response.status == 101 { response = Self.brokenHandshake }
        let reply = Response(response)
        if request.method == .head {
            try await writer.writeResponse(reply.head)
        } else {
            try await writer.write(response: reply.head, body: reply.body)
        }
    }

    private func answer(to request: BackendRequest) async throws -> BackendResponse {
        if let control, request.path.hasPrefix(ControlPaths.root) { return control.answer(to: request) }
        switch backend.respond(to: request) {
        case .answer(let response): return response
        case .held(let held): return try await held.released()
        case .hangUp:
            log.debug("hung up", metadata: ["path": "\(request.path)"])
            throw ConnectionClosed()
        }
    }
}

extension BackendRequest {
    fileprivate init(_ request: Request, body: ByteBuffer) {
        let target = request.head.path ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? "/"
        let query = parts.count > 1 ? URLComponents(string: "?" + parts[1])?.queryItems : nil
        var headers: BackendHeaders = [:]
        for field in request.headers {
            let name = field.name.rawName
            headers[name] = headers[name].map { "\($0), \(field.value)" } ?? field.value
        }
        self.init(
            request.method.rawValue,
            path.removingPercentEncoding ?? path,
            host: request.head.authority,
            query: query ?? [],
            headers: headers,
            body: Data(body.readableBytesView)
        )
    }
}

extension BackendRequest {
    /// Creates a request from the head of a handshake.
    init(_ head: HTTPRequestHead) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? "/"
        var headers: BackendHeaders = [:]
        for (name, value) in head.headers { headers[name] = headers[name].map { "\($0), \(value)" } ?? value }
        self.init(
            head.method.rawValue,
            path.removingPercentEncoding ?? path,
            host: head.headers.first(name: "Host"),
            query: (parts.count > 1 ? URLComponents(string: "?" + parts[1])?.queryItems : nil) ?? [],
            headers: headers
        )
    }
}

extension Response {
    fileprivate init(_ response: BackendResponse) {
        var fields = HTTPFields()
        for (name, value) in response.headers.fields {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        self.init(
            status: HTTPResponse.Status(code: response.status),
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        )
    }
}
