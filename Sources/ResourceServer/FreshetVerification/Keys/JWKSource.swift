// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if Verification
    package import struct Foundation.URL

    /// An issuer's keys at a URL: cached, and fetched again when they expire or an id is unknown.
    ///
    /// The actor protects the keys and the fetch in progress. While the issuer is unreachable, the keys stay in use, and
    /// after a first failure no caller with a known key waits for it; tokens with unknown key ids cause at most one
    /// request per minute.
    package actor JWKSource {
        /// The lifetimes of cached keys and the intervals between fetches, in seconds.
        package struct Limits: Equatable, Sendable {
            /// The accepted range of a response's `max-age`.
            package var age: ClosedRange<Double> = 60...86_400
            /// The lifetime for a response without `max-age`.
            package var defaultAge: Double = 300
            /// The minimum interval between two fetches once there are keys.
            package var interval: Double = 60
            /// The minimum interval between two fetches while there are no keys.
            package var initialInterval: Double = 5
            /// The maximum age of keys that cannot be fetched again, because one of them may have been withdrawn.
            package var maximumStaleness: Double = 86_400

            package init() {}
        }

        /// Fetches a URL; must have its own timeout and must not follow redirects.
        package typealias Fetch = @Sendable (URL) async throws -> JWKSetResponse

        /// An error: the URL is neither HTTPS nor on this machine.
        package struct UnsafeAddress: Error, Equatable {}

        private let url: URL
        private let limits: Limits
        private let now: @Sendable () -> Double
        private let fetch: Fetch
        private var keys: JWKSet?
        private var fetchedAt: Double = 0
        private var freshUntil: Double = 0
        /// The start of the latest fetch after the first success.
        private var lastRefetchAt: Double?
        /// The time of the latest fetch, if it failed.
        private var failedAt: Double?
        private var fetchInFlight: Task<Void, Never>?

        /// Creates a source with the keys at `url`.
        ///
        /// - Parameters:
        ///   - url: The URL: HTTPS, or HTTP on this machine, because the keys are only as trustworthy as their
        ///     transport.
        ///   - limits: The lifetimes of cached keys and the intervals between fetches.
        ///   - now: Returns the time, in seconds since any fixed point.
        ///   - fetch: Fetches the URL.
        /// - Throws: ``UnsafeAddress`` for any other URL.
        package init(
            _ url: URL,
            limits: Limits = Limits(),
            now: @escaping @Sendable () -> Double,
            fetch: @escaping Fetch
        ) throws(UnsafeAddress) {
            guard IssuerRequest.isSafe(url) else { throw UnsafeAddress() }
            self.url = url
            self.limits = limits
            self.now = now
            self.fetch = fetch
        }

        /// Creates a source with the keys at `url`, fetched by `issuerFetch`.
        package init(
            at url: URL,
            limits: Limits = Limits(),
            now: @escaping @Sendable () -> Double,
            issuerFetch: @escaping IssuerFetch
        ) throws(UnsafeAddress) {
            try self.init(url, limits: limits, now: now) { url in
                let response = try await issuerFetch(IssuerRequest(url: url, maximumLength: JWKSet.maximumLength))
                guard response.status == 200 else { throw IssuerFetchError.status(response.status) }
                let age = JWKSetResponse.maximumAge(cacheControl: response.cacheControl)
                return JWKSetResponse(body: response.body, maximumAge: age)
            }
        }

        /// Returns the key of an id.
        package func key(_ id: String) async throws(TokenVerificationError) -> VerificationKey {
            if let keys, now() < freshUntil, let key = keys[id] { return key }
            if mayFetch {
                let fetch = startFetch()
                // An issuer that hangs would otherwise stop all callers for the time of a fetch, once a minute.
                let isUsable = failedAt != nil && areTrusted && keys?[id] != nil
                if !isUsable { await fetch.value }
            }
            guard let keys, areTrusted else { throw .keysUnavailable }
            guard let key = keys[id] else { throw .unknownKey }
            return key
        }

        /// Whether the keys are not too old to be used.
        private var areTrusted: Bool { now() - fetchedAt <= limits.maximumStaleness }

        private var mayFetch: Bool {
            if fetchInFlight != nil { return true }
            let (last, interval) = keys == nil ? (failedAt, limits.initialInterval) : (lastRefetchAt, limits.interval)
            guard let last else { return true }
            // After the clock was set back, the elapsed time is unknown.
            return !(0..<interval).contains(now() - last)
        }

        /// Starts to fetch the keys, unless a fetch is in progress.
        ///
        /// - Returns: The fetch.
        private func startFetch() -> Task<Void, Never> {
            if let fetchInFlight { return fetchInFlight }
            if keys != nil { lastRefetchAt = now() }
            // A separate task is used because a cancelled caller must not cancel the fetch for other callers.
            let task = Task { await load() }
            fetchInFlight = task
            return task
        }

        /// Fetches the keys and stores them before it returns, so that all waiting callers find them.
        private func load() async {
            defer { fetchInFlight = nil }
            guard let answer = try? await fetch(url), let new = try? JWKSet(answer.body) else {
                failedAt = now()
                return
            }
            keys = new
            failedAt = nil
            fetchedAt = now()
            let age = answer.maximumAge ?? limits.defaultAge
            freshUntil = fetchedAt + min(max(age, limits.age.lowerBound), limits.age.upperBound)
        }
    }
#endif
