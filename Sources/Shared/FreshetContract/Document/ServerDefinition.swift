// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The settings with which Freshet's own server serves a contract.
package struct ServerDefinition: Sendable, Equatable {
    package enum Rotation: String, Sendable, CaseIterable {
        case plain
        case `static`
    }

    /// Lifetimes in seconds.
    package struct Lifetimes: Sendable, Equatable {
        package var access: Double?
        package var idle: Double?
        package var absolute: Double?
    }

    /// A response whose body and headers are templates.
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

    /// A resource that requires an access token.
    package struct Resource: Sendable, Equatable {
        package var method: String
        package var path: String
        package var reply: Answer
        /// The places of the profile's names in the request body; `nil` for a request without a body.
        package var profile: JSONTemplate?

        /// The endpoint definition by which the body is parsed; `nil` for a request without a body.
        package var form: Endpoint? { profile.map { Endpoint(method: method, path: .empty, body: .json($0)) } }
    }

    package enum Refusal: String, Sendable, CaseIterable {
        case accessExpired
        case sessionEnded
        case superseded
        /// The credentials are wrong.
        case refused
        case invalidRequest
        case forbidden
        case notFound
        case throttled
        /// The server is unavailable; the response has the status of the failure.
        case unavailable
    }

    package var rotation: Rotation
    package var lifetimes = Lifetimes()
    /// Alternative forms in which a client may send an endpoint's request, to the same path.
    package var alternatives: [EndpointName: [Endpoint]] = [:]
    package var replies: [EndpointName: Answer] = [:]
    package var resources: [Resource] = []
    package var refusals: [Refusal: Answer] = [:]

    /// The names that templates of responses may use.
    package static let names: Set<String> = [
        "access_token", "refresh_token", "expires_in", "expires_at", "refresh_expires_in", "session_id", "user_id",
        "user_number", "email", "now", "message", "attempt", "sessions", "username", "name", "is_new_user",
        "has_profile",
    ]
}
