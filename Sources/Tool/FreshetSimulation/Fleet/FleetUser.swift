// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Somebody with a device.
package struct FleetUser: Equatable, Sendable {
    var usage: UsagePattern
    /// Hours ahead of Greenwich.
    var zone: Int8
}
