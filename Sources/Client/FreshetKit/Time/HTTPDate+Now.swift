// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

extension HTTPDate {
    /// Parses a date in a header field; years of two digits are relative to the device's clock.
    static func secondsSince1970(_ text: String) -> Double? {
        secondsSince1970(text, now: Date().timeIntervalSince1970)
    }
}
