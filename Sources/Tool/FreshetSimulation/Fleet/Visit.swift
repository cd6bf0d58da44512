// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A period in which an app is in the foreground, in milliseconds since the start.
package struct Visit: Equatable, Sendable {
    package var start: Int
    package var end: Int
}
