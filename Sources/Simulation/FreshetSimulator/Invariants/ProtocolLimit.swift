// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// A limit that PROTOCOL.md names, which a history met.
package enum ProtocolLimit: String, CaseIterable, Sendable {
    /// A duplicate that was delivered later than W signed a session out.
    case lateDuplicate = "sign-outs by a limit of plain mode, a duplicate later than W"
    /// A client without intents received a successor that its store did not take, and presented the used one again.
    case unstoredSuccessor = "sign-outs by a limit of plain mode, a successor that could not be stored"
    /// The app went back from intents to none, so that it is a second holder.
    case downgrade = "sign-outs by a step back from intents"
    /// The app went back from intents to none after a thief had refreshed: it cannot report that its token is superseded.
    case unreported = "thefts that an app without intents cannot report"
    /// A newer token of a session is in use by a thief, or by the device before its backup, and an older client cannot report
    /// it.
    case olderUnreported = "superseded tokens that an older client cannot report"
    /// A standby was promoted without the end of a session, and only one of two servers knows of the end.
    case lostEnd = "sessions that one of two servers refuses, as a promoted standby lost their ends"
    /// A device got an earlier record of its session back from a backup, whose token is superseded or used.
    case restoredRecord = "sign-outs of devices with a restored record"
    /// A thief was served once more after a power failure of the servers, which lost the owner's refresh.
    case lostTrace = "thefts whose traces a power failure lost"
    /// A theft that static mode cannot notice.
    case staticTheft = "thefts that static mode does not notice"
}
