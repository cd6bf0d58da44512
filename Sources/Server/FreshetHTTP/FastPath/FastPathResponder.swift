// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetDatabase
import FreshetEngine
package import FreshetIdentity
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers the most frequent requests of the native contract in the same way as the router, but faster.
///
/// It uses the same sessions, limits, metrics and log.
package final class FastPathResponder: Sendable {
    /// Runs a closure on the connection's event loop, within the request's trace.
    private typealias Execute = @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Receives the body of the response, `nil` if it has none, or the error.
    private typealias Completion = @Sendable (Result<[UInt8]?, any Error>) -> Void

    /// A parsed request.
    private enum ParsedRequest {
        case present(RefreshToken, intent: String?)
        case me
    }

    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let bodyLimit: Int
    let envelope: RequestEnvelope
    private let metrics: FastPathMetrics
    let date = HTTPDateText()

    package init(
        sessions: SessionRegistry,
        bearer: BearerAuthentication,
        bodyLimit: Int,
        envelope: RequestEnvelope
    ) {
        self.sessions = sessions
        self.bearer = bearer
        self.bodyLimit = bodyLimit
        self.envelope = envelope
        metrics = FastPathMetrics(envelope.metrics.metrics)
    }

    /// Whether a request is for one of the fast path's routes, in the form in which clients send it.
    func answers(_ head: HTTPRequest) -> Bool {
        guard let route = FastPathRoute(head.method, head.path) else { return false }
        var isJSON: Bool?
        var length: Int?
        for field in head.headerFields {
            switch field.name {
            case .contentType: isJSON = isJSON == nil && field.value == "application/json"
            case .contentLength: length = length == nil ? Int(field.value) : bodyLimit + 1
            case .connection: if field.value.lowercased() != "keep-alive" { return false }
            case .expect, .transferEncoding, .upgrade: return false
            default: break
            }
        }
        guard route.hasBody else { return length == nil }
        return isJSON == true && length.map { (1...bodyLimit).contains($0) } == true
    }

    /// Accepts a request, and answers it on the event loop.
    ///
    /// - Parameters:
    ///   - route: The requested route.
    ///   - fields: The header fields for authentication, source address and tracing; others are ignored.
    ///   - body: The body, which is read before this method returns.
    ///   - peer: The address of the peer.
    ///   - eventLoop: The event loop of the connection.
    ///   - entry: How the request entered the fast path, for the metrics.
    ///   - answer: Called with the response, on the event loop.
    /// - Returns: `false` if the router has to answer; the request has then had no effect.
    func take(
        _ route: FastPathRoute,
        _ fields: HTTPFields,
        _ body: UnsafeRawBufferPointer,
        from peer: SourceAddress?,
        on eventLoop: any EventLoop,
        by entry: FastPathEntry,
        answer: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        guard let request = parse(route, body) else { return false }
        metrics.count(route, by: entry)
        let active = envelope.begin(route.method, route.path, fields, ownID: RequestID().description, peer: peer)
        RequestTrace.$current.withValue(active.trace) {
            var active = active
            do { try envelope.admit(&active) } catch {
                return answer(response(to: active, route, .failure(error)))
            }
            begin(
                route,
                request,
                fields,
                on: { [trace = active.trace] job in
                    eventLoop.execute { RequestTrace.$current.withValue(trace, operation: job) }
                },
                completion: { [self, active] result in answer(response(to: active, route, result)) }
            )
        }
        return true
    }

    private func parse(_ route: FastPathRoute, _ body: UnsafeRawBufferPointer) -> ParsedRequest? {
        // An HTTP/2 request may have a body without announcing it in the head.
        guard route.hasBody else { return body.isEmpty ? .me : nil }
        guard let request = FlatJSON(body).flatMap({ RefreshRequest($0) }),
            let token = try? SessionRegistry.parse(request.refreshToken), !sessions.supersededTokens.mayContain(token)
        else { return nil }
        return .present(token, intent: request.intent)
    }

    /// Starts an admitted request; the completion is called once.
    private func begin(
        _ route: FastPathRoute,
        _ request: ParsedRequest,
        _ fields: HTTPFields,
        on execute: @escaping Execute,
        completion: @escaping Completion
    ) {
        switch request {
        case .present(let token, let intent):
            let operation: TokenRequest.Operation = route == .confirm ? .confirm : .refresh(intent: intent)
            sessions.present(TokenRequest(operation, token: token), on: execute) { tokens in
                completion(tokens.map { $0?.json.bytes })
            }
        case .me:
            let claims: AccessClaims
            do { claims = try bearer.claims(of: fields) } catch { return completion(.failure(error)) }
            sessions.database.query({ try UserTable.find(claims.user, in: $0) }) { user in
                execute { completion(Result { try Me(claims, try user.get()).json.bytes }) }
            }
        }
    }

    /// Ends a request and returns its response.
    private func response(
        to request: ActiveRequest,
        _ route: FastPathRoute,
        _ result: Result<[UInt8]?, any Error>
    ) -> Response {
        var response = Response(status: .ok, date: date.now)
        do { response.body = try result.get() } catch {
            let refusal = envelope.apiError(error, of: request)
            response.status = HTTPResponse.Status(code: refusal.code.status)
            response.fields = refusal.headers
            response.body = Array((try? JSONResponse.body(of: refusal, requestID: request.id)) ?? Data())
        }
        if response.body == nil { response.status = .noContent }
        envelope.end(request, route: route.path, status: response.status, fields: &response.fields)
        return response
    }
}
