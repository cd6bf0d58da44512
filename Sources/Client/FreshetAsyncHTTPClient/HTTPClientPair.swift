// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import NIOCore

    /// The HTTP clients of a transport: one for requests of the app, one for token endpoints.
    final class HTTPClientPair: Sendable {
        let pooled: HTTPClient
        let exchanges: HTTPClient

        init(_ configuration: HTTPClient.Configuration, _ group: any EventLoopGroup, _ timeout: TimeAmount) {
            let pooled = configuration.forTokens(timeout: timeout)
            self.pooled = HTTPClient(eventLoopGroup: group, configuration: pooled)
            exchanges = HTTPClient(eventLoopGroup: group, configuration: pooled.forExchanges())
        }

        func shutdown() async throws {
            try await pooled.shutdown()
            try await exchanges.shutdown()
        }

        deinit {
            // An `HTTPClient` traps if it is released before it is shut down; both are released after this method.
            pooled.shutdown { _ in }
            exchanges.shutdown { _ in }
        }
    }

    extension HTTPClient.Configuration {
        /// Returns the configuration of the client for requests that may carry a token.
        fileprivate func forTokens(timeout: TimeAmount) -> HTTPClient.Configuration {
            var configuration = self
            configuration.redirectConfiguration = .disallow
            configuration.timeout.read = self.timeout.read ?? timeout
            configuration.timeout.write = self.timeout.write ?? timeout
            // An unreachable server is reported immediately; the session decides about retries.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.http1_1ConnectionDebugInitializer = { [http1_1ConnectionDebugInitializer] channel in
                ResponseStatusHandler.add(to: channel).flatMap {
                    http1_1ConnectionDebugInitializer?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
                }
            }
            return configuration
        }

        /// Returns the configuration with one connection per request: a pooled connection may be dead.
        fileprivate func forExchanges() -> HTTPClient.Configuration {
            var configuration = self
            configuration.timeout.connect = min(self.timeout.connect ?? .seconds(10), .seconds(10))
            configuration.httpVersion = .http1Only
            configuration.maximumUsesPerConnection = 1
            return configuration
        }
    }
#endif
