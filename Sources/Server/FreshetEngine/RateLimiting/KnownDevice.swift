// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A device on which an account signed in before.
package enum KnownDevice: Hashable, Sendable {
    /// It holds a refresh token of this session.
    case session(SessionID)
    /// A browser that holds the cookie which `/account` set at a sign-in, by the name in it.
    case browser(String)
}
