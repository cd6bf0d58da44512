// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension SessionError {
    /// The reason that a request got no response, without host names or other details of the request.
    @nonexhaustive
    public enum ConnectionFailure: Sendable, Equatable {
        /// The device has no network, or may not use it for this app.
        case noNetwork
        /// The host name cannot be resolved.
        case hostNotFound
        /// The host refused the connection, or cannot be reached.
        case cannotConnect
        /// TLS failed: the certificate, the protocol version or the app's certificate pinning.
        ///
        /// A retry rarely helps: the server's certificate has expired, or a proxy intercepts the connection. On Linux,
        /// `URLSession` does not report it: the reason is then `other("URLError -1")`.
        case tls
        /// The connection closed before the response was complete.
        case connectionLost
        /// No response arrived within the timeout.
        case timedOut
        /// Another error of the transport, by the name of its type or its code.
        case other(String)
    }
}

extension SessionError.ConnectionFailure {
    /// Whether a retry fails as well until the device's network, its settings or the server's certificate change.
    ///
    /// Callers do not wait for that. An app that prefers to wait for a network sets `waitsForConnectivity` in its
    /// `URLSessionConfiguration`.
    var persists: Bool {
        switch self {
        case .noNetwork, .tls: true
        case .hostNotFound, .cannotConnect, .connectionLost, .timedOut, .other: false
        }
    }
}

extension SessionError.ConnectionFailure: CustomStringConvertible {
    /// The reason in a few words, for a log.
    public var description: String {
        switch self {
        case .noNetwork: "no network"
        case .hostNotFound: "host not found"
        case .cannotConnect: "cannot connect to the host"
        case .tls: "TLS failed"
        case .connectionLost: "connection lost"
        case .timedOut: "timed out"
        case .other(let name): name
        }
    }
}

extension SessionError.ConnectionFailure {
    /// The reason for an error of a transport.
    ///
    /// Only the error's code or type is used: its text may contain the URL.
    package init(_ error: any Error) {
        switch error {
        case let error as any ConnectionFailureConvertible: self = error.connectionFailure
        case let error as URLError: self.init(error.code)
        default: self = .other("\(type(of: error))")
        }
    }

    private init(_ code: URLError.Code) {
        switch code {
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: self = .noNetwork
        case .cannotFindHost, .dnsLookupFailed: self = .hostNotFound
        case .cannotConnectToHost: self = .cannotConnect
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .tls
        case .networkConnectionLost: self = .connectionLost
        case .timedOut: self = .timedOut
        case .dataLengthExceedsMaximum: self = .other("the response is too large")
        default: self = .other("URLError \(code.rawValue)")
        }
    }
}
