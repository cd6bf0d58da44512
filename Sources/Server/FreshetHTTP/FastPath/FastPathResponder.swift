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

/// Answers the most frequent requests of the native contract as the router does.
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
        case look
    }

    let sessions: SessionRegistry
    let bearer: BearerAuthentication
    let bodyLimit: Int
    let admission: AdmissionController
    let tracing: RequestTracing
    let errors: ErrorMiddleware
    let date = HTTPDateText()

    package init(
        sessions: SessionRegistry,
        bearer: BearerAuthentication,
        bodyLimit: Int,
        admission: AdmissionController,
        tracing: RequestTracing,
        errors: ErrorMiddleware
    ) {
        self.sessions = sessions
        self.bearer = bearer
        self.bodyLimit = bodyLimit
        self.admission = admission
        self.tracing = tracing
        self.errors = errors
    }

    /// Whether a request is for the fast path: one of its routes, in the form that clients send it in.
    func answers(_ head: HTTPRequest) -> Bool {
        guard let call = FastPathRoute(head.method, head.path) else { return false }
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
        guard call.hasBody else { return length == nil }
        return isJSON == true && length.map { (1...bodyLimit).contains($0) } == true
    }

    /// Accepts a request, and answers it on the event loop.
    ///
    /// - Parameters:
    ///   - call: The requested route.
    ///   - fields: The header fields for authentication, source address and tracing; others are ignored.
    ///   - body: The body, which is read before this method returns.
    ///   - peer: The address of the peer.
    ///   - eventLoop: The event loop of the connection.
    ///   - way: How the request entered the fast path, for the metrics.
    ///   - answer: Called with the response, on the event loop.
    /// - Returns: `false` if the router has to answer; the request has had no effect then.
    func take(
        _ call: FastPathRoute,
        _ fields: HTTPFields,
        _ body: UnsafeRawBufferPointer,
        from peer: SourceAddress?,
        on eventLoop: any EventLoop,
        by way: FastPathEntry,
        answer: @escaping @Sendable (Response) -> Void
    ) -> Bool {
        guard let request = parse(call, body) else { return false }
        tracing.metrics.count(call, by: way)
        let opened = tracing.open(fields, ownID: RequestID().description, peer: peer)
        RequestTrace.$current.withValue(opened.trace) {
            do { try admission.beginRequest() } catch { return answer(self.answer(call, .failure(error), opened)) }
            begin(
                call,
                request,
                fields,
                on: { job in
                    eventLoop.execute { RequestTrace.$current.withValue(opened.trace, operation: job) }
                },
                completion: { [self] result in
                    answer(self.answer(call, result, opened))
                    admission.endRequest()
                }
            )
        }
        return true
    }

    private func parse(_ call: FastPathRoute, _ body: UnsafeRawBufferPointer) -> ParsedRequest? {
        // An HTTP/2 request may have a body without announcing it in the head.
        guard call.hasBody else { return body.isEmpty ? .look : nil }
        guard let request = FlatJSON(body).flatMap({ RefreshRequest($0) }),
            let token = try? SessionRegistry.parse(request.refreshToken), !sessions.supersededTokens.mayContain(token)
        else { return nil }
        return .present(token, intent: request.intent)
    }

    /// Starts an admitted request; the completion is called once.
    private func begin(
        _ call: FastPathRoute,
        _ request: ParsedRequest,
        _ fields: HTTPFields,
        on execute: @escaping Execute,
        completion: @escaping Completion
    ) {
        switch request {
        case .present(let token, let intent):
            let operation: TokenRequest.Operation = call == .confirm ? .confirm : .refresh(intent: intent)
            sessions.present(TokenRequest(operation, token: token), on: execute) { tokens in
                completion(tokens.map { $0?.json.bytes })
            }
        case .look:
            let claims: AccessClaims
            do { claims = try bearer.claims(of: fields) } catch { return completion(.failure(error)) }
            sessions.database.query({ try UserTable.find(claims.user, in: $0) }) { user in
                execute { completion(Result { try Me(claims, try user.get()).json.bytes }) }
            }
        }
    }

    private func answer(
        _ call: FastPathRoute,
        _ result: Result<[UInt8]?, any Error>,
        _ opened: RequestTracing.ActiveRequest
    ) -> Response {
        let id = opened.trace.id
        var answer = Response(status: .ok, requestID: id, date: date.now)
        do { answer.body = try result.get() } catch {
            let refusal = errors.apiError(error, path: call.path, requestID: id)
            answer.status = HTTPResponse.Status(code: refusal.code.status)
            answer.fields = refusal.headers
            answer.body = Array((try? JSONResponse.body(of: refusal, requestID: id)) ?? Data())
        }
        if answer.body == nil { answer.status = .noContent }
        errors.logResponse(call.method, call.path, answer.status, requestID: id)
        tracing.close(opened, route: call.path, status: answer.status.code)
        tracing.addTraceHeaders(opened, &answer.fields)
        return answer
    }
}
