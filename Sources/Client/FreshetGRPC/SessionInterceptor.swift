// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if GRPC
    public import Foundation
    public import FreshetKit
    public import GRPCCore

    /// Adds a session's access token to calls of a gRPC client, and refreshes it after `UNAUTHENTICATED`.
    ///
    /// gRPC itself replays a refused call, with the policy ``GRPCCore/RetryPolicy/afterRefresh``. An interceptor cannot
    /// do so, because its stream is consumed. The interceptor ensures that there is one refresh and one immediate
    /// replay, and only of calls that may be replayed; without the policy the refresh serves the next call.
    ///
    /// A call and all its retries belong to the session in which it began. gRPC does not tell an interceptor which
    /// attempts belong to one call, so an interceptor serves one session: the first whose token it sends. When that
    /// session is replaced by another sign-in, its calls fail with `UNAUTHENTICATED`, caused by
    /// ``FreshetKit/SessionError/signedOut(_:)`` with `replaced`: create a new client after each sign-in, or make calls
    /// with ``FreshetKit/AuthSession/bindingCalls(_:)``, with which one client can serve several sessions in
    /// succession.
    ///
    /// A refusal after the server has accepted the call (after its initial metadata) is ignored: the response has
    /// already started.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    public struct SessionInterceptor: ClientInterceptor {
        private let session: AuthSession
        private let isUnencrypted: Bool
        private let allowsReplay: @Sendable (MethodDescriptor) -> Bool
        /// The session of calls outside ``FreshetKit/AuthSession/bindingCalls(_:)``.
        private let binding = CallBinding()

        /// Creates an interceptor for the client of one server.
        ///
        /// - Parameters:
        ///   - session: The session whose token is sent.
        ///   - origin: The origin of the client's transport, such as `https://grpc.example.com`, which gRPC does not
        ///     reveal to interceptors. Use `http` for a transport without TLS.
        ///   - allowsReplay: Whether a call may be replayed after a refusal; by default, calls whose request is a
        ///     single message. Methods of older generated code, which have no type, are never replayed.
        /// - Throws: ``FreshetKit/SessionError/misconfigured(_:)`` if the session's token must not go to that origin.
        public init(
            session: AuthSession,
            origin: URL,
            allowsReplay: @escaping @Sendable (MethodDescriptor) -> Bool = { $0.type?.isRequestStreaming == false }
        ) throws(SessionError) {
            guard session.mayCarryToken(to: origin) else {
                throw .misconfigured(
                    "the token must not be sent to the gRPC server's origin; add its host to the session"
                )
            }
            self.session = session
            isUnencrypted = origin.scheme?.lowercased() != "https"
            self.allowsReplay = allowsReplay
        }

        /// Adds the token to the call, and refreshes it after a refusal.
        public func intercept<Input: Sendable, Output: Sendable>(
            request: StreamingClientRequest<Input>,
            context: ClientContext,
            next:
                @concurrent (StreamingClientRequest<Input>, ClientContext) async throws -> StreamingClientResponse<
                    Output
                >
        ) async throws -> StreamingClientResponse<Output> {
            if isUnencrypted, !session.allowsUnencryptedConnections, !Self.isLoopback(context.remotePeer) {
                throw RPCError(
                    code: .permissionDenied,
                    message: "the token is sent over TLS only, except on this machine"
                )
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
                // A failed call is not evidence that its token was accepted.
                if case .success = response.accepted { binding.accepted(token) }
                return response
            }
            let mayReplay = try await prepareReplay(after: refusal, of: context.descriptor, sentWith: token, binding)
            // gRPC lets the server decide whether and when to retry. Here, the session decides.
            refusal.metadata.replaceOrAddString(mayReplay ? "0" : "-1", forKey: "grpc-retry-pushback-ms")
            return StreamingClientResponse(error: refusal)
        }

        /// Refreshes the token for a replay of this call.
        ///
        /// - Returns: Whether there is a newer token, and this call may be replayed with it.
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

        /// Converts a session's error to a gRPC error that a caller can act on.
        private static func rpcError(_ error: SessionError) -> RPCError {
            let code: RPCError.Code =
                switch error {
                case .signedOut, .recordUnusable, .stepUpRequired: .unauthenticated
                case .offline, .storeUnavailable: .unavailable
                case .cancelled: .cancelled
                default: .failedPrecondition
                }
            // A retry after `unauthenticated` would get the same error.
            return RPCError(
                code: code,
                message: error.description,
                metadata: code == .unauthenticated ? ["grpc-retry-pushback-ms": "-1"] : [:],
                cause: error
            )
        }
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    extension RetryPolicy {
        /// Retries a call once after ``SessionInterceptor`` has refreshed the token, and in no other case.
        ///
        /// Use it as `CallOptions.executionPolicy`, or in the client's service configuration (`MethodConfig`). An app's
        /// own policy can be used as well, if `unauthenticated` is among its codes.
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
