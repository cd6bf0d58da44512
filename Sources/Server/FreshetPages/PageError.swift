// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetHTTP
import FreshetWire
import HTTPTypes

/// An error that is shown as a page, worded for its reader.
struct PageError: Error, Equatable, Sendable {
    var status: HTTPResponse.Status
    var heading: String
    var text: String
    /// The time after which a retry makes sense.
    var retryAfter: Duration?
    /// The path of the link to continue; `nil` for the site's home.
    var next: String?

    init(
        _ status: HTTPResponse.Status,
        _ heading: String,
        _ text: String,
        retryAfter: Duration? = nil,
        next: String? = nil
    ) {
        self.status = status
        self.heading = heading
        self.text = text
        self.retryAfter = retryAfter
        self.next = next
    }

    /// Creates the page error for an API error.
    init(_ error: APIError) {
        let status = HTTPResponse.Status(code: error.code.status)
        switch error.code {
        case .tooManyRequests:
            let wait = error.retryAfter.map { " in \($0.roundedText)" } ?? " later"
            self.init(status, "Too many tries", "Please try again\(wait).", retryAfter: error.retryAfter)
        case .notFound:
            self.init(status, "There is no such page", "The page may have moved, or the address has a mistake.")
        case .methodNotAllowed:
            self.init(status, "This address shows no page", "It only accepts forms.")
        case .unavailable:
            self.init(
                status,
                "Please try again in a moment",
                "The server is overloaded, or its database is unavailable.",
                retryAfter: error.retryAfter
            )
        case .contentTooLarge, .invalidRequest, .unsupportedMediaType:
            self.init(status, "The form could not be read", "Its fields are not those of this page.")
        default:
            self.init(status, "Something went wrong", "This is an error of the server. Please try again.")
        }
    }
}

extension PageError: APIErrorConvertible {
    var apiError: APIError { APIError(.invalidRequest, heading, retryAfter: retryAfter) }
}

extension Duration {
    /// The duration, rounded and worded: `3 minutes`.
    var roundedText: String {
        let seconds = max(0, Int(components.seconds))
        for (length, unit) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds >= length {
            let count = (seconds + length / 2) / length
            return "\(count) \(unit)\(count == 1 ? "" : "s")"
        }
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}
