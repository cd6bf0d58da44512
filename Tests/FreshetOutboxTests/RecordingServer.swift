// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import SessionFixtures

@testable import FreshetKit
@testable import FreshetOutbox

/// A server of raw sockets that does what a request says once for each idempotency key.
final class RecordingServer: Sendable {
    /// The requests that arrived, in order.
    struct Arrival: Sendable {
        var key: String
        var body: String
        /// The status that it is answered with.
        var status: Int
    }

    private struct State {
        var arrivals: [Arrival] = []
        var answers: [String: Int] = [:]
        var observer: (@Sendable (Int) -> Void)?
    }

    private let listener: LoopbackListener
    private let state = Locked(State())
    private let judge: @Sendable (_ body: String, _ arrival: Int) -> Int

    /// Listens on a free port of this machine.
    ///
    /// `judge` says with which status a body is answered that arrives with a new key, as the how manieth of all; one from
    /// 500 on is not remembered.
    init(_ judge: @escaping @Sendable (_ body: String, _ arrival: Int) -> Int) throws {
        self.judge = judge
        listener = try LoopbackListener()
        listener.start(serve)
    }

    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var port: UInt16 { listener.port }
    var base: URL { get throws { try listener.base } }

    /// Told of each arrival, by its number, before it is answered.
    func observe(_ observer: (@Sendable (Int) -> Void)?) { state.withLock { $0.observer = observer } }

    func stop() { listener.stop() }

    private func serve(_ connection: Int32) {
        var rest = Data()
        while let (key, body) = Self.readRequest(connection, &rest) {
            let (status, count, observer) = state.withLock { state in
                let status = state.answers[key] ?? judge(body, state.arrivals.count)
                state.arrivals.append(Arrival(key: key, body: body, status: status))
                if status < 500 { state.answers[key] = status }
                return (status, state.arrivals.count, state.observer)
            }
            observer?(count)
            let answer = Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n".utf8)
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            guard send(connection, answer, answer.count, flags) == answer.count else { return }
        }
    }

    /// The key and the body of the next request; `nil` at the connection's end, also in the midst of one.
    private static func readRequest(_ connection: Int32, _ rest: inout Data) -> (key: String, body: String)? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let end = rest.firstRange(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
                func header(_ name: String) -> String? {
                    let line = lines.first { $0.lowercased().hasPrefix("\(name): ") }
                    return line.map { String($0.dropFirst(name.count + 2)) }
                }
                let length = header("content-length").flatMap(Int.init) ?? 0
                if rest.endIndex - end.upperBound >= length {
                    let body = String(decoding: rest[end.upperBound...].prefix(length), as: UTF8.self)
                    rest = Data(rest[(end.upperBound + length)...])
                    return (header("idempotency-key") ?? "", body)
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            rest.append(contentsOf: buffer[..<count])
        }
    }
}
