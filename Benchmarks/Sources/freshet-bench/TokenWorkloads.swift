// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import LoadGenerator

/// A session as the load generator holds it.
struct LoadSession {
    var access: [UInt8] = []
    var refresh: [UInt8] = []
}

/// The sessions of a benchmark and the requests that all workloads write alike.
final class LoadSessions {
    var sessions: [LoadSession]
    /// The answers that were not hoped for: the first of them is shown.
    private(set) var firstRefusal: String?
    private let host: [UInt8]

    init(count: Int, port: UInt16) {
        sessions = Array(repeating: LoadSession(), count: count)
        host = Array(" HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n".utf8)
    }

    func writePost(_ path: StaticString, bodyCount: Int, to buffer: inout RequestBuffer) {
        buffer.append("POST ")
        buffer.append(path)
        buffer.append(host)
        buffer.append("Content-Type: application/json\r\nContent-Length: ")
        buffer.append(bodyCount)
        buffer.append("\r\n\r\n")
    }

    func writeGet(_ path: StaticString, access: [UInt8], to buffer: inout RequestBuffer) {
        buffer.append("GET ")
        buffer.append(path)
        buffer.append(host)
        buffer.append("Authorization: Bearer ")
        buffer.append(access)
        buffer.append("\r\n\r\n")
    }

    func keep(_ body: UnsafeRawBufferPointer, for session: Int) -> Bool {
        guard let access = JSONText.value(of: "access_token", in: body),
            let refresh = JSONText.value(of: "refresh_token", in: body), refresh != sessions[session].refresh
        else { return refused(200, body) }
        sessions[session] = LoadSession(access: access, refresh: refresh)
        return true
    }

    func refused(_ status: Int, _ body: UnsafeRawBufferPointer) -> Bool {
        if firstRefusal == nil { firstRefusal = "\(status) \(String(decoding: body.prefix(300), as: UTF8.self))" }
        return false
    }
}

/// Real rotation: each session sends the refresh token that its last answer brought, with an intent of its own.
final class RefreshLoad: Workload {
    private let kept: LoadSessions
    private var random = CheapRandom()
    private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    init(_ kept: LoadSessions) { self.kept = kept }

    var sessionCount: Int { kept.sessions.count }

    func writeRequest(of session: Int, to buffer: inout RequestBuffer) {
        let token = kept.sessions[session].refresh
        kept.writePost("/v1/refresh", bodyCount: 18 + token.count + 12 + 22 + 2, to: &buffer)
        buffer.append(#"{"refresh_token":""#)
        buffer.append(token)
        buffer.append(#"","intent":""#)
        buffer.append(intent())
        buffer.append(#""}"#)
    }

    func receive(status: Int, body: UnsafeRawBufferPointer, for session: Int) -> Bool {
        status == 200 ? kept.keep(body, for: session) : kept.refused(status, body)
    }

    /// 128 random bits in base64url: 21 characters of six bits and one of two.
    private func intent() -> [UInt8] {
        (0..<22).map { alphabet[$0 < 21 ? Int(random.next() & 63) : Int(random.next() & 3) << 4] }
    }
}

/// SplitMix64: random enough for intents that protect nothing, and cheap.
struct CheapRandom {
    private var state = UInt64.random(in: 0...UInt64.max)

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A request that the server answers once it has verified the access token.
final class VerifiedGetLoad: Workload {
    private let kept: LoadSessions

    init(_ kept: LoadSessions) { self.kept = kept }

    var sessionCount: Int { kept.sessions.count }

    func writeRequest(of session: Int, to buffer: inout RequestBuffer) {
        kept.writeGet("/v1/me", access: kept.sessions[session].access, to: &buffer)
    }

    func receive(status: Int, body: UnsafeRawBufferPointer, for session: Int) -> Bool {
        status == 200 || kept.refused(status, body)
    }
}
