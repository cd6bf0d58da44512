// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

extension OutboxEvent: CustomStringConvertible {
    /// One line for a log, without the content: the item, the event, its cause and its consequence.
    public var description: String {
        let item = id.map { "Outbox item \($0.uuidString.lowercased())" } ?? "Outbox"
        let place = lane.map { ", lane \($0)" } ?? ""
        return "\(item)\(place): \(kind)".onOneLine
    }
}

extension OutboxEvent.Kind: CustomStringConvertible {
    /// The event, its cause and its consequence, without the item.
    public var description: String {
        switch self {
        case .enqueued: "stored on disk; it is sent after the items before it."
        case .sending(let attempt): "attempt \(attempt) to send it."
        case .delivered(let status): "delivered; the server answered with \(status)."
        case .gone: "another process sent it or set it aside."
        case .retrying(let pause): "the attempt failed; the next one follows in \(pause.formattedSeconds) s."
        case .held(let hold): "held because \(hold.text)."
        case .resumed: "sending continues."
        case .othersWaiting(0): "no items wait for users who are not signed in."
        case .othersWaiting(1): "1 item waits for a user who is not signed in."
        case .othersWaiting(let count): "\(count) items wait for users who are not signed in."
        case .dead(let reason): "set aside because \(reason.text); the app can retry or discard it."
        }
    }
}

extension OutboxHoldReason {
    fileprivate var text: String {
        switch self {
        case .signedOut: "no user is signed in; sending continues when the items' user signs in"
        case .storeUnavailable:
            "the session's store or the outbox's folder cannot be read now; sending continues when both can"
        case .tokenRefused:
            "the server refused the access token; sending continues with the next token or the next accepted call"
        case .newerVersion:
            "a newer version of the app stored the first item of its lane; sending continues when that version runs"
        case .deadLetter: "its lane has a dead letter; sending continues when that is retried or discarded"
        }
    }
}

extension OutboxDeadLetterReason {
    fileprivate var text: String {
        switch self {
        case .rejected(let status): "the server refused it with \(status)"
        case .redirected(let status):
            "the server answered with the redirect \(status), so it is unknown whether the write was done"
        case .expired: "it is older than the outbox's maximum age"
        case .damaged: "its file cannot be read"
        case .foreignHost: "the session's token may not be sent to its host"
        }
    }
}
