// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import LoadGenerator

/// Asks for a code for an address of each session's own.
final class CodeRequestLoad: Workload {
    private(set) var attempts: [String]
    private let kept: LoadSessions

    init(_ kept: LoadSessions) {
        self.kept = kept
        attempts = Array(repeating: "", count: kept.sessions.count)
    }

    var sessionCount: Int { attempts.count }

    func writeRequest(of session: Int, to buffer: inout RequestBuffer) {
        let body = Array(#"{"email":"person\#(session)@bench.example.com"}"#.utf8)
        kept.writePost("/v1/login/code", bodyCount: body.count, to: &buffer)
        buffer.append(body)
    }

    func receive(status: Int, body: UnsafeRawBufferPointer, for session: Int) -> Bool {
        guard status == 202, let attempt = JSONText.value(of: "attempt", in: body) else {
            return kept.refused(status, body)
        }
        attempts[session] = String(decoding: attempt, as: UTF8.self)
        return true
    }
}

/// Signs in with the codes.
final class CodeVerificationLoad: Workload {
    private let kept: LoadSessions
    private let bodies: [[UInt8]]

    init(_ kept: LoadSessions, attempts: [String], codes: [String: String]) throws {
        self.kept = kept
        bodies = try attempts.map { attempt in
            guard let code = codes[attempt] else { throw BenchmarkError("the server's log has no code for an attempt") }
            return Array(#"{"attempt":"\#(attempt)","code":"\#(code)","device":{"name":"bench"}}"#.utf8)
        }
    }

    var sessionCount: Int { bodies.count }

    func writeRequest(of session: Int, to buffer: inout RequestBuffer) {
        kept.writePost("/v1/login/code/verify", bodyCount: bodies[session].count, to: &buffer)
        buffer.append(bodies[session])
    }

    func receive(status: Int, body: UnsafeRawBufferPointer, for session: Int) -> Bool {
        status == 200 ? kept.keep(body, for: session) : kept.refused(status, body)
    }
}

/// The codes that a development server wrote to its log instead of mailing them.
enum LoginCodes {
    /// Returns codes by attempt.
    static func read(from log: URL) throws -> [String: String] {
        struct Line: Decodable {
            var message: String
            var attempt: String?
            var code: String?
        }
        var codes: [String: String] = [:]
        for text in try Data(contentsOf: log).split(separator: UInt8(ascii: "\n")) {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)), line.message == "login code",
                let attempt = line.attempt, let code = line.code
            else { continue }
            codes[attempt] = code
        }
        return codes
    }
}
