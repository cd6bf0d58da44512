// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
package import FreshetTesting

/// A write that the outbox app's backend accepted, with its user.
package struct BackendMessage: Sendable, Equatable {
    /// The user whose access token the request carried.
    package var userID: String
    /// The body of the request.
    package var body: Data
    /// The header fields of the request.
    package var headers: BackendHeaders
}
