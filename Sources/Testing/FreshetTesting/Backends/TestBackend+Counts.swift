// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension TestBackend {
    /// The numbers of requests that clients have sent to the backend.
    ///
    /// A request that a fault lost before it arrived is counted, too.
    public struct Counts: Sendable, Equatable {
        /// Granted sign-ins, whether or not the response arrived.
        public var logins = 0
        /// Refreshes, whether or not the response arrived.
        public var refreshes = 0
        /// Confirmations.
        public var confirms = 0
        /// Reports.
        public var reports = 0
        /// Sign-outs.
        public var logouts = 0
        /// Requests of the app.
        public var requests = 0
        /// Requests of the app that were answered with 401.
        public var refusals = 0
        /// Requests to ``TestBackend/otherOrigin``.
        public var strays = 0
        /// Requests to ``TestBackend/otherOrigin`` with a token.
        public var straysWithToken = 0

        /// Counts a request when it was sent.
        mutating func add(_ target: Target) {
            switch target {
            case .refresh: refreshes += 1
            case .confirm: confirms += 1
            case .report: reports += 1
            case .logout: logouts += 1
            case .app: requests += 1
            case .elsewhere: strays += 1
            case .code, .login: break
            }
        }

        /// Counts the outcome of a request.
        mutating func add(_ target: Target, status: Int?, isGranted: Bool, carriesToken: Bool) {
            switch target {
            case .login: logins += isGranted ? 1 : 0
            case .app: refusals += status == 401 ? 1 : 0
            case .elsewhere: straysWithToken += carriesToken ? 1 : 0
            default: break
            }
        }
    }
}
