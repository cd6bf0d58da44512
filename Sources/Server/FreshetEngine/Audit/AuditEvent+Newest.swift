// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension [AuditEvent] {
    /// Returns the newest events of an ordered list.
    ///
    /// At most a fifth of them are refused sign-ins, so that failed attempts do not displace successful ones.
    package func newest(_ count: Int) -> [AuditEvent] {
        var (places, refusals) = (count, count / 5)
        var found: [AuditEvent] = []
        for event in reversed() where places > 0 {
            if event.kind == .loginRefused {
                guard refusals > 0 else { continue }
                refusals -= 1
            }
            places -= 1
            found.append(event)
        }
        return found.reversed()
    }
}
