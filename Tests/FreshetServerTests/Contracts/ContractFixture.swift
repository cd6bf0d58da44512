// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetContract
import HTTPTypes
import Testing

@testable import FreshetContractServer
@testable import FreshetServer

/// Contracts of apps that exist in tests only.
enum ContractFixture {
    /// A usual app that rotates: JSON, snake case.
    static let wharf = """
        {
          "contract": 1, "name": "wharf", "rotation": "always",
          "endpoints": {
            "login.signup": { "path": "/signup", "json": { "email": "$email", "password": "$password" } },
            "login.password": { "path": "/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/refresh", "json": { "refresh_token": "$refresh_token" } },
            "logout": { "path": "/logout", "json": { "refresh_token": "$refresh_token" } },
            "logoutAll": { "path": "/logout-all", "attach": true },
            "me": { "method": "GET", "path": "/me", "attach": true }
          },
          "reply": { "access": "/access_token", "refresh": "/refresh_token" },
          "server": {
            "rotation": "plain",
            "lifetimes": { "access": 300, "idle": 3600, "absolute": 7200 },
            "resources": [ { "path": "/ships", "reply": { "json": { "ships": [] } } } ],
            "errors": {
              "accessExpired": { "status": 401, "json": { "fault": "expired", "text": "$message" } },
              "sessionEnded": { "status": 401, "json": { "fault": "over", "text": "$message" } },
              "superseded": { "status": 409, "json": { "fault": "superseded" } },
              "refused": { "status": 403, "json": { "fault": "refused", "text": "$message" } },
              "invalidRequest": { "status": 422, "json": { "fault": "invalid", "text": "$message" } },
              "throttled": { "status": 429, "json": { "fault": "slowly" } }
            }
          }
        }
        """

    /// An app that never rotates, and says nothing about answers.
    static let quay = """
        {
          "contract": 1, "name": "quay", "rotation": "never",
          "endpoints": {
            "login.password": { "path": "/quay/login", "json": { "email": "$email", "password": "$password" } },
            "refresh": { "path": "/quay/refresh", "json": { "token": "$refresh_token" } },
            "logoutAll": { "path": "/quay/logout-all", "attach": true }
          },
          "reply": { "access": "/access", "refresh": "/refresh", "expiry": [{ "in": "/left", "unit": "s" }] },
          "server": { "rotation": "static", "lifetimes": { "access": 300, "idle": 3600, "absolute": 7200 } }
        }
        """
}

extension ServedContract {
    init(text: String, prefix: String = "") throws {
        self.init(try ContractDocument(reading: Array(text.utf8)), prefix: prefix)
    }
}

extension ServerUnderTest {
    func configuration(_ contracts: ServedContract...) -> ServerConfiguration {
        var configuration = configuration
        configuration.contracts = contracts
        return configuration
    }
}

extension TestHTTPClient {
    /// A contract's response: the status, and the texts at JSON pointers into its body.
    struct Reply: Sendable {
        var answer: Answer
        var json: JSONValue?

        var status: Int { answer.status }

        subscript(pointer: String) -> String? { JSONPointer(pointer).flatMap { json?.value(at: $0) }?.text }
    }

    func parse(_ answer: Answer) -> Reply { Reply(answer: answer, json: try? JSONParser.parse(answer.body)) }

    /// Posts JSON, and reads JSON.
    func post(_ path: String, json: String, bearer: String? = nil) async throws -> Reply {
        parse(try await send(.post, path, json, bearer: bearer))
    }

    /// Gets with an access token.
    func get(_ path: String, bearer: String?) async throws -> Reply {
        parse(try await send(.get, path, bearer: bearer, headers: [:]))
    }
}

extension JSONValue {
    fileprivate func value(at pointer: JSONPointer) -> JSONValue? { pointer.value(in: self) }
}
