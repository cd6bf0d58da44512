// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The rate limits of sign-in attempts, and the buckets that count an attempt.
///
/// Attempts fall into three classes with separate buckets: those of a device that the account knows, those from a
/// network in which the account signed in before, and all others ("strangers"). Strangers cannot use up the buckets of
/// the other two. An attempt of the first two classes whose buckets are empty is counted as a stranger's.
///
/// A code has six digits and is invalid after five wrong attempts. In any 24 hours a bucket grants at most twice its
/// capacity: its initial tokens, and those that it regains. For each account that bounds
///
/// - strangers to 2 · 10 codes: all their guesses together hit with a chance of 20 · 5 / 1 000 000 = 1 in 10 000 a day;
/// - known networks together to 2 · 10 further codes (1 in 10 000 a day), and one of them to 2 · 5 (1 in 20 000);
/// - known devices together to 2 · 10 further codes (1 in 10 000 a day), and one of them to 2 · 5 (1 in 20 000).
///
/// So an address gets at most 60 mails with codes and 20 notices in 24 hours.
package struct SignInRateLimits: Equatable, Sendable {
    /// Attempts at one account from one network: passwords, sign-ups, and codes by address.
    package var attemptsFromNetwork = RateLimit(capacity: 10, interval: .seconds(30))
    /// Failed attempts of strangers at one account.
    package var failuresFromUnknownOrigins = RateLimit(capacity: 100, interval: .seconds(300))
    /// Failed attempts at one account from one network in which it signed in before.
    package var failuresFromKnownNetwork = RateLimit(capacity: 20, interval: .seconds(300))
    /// Failed attempts from one network, regardless of the account: 30 at once, and 30 in 5 minutes.
    ///
    /// Sources on this machine have no network limits, because they may be a proxy that is not configured.
    package var failuresFromNetwork = RateLimit(capacity: 30, interval: .seconds(10))
    /// Requests of strangers from one network.
    package var requestsFromNetwork = RateLimit(capacity: 300, interval: .seconds(2))
    /// Passwords tried on one device that the account knows.
    package var attemptsOnDevice = RateLimit(capacity: 10, interval: .seconds(60))

    /// Codes that strangers request from one network for one account.
    package var codesFromNetwork = RateLimit(capacity: 5, interval: .seconds(60))
    /// Codes that strangers request for one account: ten a day.
    package var codesFromUnknownOrigins = RateLimit(capacity: 10, interval: .seconds(8640))
    /// Codes requested from one network that the account knows: five a day.
    package var codesFromKnownNetwork = RateLimit(capacity: 5, interval: .seconds(17_280))
    /// Codes requested from all networks that the account knows: ten a day.
    package var codesFromKnownNetworks = RateLimit(capacity: 10, interval: .seconds(8640))
    /// Codes requested on one device that the account knows: five a day.
    package var codesOnDevice = RateLimit(capacity: 5, interval: .seconds(17_280))
    /// Codes requested on all devices that the account knows: ten a day.
    package var codesOnDevices = RateLimit(capacity: 10, interval: .seconds(8640))
    /// Attempts at one code.
    package var attemptsAtCode = RateLimit(capacity: 10, interval: .seconds(30))

    /// Notices mailed to one account.
    package var notices = RateLimit(capacity: 10, interval: .seconds(8640))

    /// Wrong secrets of one OAuth client from one network.
    package var secretsFromNetwork = RateLimit(capacity: 10, interval: .seconds(30))
    /// Wrong secrets of one OAuth client from all networks that are not known to it.
    package var secretsFromUnknownNetworks = RateLimit(capacity: 100, interval: .seconds(300))

    package init() {}

    /// The account that a client attempts to sign in to, and the client's network.
    package struct Origin: Equatable, Sendable {
        package var account: EmailAddress
        package var source: SourceAddress?
        /// Whether the account signed in from this network before.
        package var isKnownNetwork: Bool
        package var device: KnownDevice?

        package init(
            account: EmailAddress,
            source: SourceAddress?,
            isKnownNetwork: Bool = false,
            device: KnownDevice? = nil
        ) {
            self.account = account
            self.source = source
            self.isKnownNetwork = isKnownNetwork
            self.device = device
        }

        /// The device's name, or the network.
        ///
        /// Codes that are requested from other origins do not invalidate this origin's.
        package var text: String? {
            switch device {
            case .session(let id): "session \(id)"
            case .browser(let name): "browser \(name)"
            case nil: network?.description
            }
        }

        var network: SourceNetwork? { source?.network }
        var knownNetwork: SourceNetwork? { isKnownNetwork ? network : nil }
    }

    // MARK: - Signing in

    /// The buckets of an attempt with a password.
    package func password(_ origin: Origin) -> RateLimitPlan { attempt(.passwordAttempt, .passwordFailure, origin) }

    /// The buckets of an attempt with a code that the client submits with the address only.
    package func codeByAddress(_ origin: Origin) -> RateLimitPlan { attempt(.codeAttempt, .codeAttempt, origin) }

    /// The buckets of an attempt to create an account.
    package func signUp(_ origin: Origin) -> RateLimitPlan {
        RateLimitPlan(
            [
                RateLimitCharge(.accountFromNetwork(.signUp, origin.account, origin.network), attemptsFromNetwork),
                RateLimitCharge(.account(.signUp, origin.account), failuresFromUnknownOrigins),
            ] + failures(from: origin.source) + requests(from: origin.source)
        )
    }

    private func attempt(
        _ attempts: RateLimitKey.Operation,
        _ failures: RateLimitKey.Operation,
        _ origin: Origin
    ) -> RateLimitPlan {
        let account = origin.account
        var alternatives: [[RateLimitCharge]] = []
        if let device = origin.device {
            alternatives.append([RateLimitCharge(.device(attempts, device), attemptsOnDevice)])
        }
        if let network = origin.knownNetwork {
            alternatives.append([
                // Successful attempts count as well, so that an account's owner cannot keep the password hasher busy.
                RateLimitCharge(.accountFromNetwork(attempts, account, network), attemptsFromNetwork),
                RateLimitCharge(
                    .accountFromKnownNetwork(failures, account, network),
                    failuresFromKnownNetwork,
                    counting: .failures
                ),
            ])
        }
        alternatives.append(
            [
                RateLimitCharge(.accountFromNetwork(attempts, account, origin.network), attemptsFromNetwork),
                RateLimitCharge(.account(failures, account), failuresFromUnknownOrigins, counting: .failures),
            ] + self.failures(from: origin.source) + requests(from: origin.source)
        )
        return RateLimitPlan(alternatives: alternatives)
    }

    // MARK: - Codes

    /// The buckets of a request for a code.
    package func codeRequest(_ origin: Origin) -> RateLimitPlan {
        let account = origin.account
        var alternatives: [[RateLimitCharge]] = []
        if let device = origin.device {
            alternatives.append([
                RateLimitCharge(.device(.codeRequest, device), codesOnDevice),
                RateLimitCharge(.devicesOfAccount(.codeRequest, account), codesOnDevices),
            ])
        }
        if let network = origin.knownNetwork {
            alternatives.append([
                RateLimitCharge(.accountFromKnownNetwork(.codeRequest, account, network), codesFromKnownNetwork),
                RateLimitCharge(.accountFromKnownNetworks(.codeRequest, account), codesFromKnownNetworks),
            ])
        }
        alternatives.append(
            [
                RateLimitCharge(.accountFromNetwork(.codeRequest, account, origin.network), codesFromNetwork),
                RateLimitCharge(.account(.codeRequest, account), codesFromUnknownOrigins),
            ] + requests(from: origin.source)
        )
        return RateLimitPlan(alternatives: alternatives)
    }

    /// The buckets of an attempt with a code that the client submits with the attempt's identifier.
    ///
    /// Only the client that requested the code has the identifier. Attempts with an identifier that this server issued
    /// are counted separately, so that a stranger in the same network cannot block them. Attempts with an invalid
    /// identifier count as failures of their network.
    package func code(attempt: String, isIssued: Bool, from source: SourceAddress?) -> RateLimitPlan {
        if isIssued { return RateLimitPlan([RateLimitCharge(.codeAttempt(attempt), attemptsAtCode)]) }
        return RateLimitPlan(failures(from: source) + requests(from: source))
    }

    // MARK: - By network

    /// The buckets of any other request that strangers may send.
    package func request(from source: SourceAddress?) -> RateLimitPlan { RateLimitPlan(requests(from: source)) }

    /// The bucket of a failed sign-in.
    package func failure(from source: SourceAddress?) -> RateLimitPlan { RateLimitPlan(failures(from: source)) }

    private func requests(from source: SourceAddress?) -> [RateLimitCharge] {
        guard let source, !source.isLoopback else { return [] }
        return [RateLimitCharge(.network(.request, source.network), requestsFromNetwork)]
    }

    private func failures(
        from source: SourceAddress?,
        _ operation: RateLimitKey.Operation = .signInFailure
    ) -> [RateLimitCharge] {
        guard let source, !source.isLoopback else { return [] }
        return [RateLimitCharge(.network(operation, source.network), failuresFromNetwork, counting: .failures)]
    }

    // MARK: - OAuth clients

    /// The buckets of an OAuth client's secret, before it is hashed.
    ///
    /// - Parameters:
    ///   - client: The client's id; `nil` for one that is not registered.
    ///   - source: The source address of the request.
    ///   - isKnownNetwork: Whether the client authenticated from this network before.
    /// - Returns: The buckets, of which only failures take tokens.
    package func clientSecret(_ client: String?, from source: SourceAddress?, isKnownNetwork: Bool) -> RateLimitPlan {
        let network = source?.network
        var strangers = failures(from: source, .clientSecret)
        var alternatives: [[RateLimitCharge]] = []
        if let client {
            if let network, isKnownNetwork {
                alternatives.append([
                    RateLimitCharge(.clientFromKnownNetwork(client, network), secretsFromNetwork, counting: .failures)
                ])
            }
            strangers += [
                RateLimitCharge(.clientFromNetwork(client, network), secretsFromNetwork, counting: .failures),
                RateLimitCharge(.client(client), secretsFromUnknownNetworks, counting: .failures),
            ]
        }
        return RateLimitPlan(alternatives: alternatives + [strangers])
    }
}
