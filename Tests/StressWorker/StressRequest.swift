// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

/// A request as a backend reads it, whatever carried it.
struct StressRequest: Sendable {
    var method: String
    var path: String
    /// Names in lower case.
    var headers: [String: String]
    var body: Data

    var bearer: String? {
        guard let value = headers["authorization"], value.hasPrefix("Bearer ") else { return nil }
        return String(value.dropFirst("Bearer ".count))
    }

    var fields: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    func text(_ name: String) -> String? { fields[name] as? String }

    /// The operation of the test that sends it; all requests with one label belong to one session.
    static let label = "x-operation"
    /// The user whose item it is.
    static let owner = "x-owner"
    /// The item of an outbox.
    static let item = "x-item"
    /// The store from whose session a request comes.
    static let place = "x-place"
}

/// An answer; `nil` in its place is a connection that was lost.
struct StressReply: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body: String = ""
}
