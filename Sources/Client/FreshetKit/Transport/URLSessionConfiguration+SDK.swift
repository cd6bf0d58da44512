// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// A copy without cookies, caches, stored credentials and default tokens, which the SDK never uses.
    ///
    /// Nothing of a response is written to disk, and no token goes to another origin.
    var withoutStoredState: URLSessionConfiguration {
        let copy = duplicate
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.httpCookieStorage = nil
        copy.urlCache = nil
        // A policy that reads from the cache only would fail every request.
        copy.requestCachePolicy = .useProtocolCachePolicy
        copy.urlCredentialStorage = nil
        // A default token would also be sent where the session sends none, as after a redirect to another origin.
        copy.httpAdditionalHeaders = httpAdditionalHeaders?.filter { name, _ in
            guard let name = name as? String else { return true }
            return !["authorization", "cookie"].contains(name.lowercased())
        }
        return copy
    }

    /// A copy for one refresh, which ends at `deadline` and fails at once without a network.
    ///
    /// The session schedules the next attempt itself.
    func forExchange(deadline: Duration) -> URLSessionConfiguration {
        let copy = duplicate
        copy.timeoutIntervalForRequest = deadline.inSeconds
        copy.timeoutIntervalForResource = deadline.inSeconds
        #if canImport(Darwin)
            copy.waitsForConnectivity = false
        #endif
        return copy
    }

    /// A copy for a WebSocket, which stays open for as long as the app needs it and fails at once without a network.
    ///
    /// The socket connects again by itself.
    var forWebSocket: URLSessionConfiguration {
        let copy = duplicate
        // Seven days: the default of URLSession.
        copy.timeoutIntervalForResource = 604_800
        #if canImport(Darwin)
            copy.waitsForConnectivity = false
        #endif
        return copy
    }

    private var duplicate: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? self }
}
