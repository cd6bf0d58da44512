// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// An error of a transport that can state the reason for a missing response.
package protocol ConnectionFailureConvertible: Error {
    /// The reason.
    var connectionFailure: SessionError.ConnectionFailure { get }
}
