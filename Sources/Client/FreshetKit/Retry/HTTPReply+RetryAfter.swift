// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

extension HTTPReply {
    /// The delay of `Retry-After`, given in seconds or as a date by the server's clock.
    package var retryDelay: Duration? {
        guard let text = header("retry-after")?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400 * 365)) : nil }
        // More digits than an integer can hold: a very long delay (RFC 9110 section 5.6).
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .seconds(86_400 * 365) }
        guard let at = HTTPDate.secondsSince1970(text), let now = serverTime else { return nil }
        return .seconds(min(max(0, at - now), 86_400 * 365))
    }
}
