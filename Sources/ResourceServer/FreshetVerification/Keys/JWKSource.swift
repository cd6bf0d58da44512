// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import struct Foundation.URL

/// An issuer's keys at their address: fetched when they are needed, kept for a while, and fetched again for an unknown id.
///
/// Guards the keys and the one fetch under way. An issuer that does not answer costs nobody their keys, and tokens with
/// made-up ids cost the issuer one request a minute.
package actor JWKSource {
    /// How long keys are kept, and how often they are asked for; in seconds.
    package struct Limits: Equatable, Sendable {
        /// Within these, an answer's own `max-age` counts.
        package var age: ClosedRange<Double> = 60...86_400
        /// For an answer that says nothing.
        package var defaultAge: Double = 300
        /// Between two fetches, once there are keys.
        package var interval: Double = 60
        /// Between two fetches as long as there are none.
        package var initialInterval: Double = 5
        /// Keys that could not be fetched again for so long are trusted no more: one of them may have been withdrawn.
        package var maximumStaleness: Double = 86_400

        package init() {}
    }

    /// Fetches what stands at an address, with a time limit of its own and without following to another one.
    package typealias Fetch = @Sendable (URL) async throws -> JWKSetResponse

    /// Why an address is refused.
    package struct UnsafeAddress: Error, Equatable {}

    private let url: URL
    private let limits: Limits
    private let now: @Sendable () -> Double
    private let fetch: Fetch
    private var keys: JWKSet?
    private var fetchedAt: Double = 0
    private var freshUntil: Double = 0
    /// When a fetch after the first success began last.
    private var lastRefetchAt: Double?
    private var failedAt: Double?
    private var fetchInFlight: Task<Void, Never>?

    /// A source at `url`.
    ///
    /// - Parameters:
    ///   - url: HTTPS, or HTTP on this machine: the keys are only as good as the way they came.
    ///   - limits: How long keys are kept, and how often they are asked for.
    ///   - now: Seconds since some moment.
    ///   - fetch: How the address is asked.
    /// - Throws: ``UnsafeAddress``, for any other address.
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

    /// A source at `url` that is fetched by `issuerFetch`.
    package init(
        at url: URL,
        limits: Limits = Limits(),
        now: @escaping @Sendable () -> Double,
        issuerFetch: @escaping IssuerFetch
    ) throws(UnsafeAddress) {
        try self.init(url, limits: limits, now: now) { url in
            let response = try await issuerFetch(IssuerRequest(url: url))
            guard response.status == 200 else { throw IssuerFetchError.status(response.status) }
            let age = JWKSetResponse.maximumAge(cacheControl: response.cacheControl)
            return JWKSetResponse(body: response.body, maximumAge: age)
        }
    }

    /// The key of an id.
    package func key(_ id: String) async throws(TokenVerificationError) -> VerificationKey {
        if let keys, now() < freshUntil, let key = keys[id] { return key }
        if mayFetch { await fetchIfAllowed() }
        guard let keys, now() - fetchedAt <= limits.maximumStaleness else { throw .keysUnavailable }
        guard let key = keys[id] else { throw .unknownKey }
        return key
    }

    private var mayFetch: Bool {
        if fetchInFlight != nil { return true }
        let (last, interval) = keys == nil ? (failedAt, limits.initialInterval) : (lastRefetchAt, limits.interval)
        guard let last else { return true }
        // A clock that went back says nothing about the time that passed.
        return !(0..<interval).contains(now() - last)
    }

    /// Fetches, or waits for the fetch that is under way.
    private func fetchIfAllowed() async {
        if let fetchInFlight { return await fetchInFlight.value }
        if keys != nil { lastRefetchAt = now() }
        // Its own task: a caller that goes away takes nobody's keys along.
        let task = Task { await load() }
        fetchInFlight = task
        await task.value
    }

    /// Ends with the keys in place, so that whoever waited finds them.
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
