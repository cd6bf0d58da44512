// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation

extension Timestamp {
    /// The machine's wall clock.
    package static let system: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
