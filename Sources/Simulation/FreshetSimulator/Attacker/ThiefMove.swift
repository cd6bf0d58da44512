// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import SeededRandom

    /// A request that a thief sends.
    enum ThiefMove {
        /// The intent of a refresh.
        enum Intent: CaseIterable {
            /// A new one.
            case new
            /// That of his last refresh.
            case last
            /// That of the copied record.
            case stolen
            case none
        }

        case refresh(Intent)
        /// Tells the server that he has received a token.
        case confirm
        /// Tells the server that a token of his was refused as superseded.
        case report
        /// Calls with his newest access token.
        case call
        /// Ends the session.
        case logout
        /// Refreshes twice at a time.
        case refreshTwice

        /// Draws one of all moves; few thieves end the session that they use.
        static func random(_ random: inout SeededRandomStream) -> Self {
            switch random.number(in: 0...15) {
            case 0...6: .refresh(Intent.allCases[random.number(in: 0...Intent.allCases.count - 1)])
            case 7...9: .confirm
            case 10...11: .report
            case 12...13: .call
            case 14: .refreshTwice
            default: .logout
            }
        }
    }
#endif
