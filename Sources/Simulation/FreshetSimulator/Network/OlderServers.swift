// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire
    import SeededRandom

    /// Servers that are older than the app, beside others that have been updated already.
    struct OlderServers {
        /// The error for a path that older servers do not have.
        static let notFound = #"{"error":"not_found"}"#

        private var random: SeededRandomStream

        /// Creates those of a plan.
        ///
        /// - Returns: `nil` if the servers are as new as the app.
        init?(_ plan: HistoryPlan) {
            guard plan.hasOlderServers else { return nil }
            random = SeededRandomStream(seed: plan.seed, device: 4, matter: 50)
        }

        /// Draws whether an older server receives a request to a path that it does not have.
        mutating func lacks(_ request: URLRequest) -> Bool {
            request.nativePath == NativePath.confirm && random.number(in: 0...1) == 0
        }

        /// Draws whether an older server sends a response, which has no optional members.
        mutating func reduced(_ response: (Data, HTTPURLResponse)) -> (Data, HTTPURLResponse) {
            guard random.number(in: 0...1) == 0 else { return response }
            return (response.0.withoutMembers(OlderClient.optionalMembers) ?? response.0, response.1)
        }
    }
#endif
