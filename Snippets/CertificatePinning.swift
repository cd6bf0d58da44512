// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if canImport(Security)
    import Security

    // snippet.show
    /// Accepts the backend's certificate only if the app knows its public key.
    final class PinningDelegate: NSObject, URLSessionDelegate {
        private let publicKeys: Set<Data>

        /// Takes keys as SecKeyCopyExternalRepresentation returns them: the one in use, and at least one in reserve.
        init(publicKeys: Set<Data>) { self.publicKeys = publicKeys }

        func urlSession(
            _ session: URLSession,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Only a challenge of the server's certificate has one.
            guard let trust = challenge.protectionSpace.serverTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            guard SecTrustEvaluateWithError(trust, nil), let key = SecTrustCopyKey(trust),
                let bytes = SecKeyCopyExternalRepresentation(key, nil), publicKeys.contains(bytes as Data)
            else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    }

    func pinnedSession(_ server: URL, _ publicKeys: Set<Data>) throws -> AuthSession {
        let delegate = PinningDelegate(publicKeys: publicKeys)
        let configuration = URLSessionConfiguration.ephemeral
        return try AuthSession(
            baseURL: server,
            store: .keychain(service: "com.example.app.session"),
            transport: URLSessionTransport(configuration: configuration, delegate: delegate)
        )
    }
    // snippet.hide
    guard let server = URL(string: CommandLine.arguments.dropFirst().first ?? "https://api.example.com") else {
        exit(64)
    }
    print(try pinnedSession(server, [Data("a key in its external representation".utf8)]).state)
#else
    print("On this system Foundation asks no delegate about certificates.")
#endif
