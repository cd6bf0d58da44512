// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetIdentity
import HTTPTypes

/// A request in progress, from ``RequestEnvelope/begin(_:_:_:ownID:peer:)`` until its response.
struct ActiveRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path without the query, which may contain secrets.
    let path: String
    /// The request's identifiers and its source address.
    let trace: RequestTrace
    let start = ContinuousClock.now
    /// Whether the request is counted by the admission limit until its end.
    var isAdmitted = false

    /// The request's ID in logs, traces and errors.
    var id: String { trace.id }
}
