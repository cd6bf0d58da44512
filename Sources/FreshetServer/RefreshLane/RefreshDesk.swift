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
final class RefreshDesk: Sendable {
    let sessions: SessionRegistry
    let bodyLimit: Int
    let load: ServerLoad
    let tracing: RequestTracing
    let errors: ErrorAnswers
    let date = HTTPDateText()

    init(
        sessions: SessionRegistry,
        bodyLimit: Int,
        load: ServerLoad,
        tracing: RequestTracing,
        errors: ErrorAnswers
    ) {
        self.sessions = sessions
        self.bodyLimit = bodyLimit
        self.load = load
        self.tracing = tracing
        self.errors = errors
    }

    /// Whether a request is one of those that are answered here: as clients send it, and nothing unusual about it.
    func answers(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, RefreshCall(path: head.path) != nil else { return false }
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
    /// - Parameters:
    ///   - call: What is asked for.
    ///   - fields: The fields that tell where it comes from and by what names it goes, others or none beside them.
    ///   - body: Its bytes, which are read before this returns.
    ///   - peer: The other end of the connection.
    ///   - eventLoop: Whose connection it is.
    ///   - way: How it came, for the metrics.
    ///   - answer: Called there.
    /// - Returns: `false` if the router has to see to it; nothing has happened then.
    func take(
        _ call: RefreshCall,
        _ fields: HTTPFields,
        _ body: UnsafeRawBufferPointer,
        from peer: SourceAddress?,
        on eventLoop: any EventLoop,
        by way: RefreshWay,
        answer: @escaping @Sendable (Answer) -> Void
    ) -> Bool {
        guard let request = FlatJSON(body).flatMap({ RefreshRequest($0) }),
            let token = try? SessionRegistry.parse(request.refreshToken), !sessions.stale.mayContain(token)
        else { return false }
        tracing.metrics.count(call, by: way)
        let opened = tracing.open(fields, ownID: RequestID().description, peer: peer)
        RequestTrace.$current.withValue(opened.trace) {
            do {
                try submit(call, token, intent: request.intent) { [self] presented, judged in
                    eventLoop.execute { [self] in
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
        _ call: RefreshCall,
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
    private func body(_ call: RefreshCall, _ applied: SessionRegistry.Applied) throws -> [UInt8]? {
        switch call {
        case .refresh: return try sessions.grant(applied).json.bytes
        case .confirm:
            try applied.requireNote()
            return nil
        }
    }

    private func answer(
        _ call: RefreshCall,
        _ result: Result<[UInt8]?, any Error>,
        _ opened: RequestTracing.Opened
    ) -> Answer {
        let id = opened.trace.id
        var answer = Answer(status: .ok, requestID: id, date: date.now)
        do { answer.body = try result.get() } catch {
            let refusal = errors.apiError(error, path: call.path, requestID: id)
            answer.status = HTTPResponse.Status(code: refusal.code.status)
            answer.fields = refusal.headers
            answer.body = Array((try? JSONAnswer.body(of: refusal, requestID: id)) ?? Data())
        }
        if answer.body == nil { answer.status = .noContent }
        errors.noteAnswer(.post, call.path, answer.status, requestID: id)
        tracing.close(opened, route: call.path, status: answer.status.code)
        tracing.nameTrace(opened, &answer.fields)
        return answer
    }
}
