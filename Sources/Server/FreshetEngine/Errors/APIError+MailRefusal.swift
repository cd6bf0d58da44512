// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetWire

extension APIError {
    /// Creates the response to a client whose mail cannot be queued.
    package init(_ refusal: MailRefusal) {
        switch refusal {
        case .source:
            self.init(
                .tooManyRequests,
                "too many mails requested from your network are queued; try again later",
                retryAfter: .seconds(60)
            )
        case .domain, .full, .relay:
            // The wait is random, so that clients do not retry at the same time.
            let wait = Duration.seconds(Int.random(in: 20...40))
            self.init(.unavailable, "no mail can be sent now; try again later", retryAfter: wait)
        }
    }
}
