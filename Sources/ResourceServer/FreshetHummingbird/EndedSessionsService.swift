// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Hummingbird
    #if FreshetJWT
        public import FreshetJWT
    #else
        public import FreshetVerification
    #endif
    public import Logging
    public import ServiceLifecycle

    /// A service that polls the server's feed of ended sessions while the application runs.
    public struct EndedSessionsService: Service {
        private let verifier: TokenVerifier
        private let logger: Logger

        /// Creates a service for `Application.addServices(_:)`.
        ///
        /// - Parameters:
        ///   - verifier: The verifier, created with the credentials of a client.
        ///   - logger: The logger of a warning when the feed begins to fail.
        public init(_ verifier: TokenVerifier, logger: Logger) {
            self.verifier = verifier
            self.logger = logger
        }

        /// Polls the feed until the application shuts down.
        public func run() async {
            await cancelWhenGracefulShutdown {
                await verifier.followEndedSessions { error in
                    logger.warning(
                        "Cannot fetch the ended sessions, whose tokens are accepted until they expire: \(error)"
                    )
                }
            }
        }
    }
#endif
