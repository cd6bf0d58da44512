// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetAppBackends
import FreshetTesting

/// The control API of a served fake backend.
///
///     GET    /__backend/counts
///     GET    /__backend/faults        the faults that are not used up
///     POST   /__backend/faults        {"fault": "reply_lost"} or a list; "at", "times", and the fault's parameters
///     DELETE /__backend/faults        removes all faults
///     POST   /__backend/release       releases held responses
///     POST   /__backend/sockets       {"send": text}, {"ping": true}, {"close": code, "reason": text}, {"drop": true} or
///                                     {"malformed": true}, to every open socket
///     POST   /__backend/clock         {"skew": seconds} sets, {"step": seconds} moves
///     POST   /__backend/revoke        {"tokens": "access"}, "refresh" or "all"
///     GET    /__backend/settings
///     POST   /__backend/settings      the settings to change
struct ControlPaths: Sendable {
    static let root = "/__backend/"

    private let backend: AppBackend

    init(_ backend: AppBackend) { self.backend = backend }

    func answer(to request: BackendRequest) -> BackendResponse {
        do {
            switch (request.path.dropFirst(Self.root.count), request.method) {
            case ("counts", "GET"): return try .json(CountsReport(backend))
            case ("faults", "GET"): return try .json(backend.script)
            case ("faults", "POST"):
                backend.add(try JSONDecoder().decode(FaultScript.self, from: request.body))
                return try .json(backend.script)
            case ("faults", "DELETE"):
                backend.clearFaults()
                return try .json(backend.script)
            case ("release", "POST"):
                backend.release()
                return try .json(CountsReport(backend))
            case ("sockets", "POST"):
                try JSONDecoder().decode(SocketChange.self, from: request.body).apply(to: backend)
                return try .json(CountsReport(backend))
            case ("clock", "POST"):
                let change = try JSONDecoder().decode(ClockChange.self, from: request.body)
                try change.apply(to: backend)
                return try .json(backend.settings)
            case ("revoke", "POST"):
                try JSONDecoder().decode(Revocation.self, from: request.body).apply(to: backend)
                return try .json(CountsReport(backend))
            case ("settings", "GET"): return try .json(backend.settings)
            case ("settings", "POST"):
                try backend.settings.merge(request.body)
                return try .json(backend.settings)
            case ("counts", _), ("faults", _), ("release", _), ("sockets", _), ("clock", _), ("revoke", _),
                ("settings", _):
                return try .json(["error": "this path has other methods"], status: 405)
            default:
                return try .json(
                    ["error": "there are counts, faults, release, sockets, clock, revoke, settings"],
                    status: 404
                )
            }
        } catch {
            return (try? .json(["error": error.summary], status: 400)) ?? BackendResponse(400)
        }
    }
}

extension BackendResponse {
    static func json(_ value: some Encodable, status: Int = 200) throws -> BackendResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return BackendResponse(
            status,
            headers: ["Content-Type": "application/json"],
            body: try encoder.encode(value) + Data("\n".utf8)
        )
    }
}
