// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetEngine
import FreshetWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers refreshes and confirmations of the native contract as the router does, with the same sessions, limits, counts
/// and log.
struct RefreshDesk: Sendable {
    /// An answer, whole.
    struct Answer: Sendable {
        var head: HTTPResponse
        var body: ByteBuffer?
    }

    /// What is asked for.
    private enum Call {
        case refresh
        case confirm

        init?(path: String?) {
            switch path {
            case NativePath.refresh: self = .refresh
            case NativePath.confirm: self = .confirm
            default: return nil
            }
        }

        var path: String {
            switch self {
            case .refresh: NativePath.refresh
            case .confirm: NativePath.confirm
            }
        }
    }

    let sessions: SessionRegistry
    let bodyLimit: Int
    let load: ServerLoad
    let tracing: RequestTracing
    let errors: ErrorAnswers
    let date = HTTPDateText()

    /// Whether a request is one of those that are answered here: as clients send it, and nothing unusual about it.
    func answers(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, Call(path: head.path) != nil else { return false }
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
        return isJSON == true && length.map { (1...bodyLimit).contains($0) } == true
    }

    /// Takes a request, and answers it on the event loop.
    ///
    /// - Returns: `false` if the router has to see to it; nothing has happened then.
    func take(
        _ head: HTTPRequest,
        _ body: ByteBuffer,
        from peer: SourceAddress?,
        on eventLoop: any EventLoop,
        answer: @escaping @Sendable (Answer) -> Void
    ) -> Bool {
        let json = body.withUnsafeReadableBytes { FlatJSON($0) }
        guard let call = Call(path: head.path), let request = json.flatMap({ RefreshRequest($0) }),
            let token = try? SessionRegistry.parse(request.refreshToken), !sessions.stale.mayContain(token)
        else { return false }
        let opened = tracing.open(head.headerFields, ownID: RequestID().description, peer: peer)
        RequestTrace.$current.withValue(opened.trace) {
            do {
                try submit(call, token, intent: request.intent) { presented, judged in
                    eventLoop.execute {
                        defer { load.leave() }
                        RequestTrace.$current.withValue(opened.trace) {
                            let body = Result { try self.body(call, try sessions.settle(presented, try judged.get())) }
                            answer(self.answer(call, body, opened))
                        }
                    }
                }
            } catch {
                answer(self.answer(call, .failure(error), opened))
            }
        }
        return true
    }

    /// Has a token judged; its place among the requests is given back by whoever gets the verdict.
    private func submit(
        _ call: Call,
        _ token: RefreshToken,
        intent: String?,
        judged: @escaping @Sendable (SessionRegistry.Presented, Result<SessionRegistry.Applied?, any Error>) -> Void
    ) throws {
        try load.enter()
        do {
            let presented =
                switch call {
                case .refresh: try sessions.refreshing(token, intent: intent)
                case .confirm: sessions.confirming(token)
                }
            sessions.submit(presented) { judged(presented, $0) }
        } catch {
            load.leave()
            throw error
        }
    }

    /// What a verdict hands out.
    private func body(_ call: Call, _ applied: SessionRegistry.Applied) throws -> ByteBuffer? {
        switch call {
        case .refresh: return ByteBuffer(bytes: try sessions.grant(applied).json.bytes)
        case .confirm:
            try applied.requireNote()
            return nil
        }
    }

    private func answer(
        _ call: Call,
        _ result: Result<ByteBuffer?, any Error>,
        _ opened: RequestTracing.Opened
    ) -> Answer {
        let id = opened.trace.id
        var head = HTTPResponse(status: .ok, headerFields: JSONAnswer.headers)
        var body: ByteBuffer?
        do { body = try result.get() } catch {
            let refusal = errors.apiError(error, path: call.path, requestID: id)
            head.status = HTTPResponse.Status(code: refusal.code.status)
            head.headerFields.append(contentsOf: refusal.headers)
            body = ByteBuffer(bytes: (try? JSONAnswer.body(of: refusal, requestID: id)) ?? Data())
        }
        if let body {
            head.headerFields[.contentLength] = String(body.readableBytes)
        } else {
            head.status = .noContent
            head.headerFields[.contentType] = nil
        }
        errors.noteAnswer(.post, call.path, head.status, requestID: id)
        head.headerFields[.date] = date.now
        tracing.close(opened, &head.headerFields, route: call.path, status: head.status.code)
        tracing.metrics.count("freshet_lane_requests_total", [("route", call.path)])
        return Answer(head: head, body: body)
    }
}
