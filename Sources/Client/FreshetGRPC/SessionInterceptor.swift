// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    public import Foundation
    public import FreshetKit
    public import GRPCCore

    /// Puts a session's access token on the calls of a gRPC client, and refreshes it where a server says `UNAUTHENTICATED`.
    ///
    /// A call that was refused is sent again by gRPC itself, which needs a policy for that:
    /// ``GRPCCore/RetryPolicy/afterRefresh``. An interceptor cannot do it, because its stream is used up. The interceptor
    /// sees to it that there is one refresh and one replay, at once, and only of calls that may be replayed; without the
    /// policy the refresh is for the next call.
    ///
    /// A call and all its retries belong to the session that it began in. gRPC does not tell an interceptor which attempts
    /// belong to one call, so an interceptor serves one session: the first whose token it sends. When that session is
    /// replaced by another sign-in, its calls end with `UNAUTHENTICATED`, caused by
    /// ``FreshetKit/SessionError/signedOut(_:)`` with `replaced`: make a new client after each sign-in, or make calls with
    /// ``FreshetKit/AuthSession/bindingCalls(_:)``, which lets one client serve one session after the other.
    ///
    /// A server that refuses after it has accepted the call (after its initial metadata) is not heeded: its answer is
    /// under way.
    public struct SessionInterceptor: ClientInterceptor {
        private let session: AuthSession
        private let isUnencrypted: Bool
        private let allowsReplay: @Sendable (MethodDescriptor) -> Bool
        /// The session of calls that are not bound by themselves.
        private let binding = CallBinding()

        /// Makes an interceptor for the client of one server.
        ///
        /// - Parameters:
        ///   - session: Whose token it is.
        ///   - origin: Where the client's transport leads, as `https://grpc.example.com`. gRPC does not tell, so it has to
        ///     be said; `http` is for a transport without TLS.
        ///   - allowsReplay: Which calls may be sent again after a refusal: those whose request is one message, unless
        ///     told otherwise. Methods without a type, of older generated code, are not among them.
        /// - Throws: ``FreshetKit/SessionError/contractFault(_:)`` if the session's token must not go to that origin.
        public init(
            session: AuthSession,
            origin: URL,
            allowsReplay: @escaping @Sendable (MethodDescriptor) -> Bool = { $0.type?.isRequestStreaming == false }
        ) throws(SessionError) {
            guard session.mayCarryToken(to: origin) else {
                throw .contractFault("the token must not go to the gRPC server's origin; add its host to the session")
            }
            self.session = session
            isUnencrypted = origin.scheme?.lowercased() != "https"
            self.allowsReplay = allowsReplay
        }

        /// Sends the call with the token.
        public func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingClientRequest<Input>,
            context: ClientContext,
            next:
                @concurrent (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<
                    Output
                >
        ) async throws -> StreamingClientResponse<Output> {
            if isUnencrypted, !session.allowsUnencryptedConnections, !Self.isLoopback(context.remotePeer) {
                throw RPCError(code: .permissionDenied, message: "the token goes over TLS only, except on this machine")
            }
            let token: AccessToken
            var request = request
            let binding = CallBinding.current(for: session) ?? binding
            do throws(SessionError) {
                token = try await session.accessToken()
                guard binding.admits(token) else { throw .signedOut(.replaced) }
                for (name, value) in try session.fields(with: token) {
                    request.metadata.replaceOrAddString(value, forKey: name.lowercased())
                }
            } catch {
                throw Self.rpcError(error)
            }
            let response = try await next(request, context)
            if case .success = response.accepted { session.recordResponse(status: 200) }
            guard case .failure(var refusal) = response.accepted, refusal.code == .unauthenticated else {
                // A failed call says nothing about its token.
                if case .success = response.accepted { binding.accepted(token) }
                return response
            }
            let mayReplay = try await prepareReplay(after: refusal, of: context.descriptor, sentWith: token, binding)
            // gRPC asks the server whether and when to send again. Here, the session knows better.
            refusal.metadata.replaceOrAddString(mayReplay ? "0" : "-1", forKey: "grpc-retry-pushback-ms")
            return StreamingClientResponse(error: refusal)
        }

        /// - Returns: Whether there is a better token, and this call may be sent with it.
        private func prepareReplay(
            after refusal: RPCError,
            of method: MethodDescriptor,
            sentWith token: AccessToken,
            _ binding: CallBinding
        ) async throws -> Bool {
            var attempts = refusal.metadata[stringValues: "grpc-previous-rpc-attempts"].makeIterator()
            guard binding.mayReplace(token, ofRetry: attempts.next() != nil) else { return false }
            guard allowsReplay(method) else {
                session.refreshInBackground(replacing: token)
                return false
            }
            do throws(SessionError) {
                guard let newer = try await session.accessToken(replacing: token) else { return false }
                binding.replaced(token, by: newer)
                return true
            } catch {
                throw Self.rpcError(error)
            }
        }

        private static func isLoopback(_ peer: String) -> Bool {
            ["ipv4:127.", "ipv6:[::1]", "unix:", "in-process"].contains { peer.hasPrefix($0) }
        }

        /// What a caller of gRPC can act on; the cause is the session's own error.
        private static func rpcError(_ error: SessionError) -> RPCError {
            let code: RPCError.Code =
                switch error {
                case .signedOut, .recordUnusable, .stepUpRequired: .unauthenticated
                case .offline, .storeUnavailable: .unavailable
                case .cancelled: .cancelled
                default: .failedPrecondition
                }
            // Whoever tries again after `unauthenticated` would only hear it once more.
            return RPCError(
                code: code,
                message: error.description,
                metadata: code == .unauthenticated ? ["grpc-retry-pushback-ms": "-1"] : [:],
                cause: error
            )
        }
    }

    extension RetryPolicy {
        /// Sends a call once more after ``SessionInterceptor`` has refreshed the token, and after nothing else.
        ///
        /// Use it as `CallOptions.executionPolicy`, or in the client's service configuration (`MethodConfig`). A policy of
        /// the app's own serves as well, if `unauthenticated` is among its codes.
        public static var afterRefresh: RetryPolicy {
            RetryPolicy(
                maxAttempts: 2,
                initialBackoff: .milliseconds(1),
                maxBackoff: .milliseconds(1),
                backoffMultiplier: 1,
                retryableStatusCodes: [.unauthenticated]
            )
        }
    }
#endif
