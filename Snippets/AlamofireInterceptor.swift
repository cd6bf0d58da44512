// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
#if canImport(Alamofire)
    // snippet.show
    import Alamofire
    import Foundation
    import FreshetKit

    // snippet.hide
    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    // snippet.show
    /// Attaches the session's token, and sends a request that was refused once more with the next token.
    final class SessionInterceptor: RequestInterceptor {
        private let session: AuthSession
        private let tokens = SentTokens()

        init(_ session: AuthSession) { self.session = session }

        func adapt(
            _ urlRequest: URLRequest,
            using state: RequestAdapterState,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            Task {
                do {
                    let next = await tokens.takeNext(for: state.requestID)
                    let token = if let next { next } else { try await session.accessToken() }
                    await tokens.add(token)
                    completion(.success(try session.attach(token, to: urlRequest)))
                } catch {
                    completion(.failure(error))
                }
            }
        }

        func retry(
            _ request: Request,
            for _: Session,
            dueTo _: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            guard request.response?.statusCode == 401, request.retryCount == 0, let sent = request.request else {
                return completion(.doNotRetry)
            }
            Task {
                do {
                    // Throws if another user has signed in meanwhile: the request is not sent in that user's name.
                    guard let token = await tokens.token(of: sent),
                        let next = try await session.accessToken(replacing: token)
                    else { return completion(.doNotRetry) }
                    await tokens.set(next, for: request.id)
                    completion(.retry)
                } catch {
                    completion(.doNotRetryWithError(error))
                }
            }
        }
    }

    /// The latest tokens that requests were sent with, and those of requests that are about to be sent again.
    private actor SentTokens {
        private var tokens: [AccessToken] = []
        private var next: [UUID: AccessToken] = [:]

        func set(_ token: AccessToken, for request: UUID) { next[request] = token }

        func takeNext(for request: UUID) -> AccessToken? { next.removeValue(forKey: request) }

        func add(_ token: AccessToken) {
            guard !tokens.contains(token) else { return }
            tokens = tokens.suffix(7) + [token]
        }

        func token(of request: URLRequest) -> AccessToken? {
            let values = (request.allHTTPHeaderFields ?? [:]).values
            return tokens.last { token in values.contains { $0.hasSuffix(token.value) } }
        }
    }
// snippet.hide
#else
    print("Alamofire is not a dependency of this package.")
#endif
