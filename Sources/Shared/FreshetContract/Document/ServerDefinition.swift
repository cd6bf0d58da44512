// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// What Freshet's own server needs to know to be the backend of a contract.
package struct ServerDefinition: Sendable, Equatable {
    package enum Rotation: String, Sendable, CaseIterable {
        case plain
        case `static`
    }

    /// In seconds.
    package struct Lifetimes: Sendable, Equatable {
        package var access: Double?
        package var idle: Double?
        package var absolute: Double?
    }

    /// An answer with places for values.
    package struct Answer: Sendable, Equatable {
        package var status = 200
        package var json: JSONTemplate?
        package var headers: [NamedTemplate] = []

        package init(status: Int = 200, json: JSONTemplate? = nil, headers: [NamedTemplate] = []) {
            self.status = status
            self.json = json
            self.headers = headers
        }
    }

    /// A request that needs an access token.
    package struct Resource: Sendable, Equatable {
        package var method: String
        package var path: String
        package var reply: Answer
        /// Where the body has the names of the user's profile; `nil` for a request that changes nothing.
        package var profile: JSONTemplate?

        /// What its body is read as; `nil` for a request without a body.
        package var form: Endpoint? { profile.map { Endpoint(method: method, path: .empty, body: .json($0)) } }
    }

    package enum Refusal: String, Sendable, CaseIterable {
        case accessExpired
        case sessionEnded
        case superseded
        /// Wrong credentials.
        case refused
        case invalidRequest
        case forbidden
        case notFound
        case throttled
        /// The server cannot answer now; the status is the failure's own.
        case unavailable
    }

    package var rotation: Rotation
    package var lifetimes = Lifetimes()
    /// Other forms in which a client may send an endpoint's request, to the same path.
    package var alternatives: [EndpointName: [Endpoint]] = [:]
    package var replies: [EndpointName: Answer] = [:]
    package var resources: [Resource] = []
    package var refusals: [Refusal: Answer] = [:]

    /// The names that answers may use.
    package static let names: Set<String> = [
        "access_token", "refresh_token", "expires_in", "expires_at", "refresh_expires_in", "session_id", "user_id",
        "user_number", "email", "now", "message", "attempt", "sessions", "username", "name", "is_new_user",
        "has_profile",
    ]
}
