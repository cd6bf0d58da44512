// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension APIError {
    /// What a client is told whose mail has no room.
    package init(_ refusal: MailRefusal) {
        switch refusal {
        case .source:
            self.init(.tooManyRequests, "too many mails of your network wait; wait", retryAfter: .seconds(60))
        case .domain, .full, .relay:
            // Different for each, so that they do not come back together.
            let wait = Duration.seconds(Int.random(in: 20...40))
            self.init(.unavailable, "no mail can be sent now; try again later", retryAfter: wait)
        }
    }
}
