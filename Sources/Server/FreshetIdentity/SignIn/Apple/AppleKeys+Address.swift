// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation
import FreshetJWT

extension AppleKeys {
    /// The maximum length of a key set in bytes.
    static let maximumBytes = JWKSet.maximumLength
    /// The timeout of a fetch.
    static let fetchTimeout = Duration.seconds(10)

    struct Unreachable: Error, CustomStringConvertible {
        var description: String
    }

    /// Whether keys may be fetched from a URL: HTTPS, or HTTP on this machine.
    package static func isSafe(_ url: URL) -> Bool { IssuerRequest.isSafe(url) }

    /// Fetches a key set; does not follow redirects.
    package static func fetch(_ url: URL) async throws -> Data {
        let request = IssuerRequest(url: url, timeout: fetchTimeout, maximumLength: maximumBytes)
        let response: IssuerResponse
        do { response = try await AsyncHTTPClientFetch.send(request) } catch {
            throw Unreachable(description: "\(error)")
        }
        guard response.status == 200 else { throw Unreachable(description: "status \(response.status)") }
        return Data(response.body)
    }
}
