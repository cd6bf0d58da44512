// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CCurl
package import Foundation
import FreshetEngine

extension AppleKeys {
    /// Longer key sets are not read on.
    static let maximumBytes = 256 * 1024
    /// How long a fetch may take.
    static let fetchTimeout = Duration.seconds(10)

    struct Unreachable: Error, CustomStringConvertible {
        var description: String
    }

    /// Whether keys may come from there: nobody on the way may change them.
    package static func isSafe(_ url: URL) -> Bool {
        guard let host = url.host(percentEncoded: false), url.user() == nil else { return false }
        switch url.scheme {
        case "https": return true
        case "http": return host == "localhost" || (SourceAddress(host)?.isLoopback ?? false)
        default: return false
        }
    }

    /// Fetches what lies at an address, on a thread of its own; no redirect is followed.
    package static func fetch(_ url: URL) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: maximumBytes)
                var length = 0
                let milliseconds = Int(fetchTimeout.milliseconds)
                let isPlain: Int32 = url.scheme == "http" ? 1 : 0
                let result = buffer.withUnsafeMutableBytes { bytes in
                    freshet_fetch(url.absoluteString, isPlain, milliseconds, bytes.baseAddress, bytes.count, &length)
                }
                guard result.code == CURLE_OK, result.reply == 200 else {
                    let words = String(cString: curl_easy_strerror(result.code))
                    return continuation.resume(throwing: Unreachable(description: "\(words), status \(result.reply)"))
                }
                continuation.resume(returning: Data(buffer.prefix(length)))
            }
        }
    }
}
