// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    package import FreshetKit
    internal import NIOCore
    internal import NIOPosix
    internal import NIOSSL

    extension NIOConnectionError: ConnectionFailureConvertible {
        /// The reason that no connection was established.
        package var connectionFailure: SessionError.ConnectionFailure {
            if connectionErrors.isEmpty, dnsAError != nil || dnsAAAAError != nil { return .hostNotFound }
            let isTimeout = connectionErrors.contains { $0.error is ChannelError }
            return isTimeout ? .timedOut : .cannotConnect
        }
    }

    extension HTTPClientError: ConnectionFailureConvertible {
        /// The reason that the client got no response.
        package var connectionFailure: SessionError.ConnectionFailure {
            switch self {
            case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout:
                .timedOut
            case .tlsHandshakeTimeout: .tls
            case .remoteConnectionClosed, .uncleanShutdown: .connectionLost
            default: .other("HTTPClientError")
            }
        }
    }

    extension NIOSSLError: ConnectionFailureConvertible {
        /// The reason that TLS was not established or did not end properly.
        package var connectionFailure: SessionError.ConnectionFailure {
            if case .uncleanShutdown = self { .connectionLost } else { .tls }
        }
    }

    extension NIOSSLExtraError: ConnectionFailureConvertible {
        /// A certificate that does not belong to the host, or cannot be verified.
        package var connectionFailure: SessionError.ConnectionFailure { .tls }
    }

    extension IOError: ConnectionFailureConvertible {
        /// The reason that a connection to an address failed, or ended.
        package var connectionFailure: SessionError.ConnectionFailure {
            switch errnoCode {
            case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL: .cannotConnect
            case ETIMEDOUT: .timedOut
            default: .connectionLost
            }
        }
    }
#endif
