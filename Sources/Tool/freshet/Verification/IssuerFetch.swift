// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetJWT
import FreshetKit
import FreshetNIO

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches an issuer's keys with the tool's transport, which trusts the authorities of `--cacert`.
enum IssuerFetch {
    static func send(_ request: IssuerRequest) async throws -> IssuerResponse {
        guard IssuerRequest.isSafe(request.url) else { throw IssuerFetchError.unsafeAddress }
        var message = URLRequest(url: request.url)
        message.setValue("application/json", forHTTPHeaderField: "Accept")
        if let authorization = request.authorization {
            message.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        let (data, response) = try await NIOTransport().exchange(message, deadline: request.timeout)
        guard data.count <= request.maximumLength else { throw URLError(.dataLengthExceedsMaximum) }
        return IssuerResponse(
            status: response.statusCode,
            cacheControl: response.value(forHTTPHeaderField: "Cache-Control"),
            body: Array(data)
        )
    }
}
