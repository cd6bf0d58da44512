// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

/// A contract about which there is nothing to say.
enum ValidContract {
    static let json: JSONValue = {
        do throws(JSONParser.Fault) { return try JSONParser.parse(text.utf8) } catch { return .string("\(error)") }
    }()

    private static let text = #"""
        {
          "contract": 1,
          "name": "sound",
          "variables": { "client_id": {} },
          "endpoints": {
            "login.password": { "path": "/login", "json": { "email": "$email", "password": "$password" } },
            "login.code": { "path": "/code", "json": { "email": "$email" } },
            "login.code.verify": { "path": "/verify", "json": { "attempt": "$attempt", "code": "$code" } },
            "refresh": { "path": "/refresh", "form": { "client_id": "$client_id", "token": "$refresh_token" } },
            "logout": { "path": "/logout", "json": { "token": "$refresh_token" } },
            "me": { "method": "GET", "path": "/me", "attach": true },
            "sessions.revoke": { "method": "DELETE", "path": "/sessions/${id}", "attach": true }
          },
          "reply": {
            "access": "/access", "refresh": "/refresh", "attempt": "/attempt",
            "expiry": [{ "in": "/expires_in" }, { "jwt": "exp" }, { "assume": 900 }]
          },
          "rotation": "optional",
          "classify": [
            { "on": "refresh", "status": 400, "if": { "at": "/error", "equals": "over" }, "outcome": "sessionEnded" },
            { "on": "api", "status": 401, "outcome": "accessExpired" }
          ],
          "errors": { "code": "/error" },
          "policy": { "ahead": 120, "minimumInterval": 30 },
          "socket": { "path": "/ws", "token": { "header": "Authorization" } },
          "storage": { "imports": [{ "access": "a", "refresh": "r" }] },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 900, "idle": 86400, "absolute": 864000 },
            "replies": {
              "login": { "json": { "access": "$access_token", "refresh": "$refresh_token" } },
              "login.code": { "json": { "attempt": "$attempt" } },
              "refresh": { "json": { "access": "$access_token", "refresh": "$refresh_token", "expires_in": "$expires_in" } }
            },
            "resources": [{ "path": "/posts", "reply": {} }, { "method": "POST", "path": "/posts", "reply": {} }],
            "errors": {
              "accessExpired": { "status": 401 }, "sessionEnded": { "status": 400, "json": { "error": "over" } },
              "superseded": { "status": 409 }, "refused": { "status": 401 }, "invalidRequest": { "status": 400 },
              "forbidden": { "status": 403 }, "notFound": { "status": 404 }, "throttled": { "status": 429 }
            }
          }
        }
        """#
}

/// Changes that make the sound contract contradict itself, and what is said about it.
struct LintCase: CustomTestStringConvertible, Sendable {
    let changes: [(place: String, value: String?)]
    let advice: [(path: String, severity: LintFinding.Severity, problem: String)]

    init(_ changes: [(String, String?)], error path: String, _ problem: String) {
        self.changes = changes.map { ($0, $1) }
        advice = [(path, .error, problem)]
    }

    init(_ changes: [(String, String?)], warning path: String, _ problem: String) {
        self.changes = changes.map { ($0, $1) }
        advice = [(path, .warning, problem)]
    }

    var testDescription: String { changes.map { "\($0.place) = \($0.value ?? "nothing")" }.joined(separator: ", ") }

    /// Checks that this and nothing else is said.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let told = try Self.advice(changes.map { ($0.place, $0.value) })
        #expect(told.map(\.path) == advice.map(\.path), "\(told)", sourceLocation: sourceLocation)
        #expect(told.map(\.severity) == advice.map(\.severity), "\(told)", sourceLocation: sourceLocation)
        #expect(told.map(\.problem) == advice.map(\.problem), sourceLocation: sourceLocation)
        #expect(told.allSatisfy { $0.remedy.hasSuffix(".") }, sourceLocation: sourceLocation)
    }

    /// What is said about the sound contract with some changes.
    static func advice(_ changes: [(String, String?)]) throws -> [LintFinding] {
        var json = ValidContract.json
        for (place, value) in changes {
            json = json.replacing(place, with: try value.map { try JSONParser.parse($0.utf8) })
        }
        return ContractLint.findings(in: try ContractDocument(json))
    }
}
