// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import Foundation
    import FoundationNetworking
    import FreshetWire
    import SeededRandom

    /// The responses of servers that are newer than the app.
    struct NewerServers {
        /// An error with a code and a member that this version does not know.
        static let unknownError = #"{"error":"quota_exhausted","error_description":"-","quota":{"left":0}}"#

        private var random: SeededRandomStream
        private let paths: [String]
        /// The number of errors with an unknown code.
        private(set) var errors = 0

        /// Creates those of a plan.
        ///
        /// - Returns: `nil` if the servers are as old as the app.
        init?(_ plan: HistoryPlan) {
            guard plan.hasNewerServers else { return nil }
            random = SeededRandomStream(seed: plan.seed, device: 3, matter: 50)
            // A refused sign-out is final by a contract that is not confirmed.
            paths = [NativePath.refresh, NativePath.confirm] + (plan.app == nil ? [NativePath.logout] : [])
        }

        /// Draws whether a request is answered with an unknown error, which no refresh may take for final.
        mutating func refuses(_ request: URLRequest) -> Bool {
            guard paths.contains(request.nativePath), random.number(in: 0...7) == 0 else { return false }
            errors += 1
            return true
        }

        /// Draws whether a newer server sends a response, which has members that the app does not know.
        mutating func extended(_ response: (Data, HTTPURLResponse)) -> (Data, HTTPURLResponse) {
            guard random.number(in: 0...1) == 0, response.0.starts(with: Data("{\"".utf8)) else { return response }
            return (Data(#"{"region":{"name":"eu","zones":[1,null]},"#.utf8) + response.0.dropFirst(), response.1)
        }
    }
#endif
