// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit
import FreshetNIO
import FreshetVerification

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches a key set: no redirect is followed, and neither time nor size is without a bound.
enum KeySetFetch {
    /// What is no answer with keys.
    struct Refused: Error {
        var status: Int
    }

    static let timeout = Duration.seconds(10)

    static let fetch: JWKSource.Fetch = { url in
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (bytes, response) = try await NIOTransport(timeout: timeout).send(request, body: .inRequest)
        let body = try await bytes.data(upTo: JWKSet.maximumLength)
        guard response.statusCode == 200 else { throw Refused(status: response.statusCode) }
        let field = response.value(forHTTPHeaderField: "Cache-Control")
        return JWKSetResponse(body: Array(body), maximumAge: JWKSetResponse.maximumAge(cacheControl: field))
    }
}
