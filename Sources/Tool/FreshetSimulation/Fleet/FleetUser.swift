// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The user of a device.
package struct FleetUser: Equatable, Sendable {
    var usage: UsagePattern
    /// The offset from UTC in hours.
    var zone: Int8
}
