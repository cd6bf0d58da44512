// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    import Foundation
    import FreshetWire

    extension RevocationList {
        /// The maximum length of a page in bytes.
        static let maximumPageLength = 8 * 1024 * 1024

        /// Returns a transport that sends `GET /v1/ended` to a server.
        static func transport(
            server: URL,
            client: ClientCredentials,
            fetch: @escaping IssuerFetch
        ) -> Transport {
            { after, wait in
                var query = [URLQueryItem(name: "wait", value: String(wait))]
                if let after { query.append(URLQueryItem(name: "after", value: after)) }
                let request = IssuerRequest(
                    url: server.appending(path: NativePath.ended).appending(queryItems: query),
                    authorization: client.authorization,
                    timeout: .seconds(wait + 10),
                    maximumLength: maximumPageLength
                )
                let response = try await fetch(request)
                guard response.status == 200 else { throw IssuerFetchError.status(response.status) }
                return try JSONDecoder().decode(RevocationPage.self, from: Data(response.body))
            }
        }
    }
#endif
