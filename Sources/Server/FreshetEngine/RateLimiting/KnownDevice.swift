// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetWire

/// A device on which the account's user has signed in before.
package enum KnownDevice: Hashable, Sendable {
    /// A client that holds a refresh token of this session.
    case session(SessionID)
    /// A browser with the cookie that `/account` set at a sign-in; the value is the name in the cookie.
    case browser(String)
}
