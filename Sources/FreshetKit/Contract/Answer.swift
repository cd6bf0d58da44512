// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The parts of an HTTP answer that classification looks at.
struct Answer: Sendable {
    var status: Int
    var contentType: String?
    var retryAfter: String?
    var date: String?
    var authenticate: String?
    var body: Data

    init(
        status: Int,
        contentType: String? = nil,
        retryAfter: String? = nil,
        date: String? = nil,
        authenticate: String? = nil,
        body: Data = Data()
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.date = date
        self.authenticate = authenticate
        self.body = body
    }

    init(_ data: Data, _ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            contentType: response.value(forHTTPHeaderField: "Content-Type"),
            retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
            date: response.value(forHTTPHeaderField: "Date"),
            authenticate: response.value(forHTTPHeaderField: "WWW-Authenticate"),
            body: data
        )
    }

    /// Whether the body says that it is JSON: a captive portal's or a proxy's page does not.
    var isJSON: Bool {
        let type = contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
        return type == "application/json" || type?.hasSuffix("+json") == true
    }

    /// What `Retry-After` asks for, as seconds or as a date by the server's own clock.
    var retryDelay: Duration? {
        guard let text = retryAfter?.trimmingCharacters(in: .whitespaces) else { return nil }
        if let seconds = Int(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400 * 365)) : nil }
        guard let at = HTTPDate.parse(text), let now = date.flatMap(HTTPDate.parse) else { return nil }
        return .seconds(max(0, at.timeIntervalSince(now)))
    }
}
