// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// How often signing in may be tried, and for whom it is counted.
///
/// A stranger's tries are counted for the account at his source first, so that they use up his own budget. Those of a
/// device that the account knows are counted for that device alone: nobody else can use them up.
///
/// A code has six digits and dies of its fifth wrong try. In any 24 hours an account's strangers can ask for twice
/// ``codes``.capacity codes at most (those saved up, and those that come back), so that all their guesses together hit
/// with a chance of 2 · 10 · 5 / 1 000 000 = 1 in 10 000;
/// each device that the account knows adds half as much for whoever holds it.
package struct SignInBudgets: Equatable, Sendable {
    /// Passwords, and codes, tried for one account from one source.
    package var login = AttemptBudget(capacity: 10, interval: .seconds(30))
    /// Passwords and codes tried for one account from anywhere.
    package var account = AttemptBudget(capacity: 100, interval: .seconds(300))
    /// Whatever is asked for from one source; a source on this machine is a proxy that was not named, and has no limit.
    package var source = AttemptBudget(capacity: 300, interval: .seconds(2))
    /// Codes asked for one account from one source.
    package var code = AttemptBudget(capacity: 5, interval: .seconds(60))
    /// Codes asked for one account from anywhere: ten a day.
    package var codes = AttemptBudget(capacity: 10, interval: .seconds(8640))
    /// Passwords tried on one device that the account knows.
    package var device = AttemptBudget(capacity: 10, interval: .seconds(60))
    /// Codes asked for on one device that the account knows: five a day.
    package var deviceCodes = AttemptBudget(capacity: 5, interval: .seconds(17_280))
    /// Mails that tell one account of something.
    package var notices = AttemptBudget(capacity: 10, interval: .seconds(8640))

    package init() {}

    /// Whose try it is.
    package struct Asker: Equatable, Sendable {
        /// The address that is tried.
        package var account: String
        package var source: SourceAddress?
        /// A session of the account that the device holds or held.
        package var device: String?

        package init(account: String, source: SourceAddress?, device: String? = nil) {
            self.account = account
            self.source = source
            self.device = device
        }
    }

    /// What trying a password costs.
    package func password(_ asker: Asker) -> [AttemptClaim] { attempt("login", asker, login, account, device) }

    /// What trying a code costs that is known by its address alone.
    package func codeTry(_ asker: Asker) -> [AttemptClaim] { attempt("code", asker, login, account, device) }

    /// What trying a code costs that is known by its attempt, which only who asked for it has.
    package func codeTry(attempt: String, source: SourceAddress?) -> [AttemptClaim] {
        [AttemptClaim("code \(attempt)", login)] + from(source)
    }

    /// What asking for a code costs.
    package func codeRequest(_ asker: Asker) -> [AttemptClaim] { attempt("mail", asker, code, codes, deviceCodes) }

    /// What making an account costs.
    package func signUp(_ asker: Asker) -> [AttemptClaim] { attempt("signup", asker, login, account, device) }

    /// What anything else costs that strangers may ask for.
    package func from(_ source: SourceAddress?) -> [AttemptClaim] {
        guard let source, !source.isLoopback else { return [] }
        return [AttemptClaim("from \(source.network)", self.source)]
    }

    private func attempt(
        _ word: String,
        _ asker: Asker,
        _ pair: AttemptBudget,
        _ whole: AttemptBudget,
        _ known: AttemptBudget
    ) -> [AttemptClaim] {
        if let device = asker.device { return [AttemptClaim("\(word) on \(device)", known)] }
        let place = asker.source?.network.description ?? "?"
        return [
            AttemptClaim("\(word) \(asker.account) from \(place)", pair),
            AttemptClaim("\(word) \(asker.account)", whole),
        ] + from(asker.source)
    }
}
